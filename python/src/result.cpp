#include "result.hpp"

#include <algorithm>
#include <cmath>
#include <taut/simulate/dense_step.hpp>

namespace taut::python {
namespace {

/// A row of the constraints: in which block, and which there.
struct Place {
  const ConstraintBlock* block = nullptr;
  int row = 0, term = 0;  // of the block
};

Place find(const System& system, int row) {
  for (const auto& block : system.constraints()) {
    const int rows = block->terms() * block->rows();
    if (row < rows) return {block.get(), row, row / block->rows()};
    row -= rows;
  }
  throw InputError("there is no such constraint.");
}

/// How many of the coordinates from the first one on are one place: all of a point, otherwise one.
int together(const System& system, int coordinate) {
  const auto& points = system.points();
  return points && coordinate < points->count * points->dim ? points->dim : 1;
}

}  // namespace

std::vector<double> force_of(const Result& result, int row) {
  const Recording& from = result.recording;
  require(result.system != nullptr, "force: constraints given by functions have multipliers, `lam`, and no more.");
  const std::size_t n = result.coordinates(), m = result.constraints();
  const Place place = find(*result.system, row);
  const ConstraintBlock& block = *place.block;
  const int width = block.width();
  std::vector<int> slots(block.stencils().size() * std::size_t(block.rows()));
  for (std::size_t k = 0; k < slots.size(); ++k) slots[k] = int(k);
  std::vector<double> gradient(slots.size()), out;
  const int* stencil = block.stencils().data() + std::ptrdiff_t(place.term) * width;
  for (std::size_t k = 0; k < from.t.size(); ++k) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    block.add_gradient(from.t[k], from.q.data() + k * n, 1.0, nullptr, slots.data(), gradient.data());
    const double* own = gradient.data() + std::ptrdiff_t(place.row) * width;
    double size = 0.0;
    int first = -1;
    for (int i = 0; i < width; ++i) {
      if (own[i] == 0.0) continue;
      const int dim = together(*result.system, stencil[i]);
      if (first < 0) first = stencil[i] / dim * dim;
      if (stencil[i] >= first && stencil[i] < first + dim) size = std::hypot(size, own[i]);
    }
    out.push_back(from.lambda[k * m + std::size_t(row)] * size);
  }
  return out;
}

void states_at(const Result& result, const std::vector<double>& times, std::vector<double>& q, std::vector<double>& v) {
  const Recording& from = result.recording;
  const std::size_t n = result.coordinates();
  const System system = result.system != nullptr ? acting(*result.system).system : System(int(n));
  const int order = result.system != nullptr ? 8 : 2;
  DenseStep dense(system, Multipliers{}, order, [](State&) { return false; });
  const auto state = [&](std::size_t k) {
    return State{from.t[k],
                 Eigen::Map<const Vector>(from.q.data() + k * n, Eigen::Index(n)),
                 Eigen::Map<const Vector>(from.v.data() + k * n, Eigen::Index(n)),
                 {},
                 Vector::Zero(system.constraint_count())};
  };
  const bool forward = from.t.back() >= from.t.front();
  State before, after, found;
  std::size_t held = 0;  // the interval between held − 1 and held
  for (const double t : times) {
    require(forward ? t >= from.t.front() && t <= from.t.back() : t <= from.t.front() && t >= from.t.back(),
            "at: t = {} is not between {} and {}, where the run was.", t, from.t.front(), from.t.back());
    const auto next = std::lower_bound(from.t.begin(), from.t.end(), t,
                                       [&](double one, double wanted) { return forward ? one < wanted : one > wanted; });
    const std::size_t k = std::size_t(next - from.t.begin());
    if (from.t[k] == t) {
      q.insert(q.end(), from.q.begin() + std::ptrdiff_t(k * n), from.q.begin() + std::ptrdiff_t((k + 1) * n));
      v.insert(v.end(), from.v.begin() + std::ptrdiff_t(k * n), from.v.begin() + std::ptrdiff_t((k + 1) * n));
      continue;
    }
    if (held != k) {
      before = state(k - 1);
      after = state(k);
      dense.set(before, after);
      held = k;
    }
    dense.at(t, found);
    dense.project(found);
    q.insert(q.end(), found.q.begin(), found.q.end());
    v.insert(v.end(), found.v.begin(), found.v.end());
  }
}

}  // namespace taut::python
