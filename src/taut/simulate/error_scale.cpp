#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/simulate/error_scale.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {
namespace {

constexpr double machine_epsilon = std::numeric_limits<double>::epsilon();

/// A group whose coordinates stay below this share of the largest there are is measured by that share: what is that small is round-off of the others,
/// or of no matter beside them.
constexpr double smallest_scale = 1e-6;

double largest(const std::vector<double>& of) { return of.empty() ? 0.0 : *std::max_element(of.begin(), of.end()); }

}  // namespace

std::vector<ToleranceGroup> natural_groups(const System& system) {
  const int n = system.size(), dim = system.points() ? system.points()->dim : 1;
  std::vector<char> taken(std::size_t(n), 0);
  std::vector<ToleranceGroup> groups;
  for (const std::set<int>* vectors : {&system.places(), &system.directions()}) {
    ToleranceGroup group;
    for (const int first : *vectors)
      for (int k = first; k < std::min(first + dim, n); ++k)
        if (taken[k]++ == 0) group.coordinates.push_back(k);
    if (!group.coordinates.empty()) groups.push_back(std::move(group));
  }
  for (int i = 0; i < n; ++i)
    if (taken[i] == 0) groups.push_back({.coordinates = {i}});
  return groups;
}

ErrorScale::ErrorScale(const System& system, const SimulateOptions& options)
    : system_(&system), group_(std::size_t(system.size()), -1) {
  const auto add = [&](const ToleranceGroup& group) {
    const int number = int(tolerances_.size());
    int count = 0;
    for (const int i : group.coordinates) {
      require(i >= 0 && i < system.size(), "simulate: tolerances name the coordinate {}, and there are {}.", i,
              system.size());
      if (group_[i] >= 0) continue;
      group_[i] = number;
      ++count;
    }
    if (count == 0) return;
    const bool own = group.rtol > 0.0 || group.atol > 0.0;
    tolerances_.push_back({own ? group.rtol : options.rtol, own ? group.atol : options.atol});
  };
  for (const ToleranceGroup& group : options.tolerances) add(group);
  for (const ToleranceGroup& group : natural_groups(system)) add(group);
  if (!system.places().empty()) places_ = group_[std::size_t(*system.places().begin())];
  for (std::vector<double>* one : {&q_, &v_, &q_now_, &v_now_, &q_sum_, &v_sum_}) one->assign(tolerances_.size(), 0.0);
}

void ErrorScale::see(const State& state) {
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const int g = group_[i];
    q_[g] = std::max(q_[g], std::abs(state.q[Eigen::Index(i)]));
    v_[g] = std::max(v_[g], std::abs(state.v[Eigen::Index(i)]));
  }
}

void ErrorScale::forget() {
  std::fill(v_.begin(), v_.end(), 0.0);
  if (places_ >= 0 && system_->constraint_count() > 0) q_[std::size_t(places_)] = 0.0;
}

double ErrorScale::size(const State& before, const State& after, const Vector& error, double h, double share) {
  const Eigen::Index n = after.q.size();
  q_now_ = q_;
  v_now_ = v_;
  std::fill(q_sum_.begin(), q_sum_.end(), 0.0);
  std::fill(v_sum_.begin(), v_sum_.end(), 0.0);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int g = group_[std::size_t(i)];
    q_now_[g] = std::max(q_now_[g], std::abs(after.q[i]));
    v_now_[g] = std::max(v_now_[g], std::abs(after.v[i]));
    q_sum_[g] += error[i] * error[i];
    v_sum_[g] += error[n + i] * error[n + i];
  }
  // Lengths of rods count as places do: what hangs through the origin is no smaller for that.
  const double lengths = size_.of(*system_, before);
  if (places_ >= 0) q_now_[std::size_t(places_)] = std::max(q_now_[std::size_t(places_)], lengths);
  const double q = largest(q_now_), v = largest(v_now_);
  // What round-off hides is no error: that of q, and in v what it becomes over the step.
  const double q_noise = 4.0 * machine_epsilon * std::max(q, lengths);
  const double v_noise = 4.0 * machine_epsilon * v + q_noise / std::abs(h);
  const double expected = expected_a_ * std::abs(h) + expected_v_;
  double all = 0.0;
  for (std::size_t g = 0; g < tolerances_.size(); ++g) {
    const auto& [rtol, atol] = tolerances_[g];
    const double in_q = share * (atol + rtol * std::max({q_now_[g], smallest_scale * q, expected * length_})) + q_noise;
    const double in_v = share * (atol + rtol * std::max({v_now_[g], smallest_scale * v, expected})) + v_noise;
    const double sum = (in_q > 0.0 ? q_sum_[g] / (in_q * in_q) : 0.0) + (in_v > 0.0 ? v_sum_[g] / (in_v * in_v) : 0.0);
    if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
    all += sum;
  }
  return std::sqrt(all / (2.0 * double(n)));
}

std::vector<double> ErrorScale::save() const {
  std::vector<double> out = q_;
  out.insert(out.end(), v_.begin(), v_.end());
  out.insert(out.end(), {expected_a_, expected_v_, length_});
  return out;
}

void ErrorScale::load(const double* saved) {
  std::copy_n(saved, q_.size(), q_.begin());
  std::copy_n(saved + q_.size(), v_.size(), v_.begin());
  const double* rest = saved + 2 * q_.size();
  expected_a_ = rest[0];
  expected_v_ = rest[1];
  length_ = rest[2];
  size_ = {};
}

}  // namespace taut
