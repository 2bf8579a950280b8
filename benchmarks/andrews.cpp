// Work and precision on the seven-body mechanism (cases/andrews.yaml, to t = 0.03): taut from the model file, and from the same hand-written mechanism that
// SUNDIALS IDA gets, in the index-1 form and in the stabilised index-2 form of Gear, Gupta and Leimkuhler. Each method runs through its tolerances; for each
// accuracy the fastest run that reaches it counts. Times include set-up, not the reading of the file.
//   benchmark_andrews CASES [PLOT.svg]
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>
#include <vector>

#include "sundials.hpp"

namespace {

using namespace benchmark;

constexpr double until = 0.03;

/// The mechanism by hand: M a + Gᵀλ = f, g, G and γ = vᵀg_qq v; q = β θ γ φ δ ω ε.
struct Mechanism {
  double M[7][7]{}, G[6][7]{}, f[7]{}, g[6]{}, gamma[6]{};

  void set(const double* q, const double* v) {
    constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498,
                     I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5,
                     xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530,
                     l0 = 0.07785, d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
                     sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                     ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, torque = 0.033;
    const double cb = std::cos(q[0]), sbe = std::sin(q[0]), ct = std::cos(q[1]), st = std::sin(q[1]), cg = std::cos(q[2]),
                 sg = std::sin(q[2]), cp = std::cos(q[3]), sp = std::sin(q[3]), cd = std::cos(q[4]), sde = std::sin(q[4]),
                 co = std::cos(q[5]), so = std::sin(q[5]), ce = std::cos(q[6]), se = std::sin(q[6]),
                 cbt = std::cos(q[0] + q[1]), sbt = std::sin(q[0] + q[1]), cpd = std::cos(q[3] + q[4]),
                 spd = std::sin(q[3] + q[4]), coe = std::cos(q[5] + q[6]), soe = std::sin(q[5] + q[6]);
    M[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * ct + da * da) + I1 + I2;
    M[0][1] = M[1][0] = m2 * (da * da - da * rr * ct) + I2;
    M[1][1] = m2 * da * da + I2;
    M[2][2] = m3 * (sa * sa + sb * sb) + I3;
    M[3][3] = m4 * (e - ea) * (e - ea) + I4;
    M[3][4] = M[4][3] = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * sp) + I4;
    M[4][4] = m4 * (zt * zt + 2 * zt * (e - ea) * sp + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[5][5] = m6 * (zf - fa) * (zf - fa) + I6;
    M[5][6] = M[6][5] = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * so) + I6;
    M[6][6] = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * so + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    const double xd = sd * cg + sc * sg + xb, yd = sd * sg - sc * cg + yb, length = std::hypot(xd - xc, yd - yc),
                 force = -c0 * (length - l0) / length, fx = force * (xd - xc), fy = force * (yd - yc);
    f[0] = torque - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * st;
    f[1] = m2 * da * rr * v[0] * v[0] * st;
    f[2] = fx * (sc * cg - sd * sg) + fy * (sd * cg + sc * sg);
    f[3] = m4 * zt * (e - ea) * v[4] * v[4] * cp;
    f[4] = -m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * cp;
    f[5] = -m6 * u * (zf - fa) * v[6] * v[6] * co;
    f[6] = m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * co;
    const double x = rr * cb - d * cbt, y = rr * sbe - d * sbt;
    g[0] = x - ss * sg - xb, g[1] = y + ss * cg - yb;
    g[2] = x - e * spd - zt * cd - xa, g[3] = y + e * cpd - zt * sde - ya;
    g[4] = x - zf * coe - u * se - xa, g[5] = y - zf * soe + u * ce - ya;
    for (int r = 0; r < 6; r += 2) {
      G[r][0] = -rr * sbe + d * sbt, G[r][1] = d * sbt;
      G[r + 1][0] = rr * cb - d * cbt, G[r + 1][1] = -d * cbt;
    }
    G[0][2] = -ss * cg, G[1][2] = -ss * sg;
    G[2][3] = -e * cpd, G[2][4] = -e * cpd + zt * sde, G[3][3] = -e * spd, G[3][4] = -e * spd - zt * cd;
    G[4][5] = zf * soe, G[4][6] = zf * soe - u * ce, G[5][5] = -zf * coe, G[5][6] = -zf * coe - u * se;
    const double B = v[0] * v[0], T = (v[0] + v[1]) * (v[0] + v[1]), P = (v[3] + v[4]) * (v[3] + v[4]), D = v[4] * v[4],
                 O = (v[5] + v[6]) * (v[5] + v[6]), E = v[6] * v[6], C = v[2] * v[2];
    const double ax = -rr * B * cb + d * T * cbt, ay = -rr * B * sbe + d * T * sbt;
    gamma[0] = ax + ss * C * sg, gamma[1] = ay - ss * C * cg;
    gamma[2] = ax + e * P * spd + zt * D * cd, gamma[3] = ay - e * P * cpd + zt * D * sde;
    gamma[4] = ax + zf * O * coe + u * E * se, gamma[5] = ay + zf * O * soe - u * E * ce;
  }
};

/// The same for taut, as two blocks of its own: what IDA gets. The forces are those of Mechanism, with the part of d/dt p that is not M a in them, which
/// schemes on the index-1 form (the explicit ones) do not mind.
class Shared {
 public:
  const Mechanism& at(const double* q, const double* v) {
    bool same = true;
    const auto set = [&](double& kept, double value) {
      same = same && kept == value;
      kept = value;
    };
    for (int i = 0; i < 7; ++i) set(q_[i], q[i]);
    for (int i = 0; v != nullptr && i < 7; ++i) set(v_[i], v[i]);
    if (!same) mechanism_.set(q_, v_);
    return mechanism_;
  }

 private:
  Mechanism mechanism_;
  double q_[7] = {std::numeric_limits<double>::quiet_NaN()}, v_[7] = {};
};

class HandDynamics final : public taut::DynamicsBlock {
 public:
  explicit HandDynamics(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) { stencils_ = {0, 1, 2, 3, 4, 5, 6}; }
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<HandDynamics>(*this); }
  int terms() const override { return 1; }
  int width() const override { return 7; }
  std::string name(int) const override { return "mechanism"; }
  bool constant_mass() const override { return false; }
  bool conservative() const override { return false; }
  double kinetic(const taut::Instant& at) const override {
    taut::Vector p = taut::Vector::Zero(7);
    add(at, 0.5, 0.0, p.data());
    return p.dot(Eigen::Map<const taut::Vector>(at.v, 7));
  }
  double potential(const taut::Instant&) const override { return 0.0; }
  void add(const taut::Instant& at, double momentum, double force, double* out) const override {
    const Mechanism& m = shared_->at(at.q, at.v);
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; momentum != 0.0 && j < 7; ++j) out[i] += momentum * m.M[i][j] * at.v[j];
      out[i] += force * m.f[i];
    }
  }
  void add_inertial(const taut::Instant&, double, double*) const override {}
  void add_slopes(const taut::Instant& at, const taut::SlopeWeights& w, const int* slots, double* values) const override {
    const Mechanism& m = shared_->at(at.q, at.v);
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) values[slots[i * 7 + j]] += w.momentum * w.dv * m.M[i][j];
  }

 private:
  std::shared_ptr<Shared> shared_;
};

class HandConstraints final : public taut::ConstraintBlock {
 public:
  explicit HandConstraints(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
    stencils_ = {0, 1, 2, 3, 4, 5, 6};
  }
  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<HandConstraints>(*this); }
  int terms() const override { return 1; }
  int width() const override { return 7; }
  int rows() const override { return 6; }
  std::string name(int) const override { return "loops"; }
  taut::Set set(int) const override { return taut::Set::zero; }
  void values(double, const double* q, double* g) const override { std::copy_n(shared_->at(q, nullptr).g, 6, g); }
  void rates(const taut::Instant& at, double* rate) const override {
    const Mechanism& m = shared_->at(at.q, nullptr);
    for (int k = 0; k < 6; ++k) {
      rate[k] = 0.0;
      for (int i = 0; i < 7; ++i) rate[k] += m.G[k][i] * at.v[i];
    }
  }
  void accelerations(const taut::Instant& at, double* out) const override {
    std::copy_n(shared_->at(at.q, at.v).gamma, 6, out);
  }
  void add_forces(double, const double* q, const double* lambda, double weight, double* out) const override {
    const Mechanism& m = shared_->at(q, nullptr);
    for (int k = 0; k < 6; ++k)
      for (int i = 0; i < 7; ++i) out[i] += weight * lambda[k] * m.G[k][i];
  }
  void add_gradient(double, const double* q, double weight, const double* row_weight, const int* slots,
                    double* values) const override {
    const Mechanism& m = shared_->at(q, nullptr);
    for (int k = 0; k < 6; ++k)
      for (int i = 0; i < 7; ++i)
        values[slots[k * 7 + i]] += weight * (row_weight == nullptr ? 1.0 : row_weight[k]) * m.G[k][i];
  }
  void add_curvature(double, const double*, const double*, double, const int*, double*) const override {}
  std::unique_ptr<taut::DynamicsBlock> penalized(double) const override { return nullptr; }

 private:
  std::shared_ptr<Shared> shared_;
};

double* data(N_Vector y) { return N_VGetArrayPointer(y); }

/// y = (q, v, λ) in index-1 form; (q, v, λ, μ) in the stabilised form, q′ = v − Gᵀμ with g = 0 and G v = 0.
int residual(double, N_Vector y, N_Vector rates, N_Vector out, void* user) {
  const bool stabilised = *static_cast<const bool*>(user);
  thread_local Mechanism at;
  const double *q = data(y), *v = q + 7, *lambda = q + 14, *mu = q + 20, *dq = data(rates), *dv = dq + 7;
  double* r = data(out);
  at.set(q, v);
  for (int i = 0; i < 7; ++i) {
    r[i] = dq[i] - v[i];
    r[7 + i] = -at.f[i];
    for (int j = 0; j < 7; ++j) r[7 + i] += at.M[i][j] * dv[j];
    for (int k = 0; k < 6; ++k) {
      r[7 + i] += at.G[k][i] * lambda[k];
      if (stabilised) r[i] += at.G[k][i] * mu[k];
    }
  }
  for (int k = 0; k < 6; ++k) {
    double rate = 0.0, bend = at.gamma[k];
    for (int i = 0; i < 7; ++i) rate += at.G[k][i] * v[i], bend += at.G[k][i] * dv[i];
    r[14 + k] = stabilised ? at.g[k] : bend;
    if (stabilised) r[20 + k] = rate;
  }
  return 0;
}

struct Run {
  bool finished = false;
  taut::Vector q{};
};

Run ida(bool stabilised, const taut::State& start, const taut::Vector& a, double tolerance) {
  sundials::Context context;
  const int size = stabilised ? 26 : 20;
  N_Vector y = N_VNew_Serial(size, context), rates = N_VClone(y), id = N_VClone(y), absolute = N_VClone(y);
  N_VConst(0.0, y), N_VConst(0.0, rates), N_VConst(0.0, id);
  for (int i = 0; i < 7; ++i) {
    data(y)[i] = start.q[i], data(y)[7 + i] = start.v[i];
    data(rates)[i] = start.v[i], data(rates)[7 + i] = a[i];
    data(id)[i] = data(id)[7 + i] = 1.0;
  }
  for (int k = 0; k < 6; ++k) data(y)[14 + k] = start.lambda[k];
  // Velocities are some hundreds in size; a wide tolerance spares the multipliers Newton steps, and without it the stabilised form does not start.
  for (int i = 0; i < size; ++i) data(absolute)[i] = (i < 7 ? 1.0 : (i < 14 ? 1e2 : 1e6)) * tolerance;
  void* memory = IDACreate(context);
  SUNMatrix J = SUNDenseMatrix(size, size, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, J, context);
  IDAInit(memory, residual, 0.0, y, rates);
  IDASVtolerances(memory, tolerance, absolute);
  IDASetUserData(memory, &stabilised);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, 1);
  IDASetLinearSolver(memory, solver, J);
  IDASetMaxNumSteps(memory, 200000);
  IDASetStopTime(memory, until);
  double t = 0.0;
  const int flag = IDASolve(memory, until, &t, y, rates, IDA_NORMAL);
  Run run{flag >= 0 && t >= until, Eigen::Map<taut::Vector>(data(y), 7)};
  IDAFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(J);
  for (N_Vector each : {y, rates, id, absolute}) N_VDestroy(each);
  return run;
}

struct Point {
  double error, seconds;
};
struct Method {
  std::string name;
  bool own;
  std::function<Run(double)> run;
  std::vector<Point> points{};

  /// The fastest run that is at least so accurate; infinite if there is none.
  double seconds(double accuracy) const {
    double best = std::numeric_limits<double>::infinity();
    for (const Point& one : points)
      if (one.error <= accuracy) best = std::min(best, one.seconds);
    return best;
  }
};

void plot(const std::vector<Method>& methods, const std::string& path) {
  std::ofstream script(path + ".gnuplot");
  script << "set terminal svg size 800,560\nset output '" << path << "'\nset logscale xy\nset key outside\n"
         << "set xlabel 'error of q at t = 0.03'\nset ylabel 'ms'\nset format x '10^{%L}'\nset title 'Seven-body "
            "mechanism'\nplot ";
  for (std::size_t k = 0; k < methods.size(); ++k)
    script << (k > 0 ? ", " : "") << "'-' with linespoints title '" << methods[k].name << "'";
  script << "\n";
  for (const Method& method : methods) {
    for (const Point& one : method.points) script << one.error << " " << 1e3 * one.seconds << "\n";
    script << "e\n";
  }
  script.close();
  const bool drawn = std::system(("gnuplot " + path + ".gnuplot").c_str()) == 0;
  std::printf("%s\n", drawn ? path.c_str() : (path + ".gnuplot (gnuplot draws it)").c_str());
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::printf("benchmark_andrews CASES [PLOT.svg]: needs the folder with andrews.yaml.\n");
    return 2;
  }
  const taut::ModelFile model = taut::read_model(std::string(arguments[1]) + "/andrews.yaml");
  taut::State start = model.start.state;
  taut::Vector a = taut::Vector::Zero(7);
  start.lambda = taut::Vector::Zero(6);
  taut::IndexOne(model.system, taut::Multipliers{}).accelerate(instant(start), a, start.lambda);
  taut::System by_hand(7);
  const auto shared = std::make_shared<Shared>();
  by_hand.add_block(std::make_unique<HandDynamics>(shared));
  by_hand.add_block(std::make_unique<HandConstraints>(shared));
  const auto own = [&](const taut::Integrator& scheme, bool hand = false) {
    const taut::System& system = hand ? by_hand : model.system;
    return [&model, &system, scheme](double rtol) {
      const auto path =
          taut::simulate(system, model.start.state, scheme, taut::Multipliers{}, {.end = until, .rtol = rtol, .every = 0});
      return Run{path.finished(), path.last.q};
    };
  };
  const taut::Vector exact = taut::simulate(model.system, model.start.state, taut::integrator_named("dop853"),
                                            taut::Multipliers{}, {.step = until / 4000, .end = until, .every = 0})
                                 .last.q;
  std::vector<Method> methods{{"taut dopri5", true, own(taut::RungeKutta{taut::dormand_prince5()})},
                              {"taut dop853", true, own(taut::RungeKutta{taut::dormand_prince8()})},
                              {"dopri5, by hand", true, own(taut::RungeKutta{taut::dormand_prince5()}, true)},
                              {"dop853, by hand", true, own(taut::RungeKutta{taut::dormand_prince8()}, true)},
                              {"taut spark3", true, own(taut::Spark{.stages = 3, .embedded = true})},
                              {"taut spark4", true, own(taut::Spark{.stages = 4, .embedded = true})},
                              {"IDA, index 1", false, [&](double tolerance) { return ida(false, start, a, tolerance); }},
                              {"IDA, GGL", false, [&](double tolerance) { return ida(true, start, a, tolerance); }}};
  std::printf("%s\n", processor().c_str());
  print_sundials();
  for (Method& method : methods)
    for (double tolerance = 1e-3; tolerance > 0.9e-13; tolerance /= std::sqrt(10.0)) {
      const Run run = method.run(tolerance);
      if (!run.finished) continue;
      method.points.push_back({(run.q - exact).lpNorm<Eigen::Infinity>(), best_seconds([&] { method.run(tolerance); })});
    }
  std::printf("ms to an error of q at t = 0.03 of at most\n%-16s", "");
  for (int digits = 4; digits <= 10; ++digits) std::printf("    1e-%02d", digits);
  for (const Method& method : methods) {
    std::printf("\n%-16s", method.name.c_str());
    for (int digits = 4; digits <= 10; ++digits) std::printf(" %8.2f", 1e3 * method.seconds(std::pow(10.0, -digits)));
  }
  std::printf("\n%-16s", "IDA / taut");
  for (int digits = 4; digits <= 10; ++digits) {
    double mine = 1e300, theirs = std::numeric_limits<double>::infinity();
    for (const Method& method : methods)
      (method.own ? mine : theirs) = std::min(method.own ? mine : theirs, method.seconds(std::pow(10.0, -digits)));
    std::printf(" %8.1f", theirs / mine);
  }
  std::printf("\n");
  if (count > 2) plot(methods, arguments[2]);
}
