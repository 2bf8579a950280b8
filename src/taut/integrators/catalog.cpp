#include <algorithm>
#include <cmath>
#include <taut/base/decimal.hpp>
#include <taut/base/require.hpp>
#include <taut/integrators/catalog.hpp>

namespace taut {
namespace {

/// Takes options one by one and refuses what is left over.
class Options {
 public:
  Options(std::string owner, NamedOptions given) : owner_(std::move(owner)), given_(std::move(given)) {}

  double number(const std::string& name, double otherwise) {
    known_.push_back(name);
    const auto found = given_.find(name);
    if (found == given_.end()) return otherwise;
    const std::string word = found->second;
    given_.erase(found);
    double value = 0.0;
    const auto [end, trouble] = from_decimal(word.data(), word.data() + word.size(), value);
    require(trouble == std::errc{} && end == word.data() + word.size(), "{}: {} must be a number, got '{}'.", owner_, name,
            word);
    return value;
  }

  int whole(const std::string& name, int otherwise) {
    const double value = number(name, otherwise);
    require(std::abs(value) <= 1e6 && value == std::floor(value), "{}: {} must be a whole number, got {}.", owner_, name,
            value);
    return int(value);
  }

  /// One of several words, by its place in the list.
  std::size_t word(const std::string& name, const std::vector<std::string>& allowed, std::size_t otherwise) {
    known_.push_back(name);
    const auto found = given_.find(name);
    if (found == given_.end()) return otherwise;
    const auto place = std::find(allowed.begin(), allowed.end(), found->second);
    require(place != allowed.end(), "{}: {} must be one of {}; got '{}'.", owner_, name, listed(allowed), found->second);
    given_.erase(found);
    return std::size_t(place - allowed.begin());
  }

  void finish() const {
    if (given_.empty()) return;
    require(!known_.empty(), "{}: takes no options, but '{}' is given.", owner_, given_.begin()->first);
    require(false, "{}: has no option '{}'; it has {}.", owner_, given_.begin()->first, listed(known_));
  }

  static std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& one : words) out += (out.empty() ? "" : ", ") + one;
    return out;
  }

 private:
  std::string owner_;
  NamedOptions given_;
  std::vector<std::string> known_;
};

/// Numbers that a file gives must be sound when it is read; what is left out stays automatic.
Hmm hmm_with(Options& given) {
  Hmm hmm;
  hmm.macro = Hmm::Macro(given.word("macro", {"euler", "rk2", "rk4", "ab4"}, std::size_t(hmm.macro)));
  hmm.micro = Hmm::Micro(given.word("micro", {"verlet", "damped"}, std::size_t(hmm.micro)));
  hmm.kernel.shape =
      HmmKernel::Shape(given.word("kernel", {"polynomial", "exponential", "box"}, std::size_t(hmm.kernel.shape)));
  hmm.kernel.moments = given.whole("moments", hmm.kernel.moments);
  hmm.kernel.smoothness = given.whole("smoothness", hmm.kernel.smoothness);
  hmm.tolerance = given.number("tolerance", hmm.tolerance);
  hmm.passes = given.whole("passes", hmm.passes);
  hmm.periods = given.number("periods", hmm.periods);
  hmm.window = given.number("window", hmm.window);
  hmm.resolution = given.number("resolution", hmm.resolution);
  hmm.micro_step = given.number("micro_step", hmm.micro_step);
  hmm.check();
  return hmm;
}

template <class Named> const Named& find(const std::vector<Named>& all, const std::string& name, const std::string& what) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  throw InputError(message("there is no {} '{}'; there are: {}.", what, name, Options::listed(names)));
}

}  // namespace

const std::vector<NamedIntegrator>& integrators() {
  static const std::vector<NamedIntegrator> all{
      {"midpoint", "variational midpoint, scheme (40); constraints exact at step ends", Midpoint{}},
      {"midpoint-shared", "the same with constraints at the middles and one multiplier per node",
       Midpoint{Midpoint::Constraint::shared_midpoint}},
      {"midpoint-literal", "(40) word by word; multipliers oscillate: for the paper's tables only",
       Midpoint{Midpoint::Constraint::literal}},
      {"rattle", "Stormer-Verlet with constraints exact in positions and velocities", Rattle{}},
      {"gcn", "generalised Crank-Nicolson (16), reaction centred", Gcn{}},
      {"gcn-middle", "the same with the reaction at the middle level", Gcn{.reaction = Reaction::middle}},
      {"gcn-new", "the same with the reaction at the new level, as the papers print it: of order 1, loses energy",
       Gcn{.reaction = Reaction::new_point}},
      {"houbolt", "three levels and the new one, strongly damped", Houbolt{}},
      {"newmark", "trapezoidal rule, beta = 1/4 and gamma = 1/2, reaction centred", Newmark{}},
      {"newmark-new", "the same with the reaction at the new level: of order 1, loses energy",
       Newmark{.reaction = Reaction::new_point}},
      {"three-level", "form (31) with discrete gradients: keeps its discrete energy; constant mass", ThreeLevel{}},
      {"energy-momentum", "discrete gradients: energy exact for any mass and any constraint", EnergyMomentum{}},
      {"generalized-alpha", "damps what the step does not resolve; of order 2 in the multipliers too", GeneralizedAlpha{}},
      {"spark2", "SPARK with 2 stages, Gauss and Lobatto: order 4, symplectic, constraints exact", Spark{2}},
      {"spark3", "the same with 3 stages: order 6", Spark{3}},
      {"spark4", "the same with 4 stages: order 8; spark1 and spark5 to spark8 likewise, of order 2s", Spark{4}},
      {"moreau-jean", "exact unilateral constraints with impacts, inelastic unless told", MoreauJean{}},
      {"rk4", "explicit Runge-Kutta of order 4 on accelerations, projected onto the constraints", RungeKutta{kutta4()}},
      {"dopri5", "the same with Dormand and Prince 5(4); takes tolerances", RungeKutta{dormand_prince5()}},
      {"dop853", "the same with Dormand and Prince 8(5,3); takes tolerances", RungeKutta{dormand_prince8()}},
      {"hmm", "multiscale: averages over the fast motion of stiff springs; for a penalty that is prescribed and tiny",
       Hmm{}},
  };
  return all;
}

const std::vector<NamedSolver>& solvers() {
  using Update = AugmentedLagrangian::Update;
  static const std::vector<NamedSolver> all{
      {"multipliers", "Newton on positions and multipliers together", Multipliers{}},
      {"augmented-lagrangian", "Hestenes-Powell, first-order update (10)", AugmentedLagrangian{}},
      {"augmented-lagrangian-2", "the same with the second-order update (11)",
       AugmentedLagrangian{.update = Update::second_order}},
      {"uzawa", "first-order dual iteration", Uzawa{}},
      {"splitting", "ALG2 for lengths and linear dynamics, accelerated (gcn, newmark, houbolt, static)", Splitting{}},
  };
  return all;
}

Integrator integrator_named(const std::string& name, const NamedOptions& options) {
  // Any number of stages has a name, the usual ones a place in the list.
  const bool spark = name.size() == 6 && name.starts_with("spark") && name[5] >= '1' && name[5] <= '8';
  const NamedIntegrator& found = find(integrators(), spark ? "spark2" : name, "integrator");
  Options given(name, options);
  Integrator made = found.integrator;
  const std::vector<std::string> placements{"new", "middle", "centred"};
  const auto placed = [](std::size_t place) {
    return place == 0 ? Reaction::new_point : (place == 1 ? Reaction::middle : Reaction::centred);
  };
  if (name == "gcn") {
    const double alpha = given.number("alpha", Gcn{}.alpha);
    made = Gcn{.alpha = alpha, .reaction = placed(given.word("reaction", placements, 2))};
  } else if (name == "newmark") {
    const double beta = given.number("beta", Newmark{}.beta), gamma = given.number("gamma", Newmark{}.gamma);
    made = Newmark{.beta = beta, .gamma = gamma, .reaction = placed(given.word("reaction", placements, 2))};
  } else if (name == "generalized-alpha") {
    made = GeneralizedAlpha{.spectral_radius = given.number("spectral_radius", GeneralizedAlpha{}.spectral_radius)};
  } else if (name == "three-level") {
    made = ThreeLevel{.alpha = given.number("alpha", ThreeLevel{}.alpha)};
  } else if (name == "energy-momentum") {
    made = EnergyMomentum{.project_velocity = given.word("project_velocity", {"false", "true"}, 0) == 1};
  } else if (name.starts_with("spark")) {
    constexpr SparkFamily families[] = {SparkFamily::gauss, SparkFamily::radau_iia, SparkFamily::radau_ia,
                                        SparkFamily::lobatto_iiic, SparkFamily::lobatto_iiid};
    const std::size_t family = given.word("family", {"gauss", "radau-iia", "radau-ia", "lobatto-iiic", "lobatto-iiid"}, 0);
    const bool embedded = given.word("estimate", {"doubling", "stages"}, 0) == 1;
    made = Spark{.stages = name.back() - '0', .family = families[family], .embedded = embedded};
  } else if (name == "moreau-jean") {
    made = MoreauJean{.restitution = given.number("restitution", MoreauJean{}.restitution)};
  } else if (name == "hmm") {
    made = hmm_with(given);
  }
  given.finish();
  return made;
}

SolverMethod solver_named(const std::string& name, const NamedOptions& options) {
  SolverMethod method = find(solvers(), name, "solver").method;
  Options given(name, options);
  if (auto* al = std::get_if<AugmentedLagrangian>(&method)) {
    al->epsilon = given.number("epsilon", al->epsilon);
    al->tolerance = given.number("tolerance", al->tolerance);
    al->settled = given.number("settled", al->settled);
    require(al->tolerance > 0.0, "{}: tolerance must be positive, got {}.", name, al->tolerance);
    require(al->epsilon >= 0.0, "{}: epsilon must not be negative, got {}.", name, al->epsilon);
    require(al->settled > 0.0, "{}: settled must be positive, got {}.", name, al->settled);
  } else if (auto* uzawa = std::get_if<Uzawa>(&method)) {
    uzawa->relaxation = given.number("relaxation", uzawa->relaxation);
    uzawa->tolerance = given.number("tolerance", uzawa->tolerance);
    uzawa->settled = given.number("settled", uzawa->settled);
    require(uzawa->settled > 0.0, "{}: settled must be positive, got {}.", name, uzawa->settled);
    require(uzawa->tolerance > 0.0, "{}: tolerance must be positive, got {}.", name, uzawa->tolerance);
    require(uzawa->relaxation > 0.0 && uzawa->relaxation < 2.0, "{}: relaxation must lie in (0, 2), got {}.", name,
            uzawa->relaxation);
  } else if (auto* splitting = std::get_if<Splitting>(&method)) {
    splitting->r = given.number("r", splitting->r);
    splitting->tolerance = given.number("tolerance", splitting->tolerance);
    splitting->relaxation = given.number("relaxation", splitting->relaxation);
    splitting->update = given.number("update", splitting->update);
    splitting->anderson = int(given.number("anderson", splitting->anderson));
    splitting->power = given.number("power", splitting->power);
    splitting->start = given.word("start", {"warm", "cold"}, 0) == 0 ? Splitting::Start::warm : Splitting::Start::cold;
    splitting->stop = given.word("stop", {"error", "change"}, 0) == 0 ? Splitting::Stop::error : Splitting::Stop::change;
    const SplittingSolver checked(*splitting);  // throws if an option makes no sense
  } else if (auto* newton = std::get_if<Multipliers>(&method)) {
    newton->newton.tolerance = given.number("tolerance", newton->newton.tolerance);
    require(newton->newton.tolerance > 0.0, "{}: tolerance must be positive, got {}.", name, newton->newton.tolerance);
  }
  given.finish();
  return method;
}

SolverMethod solver_at_rest(const std::string& name, NamedOptions options) {
  if (options.erase("power") > 0) options.erase("tolerance");
  return solver_named(name, options);
}

}  // namespace taut
