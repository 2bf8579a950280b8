#include <cmath>
#include <map>
#include <taut/model/contour.hpp>

namespace taut {
namespace {

std::vector<double> steps(double from, double h, int count) {
  std::vector<double> out;
  for (int i = 0; i <= count; ++i) out.push_back(from + i * h);
  return out;
}

/// A crossing of an edge of the grid: from the corner (i, j), along x or along y.
using Edge = std::array<int, 3>;

class Squares {
 public:
  Squares(const RowOfValues& f, std::array<double, 2> middle, double half, int cells)
      : cells_(cells), h_(2.0 * half / cells), from_{middle[0] - half, middle[1] - half} {
    const std::size_t row = std::size_t(cells + 1);
    const std::vector<double> x = steps(from_[0], h_, cells);
    values_.resize(row * row);
    for (int j = 0; j <= cells; ++j) f(x, from_[1] + j * h_, &values_[std::size_t(j) * row]);
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) cross(i, j);
  }

  Contour joined() {
    Contour out;
    // Open lines first, from their ends; what is left is closed.
    for (const bool closed : {false, true})
      for (const auto& [edge, next] : next_) {
        if (next.empty() || (!closed && next.size() != 1)) continue;
        out.push_back(follow(edge));
      }
    return out;
  }

 private:
  double value(int i, int j) const { return values_[std::size_t(j) * std::size_t(cells_ + 1) + std::size_t(i)]; }
  bool above(int i, int j) const { return value(i, j) >= 0.0; }

  void cross(int i, int j) {
    const bool one = above(i, j);
    if (above(i + 1, j) == one && above(i, j + 1) == one && above(i + 1, j + 1) == one) return;
    const Edge bottom{i, j, 0}, top{i, j + 1, 0}, left{i, j, 1}, right{i + 1, j, 1};
    for (const double corner : {value(i, j), value(i + 1, j), value(i, j + 1), value(i + 1, j + 1)})
      if (!std::isfinite(corner)) return;
    std::vector<Edge> found;
    if (above(i, j) != above(i + 1, j)) found.push_back(bottom);
    if (above(i + 1, j) != above(i + 1, j + 1)) found.push_back(right);
    if (above(i, j + 1) != above(i + 1, j + 1)) found.push_back(top);
    if (above(i, j) != above(i, j + 1)) found.push_back(left);
    for (std::size_t k = 0; k + 1 < found.size(); k += 2) {
      next_[found[k]].push_back(found[k + 1]);
      next_[found[k + 1]].push_back(found[k]);
    }
  }

  std::array<double, 2> point(const Edge& edge) const {
    const auto [i, j, along_y] = edge;
    const double a = value(i, j), b = along_y != 0 ? value(i, j + 1) : value(i + 1, j), s = a / (a - b);
    return {from_[0] + (i + (along_y != 0 ? 0.0 : s)) * h_, from_[1] + (j + (along_y != 0 ? s : 0.0)) * h_};
  }

  std::vector<std::array<double, 2>> follow(Edge edge) {
    std::vector<std::array<double, 2>> line{point(edge)};
    while (!next_[edge].empty()) {
      const Edge other = next_[edge].back();
      next_[edge].pop_back();
      std::erase(next_[other], edge);
      line.push_back(point(other));
      edge = other;
    }
    return line;
  }

  int cells_;
  double h_;
  std::array<double, 2> from_;
  std::vector<double> values_;
  std::map<Edge, std::vector<Edge>> next_;
};

}  // namespace

Contour contour(const RowOfValues& f, std::array<double, 2> middle, double half, int cells) {
  return Squares(f, middle, half, cells).joined();
}

bool contour_leaves(const RowOfValues& f, std::array<double, 2> middle, double half, int cells) {
  const double h = 2.0 * half / cells, left = middle[0] - half, low = middle[1] - half;
  const std::vector<double> x = steps(left, h, cells), sides{x.front(), x.back()};
  std::vector<double> before(x.size()), row(x.size());
  const auto changes = [](double a, double b) { return std::isfinite(a) && std::isfinite(b) && (a >= 0.0) != (b >= 0.0); };
  for (const double y : {low, low + cells * h}) {
    f(x, y, row.data());
    for (std::size_t i = 1; i < row.size(); ++i)
      if (changes(row[i - 1], row[i])) return true;
  }
  for (int j = 0; j <= cells; ++j) {
    f(sides, low + j * h, row.data());
    if (j > 0 && (changes(before[0], row[0]) || changes(before[1], row[1]))) return true;
    before.swap(row);
  }
  return false;
}

}  // namespace taut
