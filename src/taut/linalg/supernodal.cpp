#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/linalg/supernodal.hpp>
#include <taut/linalg/symbolic.hpp>

namespace taut {
namespace {

using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using Column = Eigen::Map<Eigen::VectorXd>;

constexpr int narrow = 8;  // columns of a panel below which a call costs more than the work

Panel panel(double* first, Eigen::Index rows, Eigen::Index columns, Eigen::Index stride) {
  return {first, rows, columns, Eigen::OuterStride<>(stride)};
}

/// C = A Bᵀ. Eigen's blocked product begins to pay at a few dozen multiplications; below, plain loops over columns are faster.
void multiply_panels(const Panel& a, const Panel& b, Panel& c) {
  if (a.cols() * b.rows() > 32) {
    c.noalias() = a * b.transpose();
    return;
  }
  for (Eigen::Index j = 0; j < b.rows(); ++j) {
    double* out = &c(0, j);
    const Eigen::Index rows = a.rows();
    std::fill_n(out, rows, 0.0);
    for (Eigen::Index k = 0; k < a.cols(); ++k) {
      const double factor = b(j, k);
      const double* in = &a(0, k);
      for (Eigen::Index i = 0; i < rows; ++i) out[i] += factor * in[i];
    }
  }
}

/// L U of the upper square of a panel, and L of what is below it, in blocks of columns.
void factor_panel(Panel& a) {
  constexpr Eigen::Index width = 32;
  const Eigen::Index rows = a.rows(), columns = a.cols();
  for (Eigen::Index first = 0; first < columns; first += width) {
    const Eigen::Index end = std::min(first + width, columns);
    for (Eigen::Index k = first; k < end; ++k) {
      double* pivot_column = &a(0, k);
      const double inverse = 1.0 / pivot_column[k];
      for (Eigen::Index i = k + 1; i < rows; ++i) pivot_column[i] *= inverse;
      for (Eigen::Index j = k + 1; j < end; ++j) {
        double* column = &a(0, j);
        const double factor = column[k];
        if (factor == 0.0) continue;
        for (Eigen::Index i = k + 1; i < rows; ++i) column[i] -= factor * pivot_column[i];
      }
    }
    if (end == columns) break;
    const Eigen::Index here = end - first, right = columns - end;
    auto upper = a.block(first, end, here, right);
    a.block(first, first, here, here).triangularView<Eigen::UnitLower>().solveInPlace(upper);
    a.block(end, end, rows - end, right).noalias() -= a.block(end, first, rows - end, here) * upper;
  }
}

}  // namespace

Supernodal::Supernodal(Form form, const std::vector<int>& starts, const std::vector<int>& rows)
    : form_(form), size_(int(starts.size()) - 1), starts_(starts), pattern_(rows) {
  analyze(starts, rows);
  find_targets();
  ordered_.resize(size_);
  map_.assign(size_, 0);
  const std::size_t count = nodes_.size();
  next_.resize(count);
  head_.resize(count);
  done_.resize(count);
}

void Supernodal::analyze(const std::vector<int>& starts, const std::vector<int>& rows) {
  Supernodes found = supernodes_of(starts, rows);
  order_ = std::move(found.order);
  place_.resize(size_);
  for (int k = 0; k < size_; ++k) place_[order_[k]] = k;
  rows_ = std::move(found.rows);
  node_of_.resize(size_);
  std::size_t lower = 0, upper = 0, widest = 0;
  double work = 0.0;
  for (int s = 0; s + 1 < int(found.firsts.size()); ++s) {
    const Node node{found.firsts[s],
                    found.firsts[s + 1] - found.firsts[s],
                    found.lists[s + 1] - found.lists[s],
                    found.lists[s],
                    lower,
                    upper};
    nodes_.push_back(node);
    std::fill_n(node_of_.begin() + node.first, node.columns, s);
    const std::size_t below = std::size_t(node.rows - node.columns);
    lower += std::size_t(node.rows) * node.columns;
    if (form_ == Form::general) upper += below * node.columns;
    widest = std::max(widest, below);
    for (int c = 0; c < node.columns; ++c) work += double(node.rows - c) * (node.rows - c);
  }
  factor_over_solve_ = work / (2.0 * double(std::max<std::size_t>(lower, 1)));
  lower_.resize(lower);
  upper_.resize(upper);
  gathered_.resize(widest);
  product_.resize(std::max(found.largest_product, widest));
}

/// Which values go where in the panels: entry (i, j), by places, to the column j of L, or to the row i of U.
void Supernodal::find_targets() {
  struct Entry {
    int node, value;
    std::size_t target;
  };
  std::vector<Entry> lower, upper;
  const auto row_in = [&](const Node& node, int place) {
    const int* first = rows_.data() + node.list;
    return std::size_t(std::lower_bound(first, first + node.rows, place) - first);
  };
  for (int column = 0; column < size_; ++column)
    for (int k = starts_[column]; k < starts_[column + 1]; ++k) {
      if (form_ == Form::symmetric && pattern_[k] < column) continue;
      int i = place_[pattern_[k]], j = place_[column];
      if (form_ == Form::symmetric && i < j) std::swap(i, j);
      if (const Node& node = nodes_[node_of_[j]]; i >= node.first) {
        lower.push_back({node_of_[j], k, node.lower + std::size_t(j - node.first) * node.rows + row_in(node, i)});
      } else {
        const Node& across = nodes_[node_of_[i]];
        upper.push_back({node_of_[i], k,
                         across.upper + std::size_t(i - across.first) * (across.rows - across.columns) + row_in(across, j) -
                             across.columns});
      }
    }
  const auto sort = [&](const std::vector<Entry>& entries, std::vector<int>& starts, std::vector<Source>& sources) {
    starts.assign(nodes_.size() + 1, 0);
    for (const Entry& entry : entries) ++starts[entry.node + 1];
    for (std::size_t s = 0; s < nodes_.size(); ++s) starts[s + 1] += starts[s];
    std::vector<int> next = starts;
    sources.resize(entries.size());
    for (const Entry& entry : entries) sources[next[entry.node]++] = {entry.value, entry.target};
  };
  sort(lower, lower_starts_, lower_sources_);
  sort(upper, upper_starts_, upper_sources_);
}

/// The values of the matrix into the panels of a supernode.
void Supernodal::load(int s, const double* values) {
  const Node& node = nodes_[s];
  std::fill_n(lower_.data() + node.lower, std::size_t(node.rows) * node.columns, 0.0);
  for (int k = lower_starts_[s]; k < lower_starts_[s + 1]; ++k)
    lower_[lower_sources_[k].target] = values[lower_sources_[k].value];
  if (form_ == Form::symmetric) return;
  std::fill_n(upper_.data() + node.upper, std::size_t(node.rows - node.columns) * node.columns, 0.0);
  for (int k = upper_starts_[s]; k < upper_starts_[s + 1]; ++k)
    upper_[upper_sources_[k].target] = values[upper_sources_[k].value];
}

/// Takes off what an earlier supernode adds to the columns of this one: its rows from `done` on, of which those within these columns come first.
void Supernodal::update(const Node& from, int done, const Node& to) {
  const int* rows = rows_.data() + from.list;
  int end = done;
  while (end < from.rows && rows[end] < to.first + to.columns) ++end;
  const int across = end - done, down = from.rows - done, below = from.rows - from.columns;
  const bool symmetric = form_ == Form::symmetric;
  const Panel left = panel(lower_.data() + from.lower + done, down, from.columns, from.rows);
  Panel product = panel(product_.data(), down, across, down);
  const Panel right = symmetric ? panel(lower_.data() + from.lower + done, across, from.columns, from.rows)
                                : panel(upper_.data() + from.upper + (done - from.columns), across, from.columns, below);
  multiply_panels(left, right, product);
  for (int c = 0; c < across; ++c) {
    double* column = lower_.data() + to.lower + std::size_t(rows[done + c] - to.first) * to.rows;
    const double* add = product_.data() + std::size_t(c) * down;
    for (int r = symmetric ? c : 0; r < down; ++r) column[map_[rows[done + r]]] -= add[r];
  }
  if (symmetric || down == across) return;
  const int rest = down - across;
  const Panel up = panel(upper_.data() + from.upper + (end - from.columns), rest, from.columns, below);
  const Panel low = panel(lower_.data() + from.lower + done, across, from.columns, from.rows);
  Panel other = panel(product_.data(), rest, across, rest);
  multiply_panels(up, low, other);
  for (int c = 0; c < across; ++c) {
    double* column = upper_.data() + to.upper + std::size_t(rows[done + c] - to.first) * (to.rows - to.columns) - to.columns;
    const double* add = product_.data() + std::size_t(c) * rest;
    for (int r = 0; r < rest; ++r) column[map_[rows[end + r]]] -= add[r];
  }
}

/// Factors the diagonal block and the panels below it.
bool Supernodal::eliminate(const Node& node, const double* diagonal) {
  const int columns = node.columns, below = node.rows - columns;
  Panel whole = panel(lower_.data() + node.lower, node.rows, columns, node.rows);
  if (form_ == Form::symmetric) {
    auto block = whole.topRows(columns);
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> square(block);
    if (square.info() != Eigen::Success) return false;
    auto rest = whole.bottomRows(below);
    block.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(rest);
  } else {
    factor_panel(whole);
    Panel upper = panel(upper_.data() + node.upper, below, columns, below);
    whole.topRows(columns).triangularView<Eigen::UnitLower>().transpose().solveInPlace<Eigen::OnTheRight>(upper);
  }
  for (int c = 0; c < columns; ++c) {
    const double root = whole(c, c), pivot = form_ == Form::symmetric ? root * root : std::abs(root);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    pivot_ratio_ = std::min(pivot_ratio_, pivot / std::abs(diagonal[order_[node.first + c]]));
  }
  return true;
}

bool Supernodal::factor(const double* values, const double* diagonal) {
  pivot_ratio_ = 1.0;
  std::fill(head_.begin(), head_.end(), -1);
  for (int s = 0; s < int(nodes_.size()); ++s) {
    const Node& node = nodes_[s];
    load(s, values);
    for (int r = 0; r < node.rows; ++r) map_[rows_[node.list + r]] = r;
    // Earlier supernodes wait at the first one that they still reach.
    const auto wait = [&](int d) {
      if (done_[d] == nodes_[d].rows) return;
      const int at = node_of_[rows_[nodes_[d].list + done_[d]]];
      next_[d] = head_[at];
      head_[at] = d;
    };
    for (int d = head_[s]; d != -1;) {
      const int following = next_[d];
      const Node& from = nodes_[d];
      update(from, done_[d], node);
      while (done_[d] < from.rows && rows_[from.list + done_[d]] < node.first + node.columns) ++done_[d];
      wait(d);
      d = following;
    }
    if (!eliminate(node, diagonal)) {
      pivot_ratio_ = 0.0;
      return false;
    }
    done_[s] = node.columns;
    wait(s);
  }
  return true;
}

/// Forward substitution in the columns of a supernode. Small panels by plain loops: a call would cost more than the work.
void Supernodal::solve_lower(const Node& node, double* x) {
  const int columns = node.columns, below = node.rows - columns;
  const int* rows = rows_.data() + node.list;
  double* own = x + node.first;
  if (columns <= narrow) {
    const double* column = lower_.data() + node.lower;
    for (int c = 0; c < columns; ++c, column += node.rows) {
      if (form_ == Form::symmetric) own[c] /= column[c];
      const double factor = own[c];
      for (int r = c + 1; r < node.rows; ++r) x[rows[r]] -= column[r] * factor;
    }
    return;
  }
  const Panel lower = panel(lower_.data() + node.lower, node.rows, columns, node.rows);
  Column here(own, columns), out(gathered_.data(), below);
  if (form_ == Form::symmetric) {
    lower.topRows(columns).triangularView<Eigen::Lower>().solveInPlace(here);
  } else {
    lower.topRows(columns).triangularView<Eigen::UnitLower>().solveInPlace(here);
  }
  out.noalias() = lower.bottomRows(below) * here;
  for (int r = 0; r < below; ++r) x[rows[columns + r]] -= out[r];
}

/// Backward substitution in the rows of a supernode.
void Supernodal::solve_upper(const Node& node, double* x) {
  const int columns = node.columns, below = node.rows - columns;
  const bool symmetric = form_ == Form::symmetric;
  const int* rows = rows_.data() + node.list;
  double *own = x + node.first, *lower = lower_.data() + node.lower;
  double* upper = symmetric ? lower + columns : upper_.data() + node.upper;
  const int stride = symmetric ? node.rows : below;
  if (columns <= narrow) {
    for (int c = columns - 1; c >= 0; --c) {
      const double* column = upper + std::ptrdiff_t(c) * stride;
      double sum = own[c];
      for (int r = 0; r < below; ++r) sum -= column[r] * x[rows[columns + r]];
      for (int k = c + 1; k < columns; ++k)
        sum -= (symmetric ? lower[std::ptrdiff_t(c) * node.rows + k] : lower[std::ptrdiff_t(k) * node.rows + c]) * own[k];
      own[c] = sum / lower[std::ptrdiff_t(c) * node.rows + c];
    }
    return;
  }
  Column here(own, columns), in(gathered_.data(), below);
  for (int r = 0; r < below; ++r) in[r] = x[rows[columns + r]];
  here.noalias() -= panel(upper, below, columns, stride).transpose() * in;
  const Panel square = panel(lower, columns, columns, node.rows);
  if (symmetric) {
    square.triangularView<Eigen::Lower>().transpose().solveInPlace(here);
  } else {
    square.triangularView<Eigen::Upper>().solveInPlace(here);
  }
}

void Supernodal::solve(double* b) {
  double* x = ordered_.data();
  for (int k = 0; k < size_; ++k) x[k] = b[order_[k]];
  for (const Node& node : nodes_) solve_lower(node, x);
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) solve_upper(*node, x);
  for (int k = 0; k < size_; ++k) b[order_[k]] = x[k];
}

void Supernodal::multiply(const double* values, const double* x, double* y) const {
  std::fill_n(y, size_, 0.0);
  for (int j = 0; j < size_; ++j) {
    double sum = 0.0;
    for (int k = starts_[j + 1] - 1; k >= starts_[j] && pattern_[k] >= j; --k) {
      const int i = pattern_[k];
      if (i != j) y[i] += values[k] * x[j];
      sum += values[k] * x[i];
    }
    y[j] += sum;
  }
}

}  // namespace taut
