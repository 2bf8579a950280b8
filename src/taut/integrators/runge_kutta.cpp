#include <algorithm>
#include <cmath>
#include <taut/integrators/runge_kutta.hpp>
#include <taut/step/index_one.hpp>

namespace taut {
namespace {

class RungeKuttaStepper final : public Stepper {
 public:
  RungeKuttaStepper(const System& system, const SolverMethod& method, const ExplicitTableau& tableau)
      : system_(system),
        n_(system.size()),
        m_(system.constraint_count()),
        sums_{.stages = int(tableau.b.size()), .c = tableau.c, .rows = {}, .end = StageSums::of(tableau.b)},
        fine_(StageSums::of(tableau.error)),
        coarse_(StageSums::of(tableau.coarse_error)),
        equations_(system, method),
        lambda_(Vector::Zero(m_)),
        base_(Vector::Zero(2 * n_)),
        room_(Vector::Zero(3 * n_ * (sums_.stages + 1))),
        places_{.n = n_, .base = base_.data(), .first = room_.data()} {
    for (const std::vector<double>& row : tableau.a) sums_.rows.push_back(StageSums::of(row));
    if (!fine_.empty()) error_.resize(2 * n_);
  }

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    StepReport report;
    const double size = size_.of(system_, now);
    const bool carried = now.carried.size() == n_;
    for (Vector* one : {&next.q, &next.v, &next.p, &next.carried}) one->resize(n_);
    next.lambda.resize(m_);
    const ExplicitStep step{.t = now.t,
                            .h = h,
                            .size = size,
                            .q = now.q.data(),
                            .v = now.v.data(),
                            .a = carried ? now.carried.data() : nullptr,
                            .q_next = next.q.data(),
                            .v_next = next.v.data(),
                            .a_next = next.carried.data(),
                            .p_next = next.p.data(),
                            .lambda_next = next.lambda.data()};
    next.t = now.t + h;
    if (!equations_.step(sums_, step, places_, report.solve)) {
      report.solve = {};
      if (!advance_in_parts(now, step, report, next)) return report;
    }
    if (!fine_.empty()) estimate(h, next);
    return report;
  }

  const std::vector<int>& dependent() const override { return equations_.dependent(); }
  const Vector* error() const override { return error_.size() > 0 ? &error_ : nullptr; }

 private:
  bool advance_in_parts(const State& now, const ExplicitStep& step, StepReport& report, State& next) {
    equations_.begin(now);
    base_.head(n_) = now.q;
    base_.tail(n_) = now.v;
    if (step.a != nullptr) {
      room_.segment(n_, n_) = now.v;
      room_.segment(2 * n_, n_) = now.carried;
    }
    if (!equations_.run(sums_, now.t, step.h, places_, step.a != nullptr ? 1 : 0, lambda_.data(), report.solve)) {
      report = failed(report, system_, equations_.failed_at(), 0.0);
      return false;
    }
    next.q = room_.segment(3 * n_ * sums_.stages, n_);
    next.v = room_.segment((3 * sums_.stages + 1) * n_, n_);
    report.solve = equations_.settle(next.t, step.size, next.q, next.v, next.carried, next.lambda);
    if (report.ok()) {
      equations_.find_momentum(next);
      return true;
    }
    report = failed(report, system_, instant(next), 0.0);
    return false;
  }

  void estimate(double h, const State& next) {
    double* end = places_.q(sums_.stages);
    if (m_ > 0) {
      // A projection farther than the estimate is an error too: at a dead point it would bend the motion.
      moved_.resize(2 * n_);
      moved_.head(n_) = next.q - Eigen::Map<const Vector>(end, n_);
      moved_.tail(n_) = next.v - Eigen::Map<const Vector>(end + n_, n_);
    }
    std::copy_n(next.v.data(), n_, end + n_);
    std::copy_n(next.carried.data(), n_, end + 2 * n_);
    combine(fine_, h, places_, nullptr, error_.data());
    if (!coarse_.empty()) {
      cruder_.resize(2 * n_);
      combine(coarse_, h, places_, nullptr, cruder_.data());
      for (int i = 0; i < 2 * n_; ++i) {
        const double fine = error_[i] * error_[i], size = std::sqrt(fine + 0.01 * cruder_[i] * cruder_[i]);
        error_[i] = size > 0.0 ? fine / size : 0.0;
      }
    }
    if (m_ > 0) error_ += moved_;
  }

  const System& system_;
  int n_, m_;
  StageSums sums_;
  StageSums::Shares fine_, coarse_;
  IndexOne equations_;
  ConfigurationSize size_;
  Vector lambda_, base_, room_, error_, cruder_, moved_;
  StagePlaces places_;
};

}  // namespace

const ExplicitTableau& kutta4() {
  static const ExplicitTableau tableau{
      "RK4", 4, {0.0, 0.5, 0.5, 1.0}, {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
  return tableau;
}

const ExplicitTableau& dormand_prince5() {
  static const ExplicitTableau tableau{
      "Dormand-Prince 5",
      5,
      {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0},
      {{},
       {1.0 / 5},
       {3.0 / 40, 9.0 / 40},
       {44.0 / 45, -56.0 / 15, 32.0 / 9},
       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
      {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
      {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
      {},
      4};
  return tableau;
}

const ExplicitTableau& dormand_prince8() {
  static const ExplicitTableau tableau{
      "Dormand-Prince 8",
      8,
      {0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726, 0.3333333333333333, 0.25,
       0.3076923076923077, 0.6512820512820513, 0.6, 0.8571428571428571, 1.0},
      {{},
       {0.05260015195876773},
       {0.0197250569845379, 0.0591751709536137},
       {0.02958758547680685, 0, 0.08876275643042054},
       {0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792},
       {0.037037037037037035, 0, 0, 0.17082860872947386, 0.12546768756682242},
       {0.037109375, 0, 0, 0.17025221101954405, 0.06021653898045596, -0.017578125},
       {0.03709200011850479, 0, 0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402, 0.008273789163814023},
       {0.6241109587160757, 0, 0, -3.3608926294469414, -0.868219346841726, 27.59209969944671, 20.154067550477894,
        -43.48988418106996},
       {0.47766253643826434, 0, 0, -2.4881146199716677, -0.590290826836843, 21.230051448181193, 15.279233632882423,
        -33.28821096898486, -0.020331201708508627},
       {-0.9371424300859873, 0, 0, 5.186372428844064, 1.0914373489967295, -8.149787010746927, -18.52006565999696,
        22.739487099350505, 2.4936055526796523, -3.0467644718982196},
       {2.273310147516538, 0, 0, -10.53449546673725, -2.0008720582248625, -17.9589318631188, 27.94888452941996,
        -2.8589982771350235, -8.87285693353063, 12.360567175794303, 0.6433927460157636}},
      {0.054293734116568765, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003, -5.801203960010585, 0.3111643669578199,
       -0.1521609496625161, 0.20136540080403034, 0.04471061572777259},
      {0.01312004499419488, 0, 0, 0, 0, -1.2251564463762044, -0.4957589496572502, 1.6643771824549864, -0.35032884874997366,
       0.3341791187130175, 0.08192320648511571, -0.022355307863886294, 0},
      {-0.18980075407240762, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003, -5.801203960010585, -0.4226823213237919,
       -0.1521609496625161, 0.20136540080403034, 0.02265179219836082, 0},
      7};
  return tableau;
}

Traits RungeKutta::traits() const {
  return {.name = tableau.name,
          .order = tableau.order,
          .multiplier_time = 1.0,
          .multiplier_order = tableau.order,
          .error_order = tableau.error_order};
}

std::unique_ptr<Stepper> RungeKutta::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, tableau.name);
  return std::make_unique<RungeKuttaStepper>(system, method, tableau);
}

}  // namespace taut
