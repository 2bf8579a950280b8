#include <Eigen/LU>
#include <algorithm>
#include <taut/linalg/complementarity.hpp>

namespace taut {
namespace {

/// More do not pay: what is left are contacts that share a load, which sweeps hand on from one to the next.
constexpr int sweeps = 100;

/// So often all wrong rows change at once without their number falling.
constexpr int rounds_without_gain = 8;

}  // namespace

std::vector<char> complementary_rows(const Eigen::MatrixXd& M, const Eigen::VectorXd& b) {
  const Eigen::Index n = b.size();
  Eigen::VectorXd u = Eigen::VectorXd::Zero(n), w = b;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!(M(i, i) > 0.0)) continue;
      const double next = std::max(0.0, u[i] - w[i] / M(i, i)), change = next - u[i];
      if (change == 0.0) continue;
      u[i] = next;
      w += change * M.col(i);
    }
  std::vector<char> on(static_cast<std::size_t>(n), 0);
  for (Eigen::Index i = 0; i < n; ++i) on[std::size_t(i)] = u[i] > 0.0 ? 1 : 0;

  Eigen::Index fewest = n + 1;
  int left = rounds_without_gain;
  const Eigen::Index most = n <= 200 ? 4 * n + 100 : 60;  // each costs n³
  for (Eigen::Index round = 0; round < most; ++round) {
    std::vector<Eigen::Index> held;
    for (Eigen::Index i = 0; i < n; ++i)
      if (on[std::size_t(i)] != 0) held.push_back(i);
    const Eigen::VectorXd part = M(held, held).partialPivLu().solve(-b(held));
    u.setZero();
    u(held) = part;
    w = b + M * u;
    const double least_u = 1e-12 * u.lpNorm<Eigen::Infinity>(), least_w = 1e-12 * b.lpNorm<Eigen::Infinity>();
    std::vector<std::size_t> wrong;
    for (Eigen::Index i = 0; i < n; ++i)
      if (on[std::size_t(i)] != 0 ? u[i] < -least_u : w[i] < -least_w) wrong.push_back(std::size_t(i));
    if (wrong.empty()) break;
    if (Eigen::Index(wrong.size()) < fewest) {
      fewest = Eigen::Index(wrong.size());
      left = rounds_without_gain;
    } else if (--left < 0) {
      wrong.assign(1, wrong.back());
    }
    for (const std::size_t i : wrong) on[i] = on[i] != 0 ? 0 : 1;
  }
  return on;
}

}  // namespace taut
