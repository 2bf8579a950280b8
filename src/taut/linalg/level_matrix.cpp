#include <algorithm>
#include <array>
#include <cmath>
#include <taut/linalg/level_matrix.hpp>
#include <taut/linalg/small_dense.hpp>

namespace taut {
namespace {

using small::add_product, small::set_product, small::eliminate_rows, small::invert_in_place, small::count_of,
    small::widest_level;
template <int N> using Few = small::Few<N>;

/// Below this a solution is put to the test, which it must pass to so much of each row.
constexpr double test_below = 1e-6, test_passed = 1e-9;

/// Wider ones fill in more than a sparse factor does.
constexpr int widest_band = 40;

/// Factors of the whole after which levels are tried again.
constexpr int patience_with_whole = 20;

}  // namespace

/// Numbers that the compiler knows: plain, touched, own. Those of any level otherwise.
template <int U, int T, int M> struct LevelMatrix::Shape {
  static constexpr bool fixed = U >= 0;
  static constexpr int plain = U, touched = T, acting = M;
  static constexpr int inner = fixed ? U + T : -1, kept = fixed ? U + T - M : -1, free = fixed ? T - M : -1;
};

template <class Action> auto LevelMatrix::shaped(bool regular, const Action& action) {
  if (regular && plain_ == 4) return action(Shape<4, 9, 6>{});
  if (regular && plain_ == 3) return action(Shape<3, 9, 6>{});
  return action(Shape<-1, -1, -1>{});
}

LevelMatrix::LevelMatrix(std::shared_ptr<const Layout> given) : Matrix(std::move(given)) {
  const auto& levels = layout_->levels()->levels();
  std::array<int, 5> regular{};
  for (const Levels::Level& one : levels)
    if (one.touched == 9 && one.own == 6 && one.plain <= 4) ++regular[std::size_t(one.plain)];
  plain_ = regular[4] > regular[3] ? 4 : regular[3] > 0 ? 3 : 0;
  parts_.resize(levels.size());
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Levels::Level& level = levels[k];
    Part& part = parts_[k];
    const int inner = level.inner(), next = k + 1 < levels.size() ? levels[k + 1].inner() : 0;
    part.plain = level.plain;
    part.touched = level.touched;
    part.own = part.acting = level.own;
    part.first = level.first;
    part.diagonal = level.start;
    part.upper = part.diagonal + inner * inner;
    part.lower = part.upper + inner * next;
    part.C = part.lower + inner * next;
    part.B = part.C + level.own * level.touched;
    part.D = part.B + level.own * level.touched;
  }
  const std::size_t size(layout_->size());
  resting_.assign(size, 0);
  y_.resize(size);
  own_.resize(size);
  z_.resize(size);
  rows_.resize(size);
  columns_.resize(size);
}

/// Which own rows hold; false where one is soft.
bool LevelMatrix::find_acting(Part& part) {
  part.acting = part.own;
  for (int r = 0; r < part.own; ++r) {
    char& resting = resting_[std::size_t(part.first + part.inner() + r)];
    resting = 0;
    if (values_[std::size_t(part.D + r)] == 0.0) continue;
    for (int j = 0; j < part.touched; ++j)
      if (values_[std::size_t(part.C + r + part.own * j)] != 0.0) return false;
    resting = 1;
    --part.acting;
  }
  return true;
}

/// The room of each factor, in the order in which solutions read them; false where own rows are soft.
bool LevelMatrix::arrange() {
  std::ptrdiff_t room = 0;
  const auto take = [&](int rows, int columns) {
    const std::ptrdiff_t here = room;
    room += std::ptrdiff_t(rows) * columns;
    return here;
  };
  for (Part& part : parts_) {
    if (!find_acting(part)) return false;
    part.regular = plain_ > 0 && part.plain == plain_ && part.touched == 9 && part.own == 6 && part.acting == 6;
  }
  const std::size_t count = parts_.size();
  for (std::size_t k = 0; k < count; ++k) {  // forward
    Part& part = parts_[k];
    part.among = part.regular && (k == 0 || parts_[k - 1].regular) && (k + 1 == count || parts_[k + 1].regular);
    part.given = take(part.acting, part.acting);
    part.at_diagonal = take(part.inner(), part.acting);
    part.at_upper = take(part.inner(), k + 1 < count ? parts_[k + 1].acting : 0);
    part.at_lower = take(part.inner(), k > 0 ? parts_[k - 1].acting : 0);
    part.left = take(part.touched, part.acting);
    if (k > 0) parts_[k - 1].below = take(part.kept(), parts_[k - 1].kept());
  }
  for (std::size_t k = count; k-- > 0;) {  // backward
    Part& part = parts_[k];
    const bool last = k + 1 == count;
    part.above = take(part.inner(), last ? 0 : parts_[k + 1].kept());
    part.block = take(part.inner(), part.kept());
    part.under = take(last ? 0 : parts_[k + 1].acting, part.kept());
    part.right = take(part.acting, part.free());
  }
  if (factors_.size() < std::size_t(room)) factors_.resize(std::size_t(room));
  return true;
}

/// N, Y and [L X]ᵀ of a level, of which the rows of what is free are those of the unit matrix; [L X]ᵀA N with itself.
template <class S> bool LevelMatrix::condense(Part& part) {
  const int t = count_of<S::touched>(part.touched), m = count_of<S::acting>(part.acting), f = t - m, wide = t + m;
  const double* values = values_.data();
  std::array<int, widest_level> used;
  std::array<double,
             S::fixed ? std::size_t(S::acting * (S::touched + S::acting)) : std::size_t(2 * widest_level * widest_level)>
      rows;
  double worst = 1.0;
  for (const bool forces : {false, true}) {
    for (int r = 0, at = 0; r < part.own; ++r) {
      if (!S::fixed && resting_[std::size_t(part.first + part.inner() + r)] != 0) continue;
      double* row = rows.data() + at * wide;
      for (int j = 0; j < t; ++j) row[j] = forces ? values[part.B + j + t * r] : values[part.C + r + part.own * j];
      std::fill_n(row + t, m, 0.0);
      row[t + at++] = 1.0;
    }
    worst = std::min(worst, eliminate_rows<S::touched, S::acting>(rows.data(), t, m, used.data()));
    if (!(worst > 0.0)) break;
    unsigned char* order = (forces ? rows_ : columns_).data() + part.first;
    for (int j = 0, free = 0; j < t; ++j)
      order[used[std::size_t(j)] < 0 ? free++ : f + used[std::size_t(j)]] = static_cast<unsigned char>(j);
    double *right = room(part.right), *given = room(part.given), *left = room(part.left);
    for (int r = 0; r < m; ++r) {
      const double* row = rows.data() + r * wide;
      for (int j = 0; j < f; ++j) (forces ? left[j + t * r] : right[r + m * j]) = -row[order[j]];
      for (int i = 0; i < m; ++i) (forces ? left[f + i + t * r] : given[r + m * i]) = row[t + i];
    }
  }
  pivot_ratio_ = std::min(pivot_ratio_, worst);
  if (!(worst > 0.0)) return false;
  transform<S>(values + part.diagonal, part, part, room(part.at_diagonal), room(part.block));
  return true;
}

/// out = [1, [L X]ᵀ] A [1, N]: rows of one level, columns of another or the same. The columns of A that are not free are kept.
template <class S>
void LevelMatrix::transform(const double* A, const Part& rows, const Part& columns, double* held, double* out) {
  const int u = count_of<S::plain>(rows.plain), t = count_of<S::touched>(rows.touched), f = count_of<S::free>(rows.free()),
            m = count_of<S::acting>(rows.acting), v = count_of<S::plain>(columns.plain),
            g = count_of<S::free>(columns.free()), n = count_of<S::acting>(columns.acting), inner = u + t;
  const unsigned char *row = rows_.data() + rows.first, *column = columns_.data() + columns.first;
  const double* touched = A + inner * v;
  // A [1, N], then the rows touched.
  std::array<double, S::fixed ? std::size_t(S::inner * S::kept) : std::size_t(widest_level * widest_level)> half;
  std::copy_n(A, inner * v, half.data());
  for (int c = 0; c < g; ++c) std::copy_n(touched + inner * column[c], inner, half.data() + inner * (v + c));
  for (int c = 0; c < n; ++c) std::copy_n(touched + inner * column[g + c], inner, held + inner * c);
  set_product<S::inner, S::acting>(held, inner, inner, n, room(columns.right), n, g, half.data() + inner * v, inner, true);
  for (int c = 0; c < v + g; ++c) {
    const double* from = half.data() + inner * c;
    double* to = out + inner * c;
    Few<S::acting> rest;
    std::copy_n(from, u, to);
    for (int i = 0; i < f; ++i) to[u + i] = from[u + row[i]];
    std::fill_n(to + u + f, m, 0.0);
    for (int i = 0; i < m; ++i) rest[std::size_t(i)] = from[u + row[f + i]];
    add_product<S::touched, S::acting>(room(rows.left), t, t, m, rest.data(), to + u);
  }
}

/// The same between a level and the next.
template <class S> void LevelMatrix::couple(Part& part, const Part& next) {
  const int inner = count_of<S::inner>(next.inner()), n = count_of<S::kept>(next.kept()), k = count_of<S::kept>(part.kept());
  transform<S>(values_.data() + part.upper, part, next, room(part.at_upper), room(part.above));
  std::array<double, S::fixed ? std::size_t(S::inner * S::kept) : std::size_t(widest_level * widest_level)> both;
  transform<S>(values_.data() + part.lower, next, part, room(next.at_lower), both.data());
  for (int c = 0; c < k; ++c)
    std::copy(both.data() + inner * c + n, both.data() + inner * (c + 1), room(part.under) + (inner - n) * c);
  // What the next level loses goes through the inverse of this one.
  set_product<S::kept, S::kept>(both.data(), inner, n, k, room(part.block), part.inner(), k, room(part.below), n);
}

/// The block of a level less what the level before takes, inverted.
template <class S> bool LevelMatrix::invert(Part& part, const Part* before) {
  const int n = count_of<S::kept>(part.kept()), inner = count_of<S::inner>(part.inner());
  double* block = room(part.block);
  std::array<double, S::fixed ? std::size_t(S::kept * S::kept) : std::size_t(widest_level * widest_level)> given{}, inverse;
  for (int c = 0; c < n; ++c) std::copy_n(block + inner * c, n, given.data() + n * c);
  inverse = given;
  if (before != nullptr)
    set_product<S::kept, S::kept, true>(room(before->below), n, n, before->kept(), room(before->above), before->inner(), n,
                                        inverse.data(), n, true);
  for (int i = 0; i < n * n; ++i)
    given[std::size_t(i)] = std::max(std::abs(given[std::size_t(i)]), std::abs(inverse[std::size_t(i)]));
  if (!invert_in_place<S::kept>(inverse.data(), n)) return false;
  // |Aᵢⱼ A⁻¹ⱼᵢ| is a number without units: how much was lost.
  double lost = 1.0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      lost = std::max(lost, given[std::size_t(i + n * j)] * std::abs(inverse[std::size_t(j + n * i)]));
  pivot_ratio_ = std::min(pivot_ratio_, 1.0 / lost);
  for (int c = 0; c < n; ++c) std::copy_n(inverse.data() + n * c, n, block + inner * c);
  return std::isfinite(lost);
}

bool LevelMatrix::factor_levels() {
  pivot_ratio_ = 1.0;
  if (!arrange()) return false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    if (!shaped(part.regular, [&](auto shape) { return condense<decltype(shape)>(part); })) return false;
    Part* before = k > 0 ? &parts_[k - 1] : nullptr;
    const bool both = part.regular && (before == nullptr || before->regular);
    const bool good = shaped(both, [&](auto shape) {
      using S = decltype(shape);
      if (before != nullptr) couple<S>(*before, part);
      return invert<S>(part, before);
    });
    if (!good) return false;
  }
  return true;
}

/// Y r of a level, and its resting multipliers.
template <class S> void LevelMatrix::start(const Part& part) {
  const int t = count_of<S::touched>(part.touched), m = count_of<S::acting>(part.acting), inner = part.inner();
  double *y = y_.data() + part.first, *own = own_.data() + part.first;
  Few<S::acting> given{};
  for (int r = 0, at = 0; r < part.own; ++r) {
    if (!S::fixed && resting_[std::size_t(part.first + inner + r)] != 0) {
      const double lambda = y[inner + r] /= values_[std::size_t(part.D + r)];
      for (int j = 0; j < t; ++j) y[part.plain + j] -= lambda * values_[std::size_t(part.B + j + t * r)];
    } else {
      given[std::size_t(at++)] = y[inner + r];
    }
  }
  std::fill_n(own, m, 0.0);
  add_product<S::acting, S::acting>(room(part.given), m, m, m, given.data(), own);
}

template <class S> void LevelMatrix::forward(std::size_t k) {
  const Part& part = parts_[k];
  const int u = count_of<S::plain>(part.plain), t = count_of<S::touched>(part.touched), f = count_of<S::free>(part.free()),
            m = count_of<S::acting>(part.acting), inner = u + t, n = u + f;
  double *y = y_.data() + part.first, *z = z_.data() + part.first;
  // b − A Y r
  const auto take = [&](std::ptrdiff_t columns, const Part& other) {
    add_product<S::inner, S::acting, true>(room(columns), inner, inner, other.acting, own_.data() + other.first, y);
  };
  take(part.at_diagonal, part);
  if (k + 1 < parts_.size()) take(part.at_upper, parts_[k + 1]);
  if (k > 0) take(part.at_lower, parts_[k - 1]);
  // by [L X]ᵀ
  const unsigned char* row = rows_.data() + part.first;
  Few<S::touched> turned;
  Few<S::acting> rest;
  for (int i = 0; i < f; ++i) turned[std::size_t(i)] = y[u + row[i]];
  std::fill_n(turned.begin() + f, m, 0.0);
  for (int i = 0; i < m; ++i) rest[std::size_t(i)] = y[u + row[f + i]];
  add_product<S::touched, S::acting>(room(part.left), t, t, m, rest.data(), turned.data());
  std::copy_n(y, u, z);
  std::copy_n(turned.data(), f, z + u);
  for (int r = 0, at = f; r < part.own; ++r)
    if (S::fixed || resting_[std::size_t(part.first + inner + r)] == 0) y[inner + r] = turned[std::size_t(at++)];
  if (k == 0) return;
  const Part& before = parts_[k - 1];
  add_product<S::kept, S::kept, true>(room(before.below), n, n, before.kept(), z_.data() + before.first, z);
}

template <class S> void LevelMatrix::backward(std::size_t k) {
  const Part& part = parts_[k];
  const int u = count_of<S::plain>(part.plain), t = count_of<S::touched>(part.touched), f = count_of<S::free>(part.free()),
            m = count_of<S::acting>(part.acting), inner = u + t, n = u + f;
  double *y = y_.data() + part.first, *z = z_.data() + part.first;
  const auto subtract = [&](const Part& from, const double* what) {
    double* own = y_.data() + from.first + from.inner();
    for (int r = 0, at = 0; r < from.own; ++r)
      if (S::fixed || resting_[std::size_t(from.first + from.inner() + r)] == 0) own[r] -= what[at++];
  };
  // Of the next level, what it takes of this one and of its multipliers.
  Few<S::inner> taken;
  std::fill_n(taken.begin(), inner, 0.0);
  const bool last = k + 1 == parts_.size();
  if (!last)
    add_product<S::inner, S::kept>(room(part.above), inner, inner, parts_[k + 1].kept(), z_.data() + parts_[k + 1].first,
                                   taken.data());
  Few<S::kept> right;
  for (int i = 0; i < n; ++i) right[std::size_t(i)] = z[i] - taken[std::size_t(i)];
  std::fill_n(z, n, 0.0);
  add_product<S::kept, S::kept>(room(part.block), inner, n, n, right.data(), z);
  add_product<S::acting, S::kept>(room(part.block) + n, inner, m, n, z, taken.data() + n);
  subtract(part, taken.data() + n);
  if (!last) {
    const int theirs = count_of<S::acting>(parts_[k + 1].acting);
    Few<S::acting> under;
    std::fill_n(under.begin(), theirs, 0.0);
    add_product<S::acting, S::kept>(room(part.under), theirs, theirs, n, z, under.data());
    subtract(parts_[k + 1], under.data());
  }
  const unsigned char* column = columns_.data() + part.first;
  double* rest = own_.data() + part.first;
  add_product<S::acting, S::free>(room(part.right), m, m, f, z + u, rest);
  std::copy_n(z, u, y);
  for (int i = 0; i < f; ++i) y[u + column[i]] = z[u + i];
  for (int i = 0; i < m; ++i) y[u + column[f + i]] = rest[i];
}

void LevelMatrix::solve_levels(const double* b, double* x) {
  const std::vector<int>& order = layout_->levels()->order();
  const auto begin = [&](const Part& part) {
    for (int i = part.first, last = part.first + part.inner() + part.own; i < last; ++i)
      y_[std::size_t(i)] = b[order[std::size_t(i)]];
    shaped(part.regular, [&](auto shape) { start<decltype(shape)>(part); });
  };
  begin(parts_.front());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (k + 1 < parts_.size()) begin(parts_[k + 1]);
    shaped(parts_[k].among, [&](auto shape) { forward<decltype(shape)>(k); });
  }
  const auto write = [&](const Part& part) {
    for (int i = part.first, last = part.first + part.inner() + part.own; i < last; ++i)
      x[order[std::size_t(i)]] = y_[std::size_t(i)];
  };
  for (std::size_t k = parts_.size(); k-- > 0;) {
    shaped(parts_[k].among, [&](auto shape) { backward<decltype(shape)>(k); });
    if (k + 1 < parts_.size()) write(parts_[k + 1]);
  }
  write(parts_.front());
}

/// Whether a solution with known right side fulfils each row to so much of what is in it.
bool LevelMatrix::passes() {
  const int size = layout_->size();
  const auto known = [](int i) { return 1.0 + 0.5 * std::cos(1.0 + 2.0 * i); };
  Vector x(size), right = Vector::Zero(size), sum = Vector::Zero(size);
  for (int i = 0; i < size; ++i) x[i] = known(i);
  const auto each = [&](const auto& visit) {
    for (int j = 0; j < size; ++j)
      for (int k = layout_->column_starts()[j]; k < layout_->column_starts()[j + 1]; ++k) {
        const int i = layout_->row_indices()[k];
        visit(i, j, values_[std::size_t(layout_->slot(i, j))]);
      }
  };
  each([&](int i, int j, double a) { right[i] += a * x[j]; });
  Vector off = right;
  solve_levels(right.data(), x.data());
  each([&](int i, int j, double a) {
    off[i] -= a * x[j];
    sum[i] += std::abs(a) * std::max(std::abs(x[j]), 0.5);
  });
  for (int i = 0; i < size; ++i)
    if (!(std::abs(off[i]) <= test_passed * sum[i])) return false;
  return true;
}

bool LevelMatrix::factor_whole() {
  if (!whole_) {
    std::vector<Layout::Entry> entries;
    for (int j = 0; j < layout_->size(); ++j)
      for (int k = layout_->column_starts()[j]; k < layout_->column_starts()[j + 1]; ++k)
        entries.emplace_back(layout_->row_indices()[k], j);
    const auto kind = layout_->half_bandwidth() <= widest_band ? Layout::Kind::banded : Layout::Kind::sparse;
    const auto layout = std::make_shared<const Layout>(layout_->size(), entries, layout_->coordinates(), kind);
    for (const auto& [row, column] : entries)
      whole_slots_.emplace_back(layout_->slot(row, column), layout->slot(row, column));
    whole_ = Matrix::on(layout, {});
  }
  whole_->clear();
  for (const auto& [here, there] : whole_slots_) whole_->values()[there] = values_[std::size_t(here)];
  whole_now_ = true;
  const bool good = whole_->factor();
  pivot_ratio_ = whole_->pivot_ratio();
  return good;
}

bool LevelMatrix::factor() {
  whole_now_ = false;
  if (rounds_whole_ > 0 && --rounds_whole_ > 0) return factor_whole();
  if (!factor_levels()) return factor_whole();
  if (tested_ && pivot_ratio_ > test_below) return true;
  tested_ = true;
  if (passes()) return true;
  rounds_whole_ = patience_with_whole;
  return factor_whole();
}

void LevelMatrix::solve(const double* b, double* x, int columns) {
  if (whole_now_) return whole_->solve(b, x, columns);
  const std::ptrdiff_t size = layout_->size();
  for (int c = 0; c < columns; ++c) solve_levels(b + c * size, x + c * size);
}

}  // namespace taut
