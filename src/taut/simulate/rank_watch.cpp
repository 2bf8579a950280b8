#include <algorithm>
#include <cmath>
#include <taut/simulate/rank_watch.hpp>

namespace taut {
namespace {

constexpr double most_work = 20'000;  // multiplications for one look

/// Squared sines below this are those of rows that repeat others, up to round-off.
constexpr double repeated = 1e-16;

/// Below this share of the largest seen the measure has gone through zero.
constexpr double lost = 1e-3;

}  // namespace

RankWatch::RankWatch(const System& system, const State& start)
    : system_(system), n_(system.size()), m_(system.constraint_count()) {
  on_ = m_ > 0 && double(m_) * m_ * n_ <= most_work;
  if (!on_) return;
  G_.resize(std::size_t(m_) * n_);
  gram_.resize(std::size_t(m_) * m_);
  int row = 0;
  for (const auto& block : system.constraints()) {
    slots_.push_back(gradient_slots(*block, row, [&](int r, int column) { return r * n_ + column; }));
    row += block->terms() * block->rows();
  }
  counts_.assign(std::size_t(m_), 1);
  before_ = largest_ = measure(start.t, start.q);
  if (before_ > 1e-6) return;
  // Some repeat others here: those count from now on that do not.
  for (int i = 0; i < m_; ++i) counts_[std::size_t(i)] = gram_[std::size_t(i) * m_ + i] > 1e-10 ? 1 : 0;
  before_ = largest_ = measure(start.t, start.q);
}

/// Pivots of the LDLᵀ factors of the Gram matrix of the rows, scaled to length one: pivot i is the squared distance of row i to the span of those before it.
double RankWatch::measure(double t, const Vector& q) {
  std::fill(G_.begin(), G_.end(), 0.0);
  for (std::size_t k = 0; k < slots_.size(); ++k)
    system_.constraints()[k]->add_gradient(t, q.data(), 1.0, nullptr, slots_[k].data(), G_.data());
  const auto entry = [&](int i, int j) -> double& { return gram_[std::size_t(i) * m_ + j]; };
  for (int i = 0; i < m_; ++i) {
    Eigen::Map<Vector> row(G_.data() + std::size_t(i) * n_, n_);
    const double length = row.norm();
    if (length > 0.0) row /= length;
    for (int j = 0; j <= i; ++j) entry(i, j) = row.dot(Eigen::Map<const Vector>(G_.data() + std::size_t(j) * n_, n_));
  }
  double smallest = 1.0;
  for (int j = 0; j < m_; ++j) {
    const double pivot = entry(j, j);
    if (counts_[std::size_t(j)] != 0) smallest = std::min(smallest, pivot);
    if (pivot <= repeated) continue;
    for (int i = j + 1; i < m_; ++i) {
      const double share = entry(i, j) / pivot;
      for (int k = j + 1; k <= i; ++k) entry(i, k) -= share * entry(k, j);
    }
  }
  return smallest > 0.0 ? std::sqrt(smallest) : 0.0;
}

std::optional<double> RankWatch::look(const State& before, const State& after) {
  if (!on_) return std::nullopt;
  const double first = before_, last = measure(after.t, after.q), h = after.t - before.t;
  before_ = last;
  largest_ = std::max(largest_, last);
  const double ends = std::max(first, last);
  if (ends >= 0.7 * largest_) return std::nullopt;
  const auto at = [&](double x) {
    const double y = 1.0 - x;
    q_ = (y * y * (1.0 + 2.0 * x)) * before.q + (x * x * (3.0 - 2.0 * x)) * after.q + (h * x * y * y) * before.v -
         (h * x * x * y) * after.v;
    return measure(before.t + x * h, q_);
  };
  double place = first < last ? 0.0 : 1.0, least = std::min(first, last);
  for (const double x : {0.25, 0.5, 0.75})
    if (const double here = at(x); here < least) least = here, place = x;
  if (least > 0.5 * ends) return std::nullopt;
  // The smallest value around there.
  double low = std::max(place - 0.25, 0.0), high = std::min(place + 0.25, 1.0);
  for (int i = 0; i < 40 && least > 0.1 * lost * largest_; ++i) {
    const double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low), fa = at(a), fb = at(b);
    (fa < fb ? high : low) = fa < fb ? b : a;
    least = std::min({least, fa, fb});
  }
  if (least > lost * largest_) return std::nullopt;
  return before.t + 0.5 * (low + high) * h;
}

std::vector<double> RankWatch::save() const {
  if (!on_) return {};
  std::vector<double> out{before_, largest_};
  out.insert(out.end(), counts_.begin(), counts_.end());
  return out;
}

void RankWatch::load(const double* saved) {
  if (!on_) return;
  before_ = saved[0];
  largest_ = saved[1];
  std::copy_n(saved + 2, counts_.size(), counts_.begin());
}

}  // namespace taut
