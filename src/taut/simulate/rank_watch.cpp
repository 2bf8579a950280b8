#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/rank_watch.hpp>

namespace taut {
namespace {

constexpr double most_work = 100'000;  // multiplications for one look
constexpr int most_rows = 600;

/// Squared sines below this are those of rows that repeat others, up to round-off.
constexpr double repeated = 1e-16;

/// Below this share of the largest seen the measure has gone through zero.
constexpr double lost = 1e-3;

/// Rows that repeat others everywhere do so along every velocity that they admit. In a singular position they part at once: with μᵀG = 0 and Gv = 0 there
/// is a v for which μᵀ(d²g/dt²) is not zero, and the mechanism cannot go on that way. Where there is none for which it is zero, it cannot go at all.
RankWatch::Beginning beginning_at(const System& system, const State& state, const std::vector<char>& equal) {
  constexpr Eigen::Index most_free = 20;
  if (!system.holonomic()) return {};
  Eigen::MatrixXd G = system.constraint_gradient(state.t, state.q);
  Vector scale = G.rowwise().norm();
  for (Eigen::Index i = 0; i < scale.size(); ++i)
    scale[i] = equal[std::size_t(i)] != 0 && scale[i] > 0.0 ? 1.0 / scale[i] : 0.0;
  G = scale.asDiagonal() * G;
  Eigen::JacobiSVD<Eigen::MatrixXd> parts(G, Eigen::ComputeFullU | Eigen::ComputeFullV);
  parts.setThreshold(1e-7);
  const Eigen::Index rank = parts.rank(), free = G.cols() - rank;
  const Eigen::MatrixXd along = parts.matrixV().rightCols(free), across = parts.matrixU().rightCols(G.rows() - rank);
  const double size = ConfigurationSize{}.of(system, state), e = 1e-4 * size;
  const auto bend = [&](const Vector& v) {
    const auto rates = [&](double far) {
      const Vector q = state.q + far * v;
      return Vector(scale.cwiseProduct(system.constraint_rates({state.t, q.data(), v.data()})));
    };
    return Vector((rates(e) - rates(-e)) / (2.0 * e));
  };
  RankWatch::Beginning out;
  for (int sample = 0; sample < 3 && free > 0; ++sample) {
    Vector shares(free);
    for (Eigen::Index k = 0; k < free; ++k) shares[k] = std::cos(1.0 + 1.9 * sample + 2.3 * double(k));
    const Vector bent = bend((along * shares).normalized());
    if (bent.norm() * size < 1e-6) continue;  // straight, but for round-off
    if ((across.transpose() * bent).norm() > 1e-4 * bent.norm()) out.singular = true;
  }
  if (!out.singular || free > most_free) return out;
  // μᵀ(d²g/dt²) as a form in the free velocities, for each μ.
  std::vector<Eigen::MatrixXd> forms(std::size_t(across.cols()), Eigen::MatrixXd::Zero(free, free));
  for (Eigen::Index i = 0; i < free; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Vector parts_of = across.transpose() * (bend(along.col(i) + along.col(j)) - bend(along.col(i) - along.col(j)));
      for (std::size_t k = 0; k < forms.size(); ++k) forms[k](i, j) = forms[k](j, i) = 0.25 * parts_of[Eigen::Index(k)];
    }
  out.locked = std::any_of(forms.begin(), forms.end(), [](const Eigen::MatrixXd& form) {
    const Vector found = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(form, Eigen::EigenvaluesOnly).eigenvalues();
    const double low = found.minCoeff(), high = found.maxCoeff();
    return low * high > 0.0 && std::min(std::abs(low), std::abs(high)) > 1e-6 * std::max(std::abs(low), std::abs(high));
  });
  return out;
}

}  // namespace

RankWatch::RankWatch(const System& system, const State& start) : n_(system.size()), m_(system.constraint_count()) {
  on_ = m_ > 0 && m_ <= most_rows && write_down(system);
  if (!on_) return;
  blocks_.emplace(system, n_);
  rest_ = Vector::Zero(n_);
  G_.resize(std::size_t(m_) * n_);
  if (blocks_->distinct)
    for (const FlatBlocks::Rows& rows : blocks_->constraints)
      requests_.push_back({rows.block, {.gradient = G_.data(), .slots = rows.slots.data()}});
  gram_.resize(std::size_t(m_) * m_);
  squares_.resize(std::size_t(m_));
  sines_.resize(std::size_t(m_));
  for (const Set set : system.sets()) equal_.push_back(set == Set::zero ? 1 : 0);
  counts_ = equal_;
  before_ = largest_ = measure(start.t, start.q);
  if (before_ > 1e-6) return;
  // Some repeat others here: those count from now on that do not.
  for (int i = 0; i < m_; ++i)
    counts_[std::size_t(i)] = equal_[std::size_t(i)] != 0 && sines_[std::size_t(i)] > 1e-10 ? 1 : 0;
  on_ = std::pow(double(m_), 3) / 6.0 <= most_work;  // by pivots, zeros fill up
  if (!on_) return;
  before_ = largest_ = measure(start.t, start.q);
  beginning_ = beginning_at(system, start, equal_);
}

/// Destroys the Gram matrix.
double RankWatch::in_order_of_pivots() {
  double* gram = gram_.data();
  const auto entry = [&](int i, int j) -> double& { return gram[std::max(i, j) * m_ + std::min(i, j)]; };
  const auto sine = [&](int i) { return squares_[std::size_t(i)] > 0.0 ? entry(i, i) / squares_[std::size_t(i)] : 0.0; };
  left_.clear();
  for (int i = 0; i < m_; ++i)
    if (equal_[std::size_t(i)] != 0) left_.push_back(i);
  double last = 1.0;
  for (int count = rank(); count > 0; --count) {
    const auto best = std::max_element(left_.begin(), left_.end(), [&](int i, int j) { return sine(i) < sine(j); });
    const int pivot = *best;
    last = sine(pivot);
    if (!(last > 0.0)) return 0.0;
    *best = left_.back();
    left_.pop_back();
    const double value = entry(pivot, pivot);
    for (const int i : left_) {
      const double share = entry(i, pivot) / value;
      if (share == 0.0) continue;
      for (const int k : left_)
        if (k <= i) entry(i, k) -= share * entry(k, pivot);
    }
  }
  return std::sqrt(std::min(last, 1.0));
}

/// Which entries of the Gram matrix and of its factor are there; whether they are few enough.
bool RankWatch::write_down(const System& system) {
  std::vector<std::vector<int>> rows(std::size_t(m_), std::vector<int>{}), holders(std::size_t(n_), std::vector<int>{});
  int first = 0;
  for (const auto& block : system.constraints()) {
    gradient_slots(*block, first, [&](int row, int coordinate) {
      rows[std::size_t(row)].push_back(coordinate);
      return 0;
    });
    first += block->terms() * block->rows();
  }
  double work = 0.0;
  std::vector<std::vector<int>> below(std::size_t(m_), std::vector<int>{});
  for (int i = 0; i < m_; ++i) {
    auto& mine = rows[std::size_t(i)];
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    columns_.all.insert(columns_.all.end(), mine.begin(), mine.end());
    columns_.end();
    std::vector<int> near;
    for (const int coordinate : mine) {
      auto& others = holders[std::size_t(coordinate)];
      near.insert(near.end(), others.begin(), others.end());
      others.push_back(i);
      if (double(near.size()) > most_work) return false;
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const int j : near) below[std::size_t(j)].push_back(i);
    near_.all.insert(near_.all.end(), near.begin(), near.end());
    near_.end();
    work += double(near.size() + 1) * double(mine.size());
  }
  // Elimination of a row joins all that are below it: it is enough to hand them on to the first of these.
  for (int j = 0; j < m_ && work <= most_work; ++j) {
    auto& mine = below[std::size_t(j)];
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    if (!mine.empty()) {
      auto& next = below[std::size_t(mine.front())];
      next.insert(next.end(), mine.begin() + 1, mine.end());
    }
    below_.all.insert(below_.all.end(), mine.begin(), mine.end());
    below_.end();
    work += 0.5 * double(mine.size()) * double(mine.size() + 1);
  }
  return work <= most_work;
}

/// Pivots of the LDLᵀ factors of the Gram matrix of the rows, each over its diagonal entry: that of row i is the squared sine of its angle to the span of
/// those before it.
double RankWatch::measure(double t, const Vector& q) {
  const Instant at{t, q.data(), rest_.data()};
  if (requests_.empty()) {
    blocks_->linearize(at, nullptr, nullptr, G_.data());
  } else {
    for (const Request& one : requests_) one.block->linearize(at, one.gradient);
  }
  double *gram = gram_.data(), smallest = 1.0;
  const bool repeats = counts_ != equal_;
  if (repeats) std::fill(gram_.begin(), gram_.end(), 0.0);
  for (int j = 0; j < m_; ++j)
    for (const int* i = below_.begin(j); i != below_.end(j); ++i) gram[*i * m_ + j] = 0.0;
  for (int i = 0; i < m_; ++i) {
    const double* a = G_.data() + std::ptrdiff_t(i) * n_;
    const auto product = [&](int j) {
      const double* b = G_.data() + std::ptrdiff_t(j) * n_;
      double sum = 0.0;
      for (const int* k = columns_.begin(i); k != columns_.end(i); ++k) sum += a[*k] * b[*k];
      return sum;
    };
    gram[i * m_ + i] = product(i);
    for (const int* j = near_.begin(i); j != near_.end(i); ++j) gram[i * m_ + *j] = product(*j);
  }
  if (m_ == 2 && counts_[0] != 0 && counts_[1] != 0 && gram[0] > 0.0 &&
      gram[3] > 0.0) {  // as most small ones: without a loop
    const double sine = sines_[1] = 1.0 - gram[2] * gram[2] / (gram[0] * gram[3]);
    sines_[0] = 1.0;
    return sine > 0.0 ? std::sqrt(std::min(sine, 1.0)) : 0.0;
  }
  for (int j = 0; j < m_; ++j) squares_[j] = gram[j * m_ + j];
  if (repeats) return in_order_of_pivots();
  for (int j = 0; j < m_; ++j) {
    const double pivot = gram[j * m_ + j], sine = squares_[j] > 0.0 ? pivot / squares_[j] : 0.0;
    sines_[j] = sine;
    if (counts_[j] != 0) smallest = std::min(smallest, sine);
    if (sine <= repeated || equal_[j] == 0) continue;
    for (const int* i = below_.begin(j); i != below_.end(j); ++i) {
      const double share = gram[*i * m_ + j] / pivot;
      for (const int* k = below_.begin(j); k <= i; ++k) gram[*i * m_ + *k] -= share * gram[*k * m_ + j];
    }
  }
  return smallest > 0.0 ? std::sqrt(smallest) : 0.0;
}

/// How many steps are left out before the next look: twice as many as before, but few, and only as long as no angle has changed so much in them that ten
/// times as many would come near to a loss.
void RankWatch::rest_or_not() {
  constexpr int longest = 3;
  bool rests = counts_ == equal_ && before_ >= 0.8 * largest_ && seen_.size() == sines_.size();
  for (std::size_t i = 0; i < seen_.size() && rests; ++i) rests = 10.0 * std::abs(sines_[i] - seen_[i]) <= sines_[i];
  pause_ = rests ? std::min(2 * pause_ + 1, longest) : 0;
  left_out_ = pause_;
  seen_ = sines_;
}

std::optional<double> RankWatch::look_into(const State& before, const State& after) {
  const double first = before_, last = measure(after.t, after.q), h = after.t - before.t;
  before_ = last;
  largest_ = std::max(largest_, last);
  rest_or_not();
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
  wake();
  std::copy_n(saved + 2, counts_.size(), counts_.begin());
}

}  // namespace taut
