#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/system/constraints/segment_gap.hpp>
#include <taut/system/contact.hpp>

namespace taut {

ContactBlock::ContactBlock(std::vector<ContactPiece> pieces, int dim, std::string name)
    : pieces_(std::move(pieces)), dim_(dim), name_(std::move(name)) {
  require(dim_ == 2 || dim_ == 3, "Contact '{}': needs 2 or 3 dimensions, got {}.", name_, dim_);
  for (const ContactPiece& piece : pieces_) {
    require(piece.radius > 0.0 && std::isfinite(piece.radius), "Contact '{}': the radius must be positive, got {}.", name_,
            piece.radius);
    sight_ = std::max(sight_, piece.length + piece.radius);
  }
  find_neighbours();
}

/// From each piece along the tubes, node by node, as far as πr.
void ContactBlock::find_neighbours() {
  std::map<int, std::vector<int>> at_node;
  const int count = int(pieces_.size());
  for (int e = 0; e < count; ++e)
    for (const int node : pieces_[e].at) at_node[node].push_back(e);
  neighbours_.resize(pieces_.size());
  continuation_.assign(pieces_.size(), {-1, -1});
  std::vector<double> way(pieces_.size(), std::numeric_limits<double>::infinity());
  for (int e = 0; e < count; ++e) {
    const double reach = std::numbers::pi * pieces_[e].radius;
    std::vector<int>& near = neighbours_[e];
    std::vector<std::pair<int, double>> open;  // nodes to go on from, and how far they are
    for (std::size_t end = 0; end < 2; ++end) {
      open.emplace_back(pieces_[e].at[end], 0.0);
      const std::vector<int>& here = at_node[pieces_[e].at[end]];
      if (here.size() == 2) continuation_[e][end] = here[0] == e ? here[1] : here[0];
    }
    while (!open.empty()) {
      const auto [node, far] = open.back();
      open.pop_back();
      for (const int next : at_node[node]) {
        if (next == e || far >= way[next]) continue;
        if (!std::isfinite(way[next])) near.push_back(next);
        way[next] = far;
        const int other = pieces_[next].at[pieces_[next].at[0] == node ? 1 : 0];
        if (far + pieces_[next].length < reach) open.emplace_back(other, far + pieces_[next].length);
      }
    }
    for (const int one : near) way[one] = std::numeric_limits<double>::infinity();
    std::sort(near.begin(), near.end());
  }
}

bool ContactBlock::neighbours(int a, int b) const {
  return std::binary_search(neighbours_[a].begin(), neighbours_[a].end(), b) ||
         std::binary_search(neighbours_[b].begin(), neighbours_[b].end(), a);
}

ContactBlock::Place ContactBlock::place(const double* q, int piece, int end) const {
  Place out{};
  std::copy_n(q + pieces_[piece].at[std::size_t(end)], dim_, out.begin());
  return out;
}

ContactBlock::Closest ContactBlock::closest(const double* q, int a, int b) const {
  const Place from = place(q, a, 0), to = place(q, b, 0);
  Place u = place(q, a, 1), w = place(q, b, 1);
  for (std::size_t k = 0; k < 3; ++k) {
    u[k] -= from[k];
    w[k] -= to[k];
  }
  const auto [s, t] = nearest_places(from, u, to, w);
  double square = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = (from[k] + s * u[k]) - (to[k] + t * w[k]);
    square += d * d;
  }
  return {std::sqrt(square) - pieces_[a].radius - pieces_[b].radius, s, t};
}

/// Visits each two pieces whose boxes overlap, once: in the cell that holds the lower corner of what they have in common.
template <class Visit> void ContactBlock::each_near(const std::vector<Box>& boxes, const Visit& visit) const {
  Place origin = boxes.front().low;
  double size = 0.0;
  for (const Box& box : boxes)
    for (std::size_t k = 0; k < 3; ++k) {
      origin[k] = std::min(origin[k], box.low[k]);
      size = std::max(size, box.high[k] - box.low[k]);
    }
  const auto cell = [&](const Place& x) {
    std::array<std::int64_t, 3> out;
    for (std::size_t k = 0; k < 3; ++k) out[k] = std::int64_t((x[k] - origin[k]) / size);
    return out;
  };
  const auto key = [](const std::array<std::int64_t, 3>& c) { return (c[0] << 42) + (c[1] << 21) + c[2]; };
  std::vector<std::pair<std::int64_t, int>> filled;
  for (int e = 0; e < int(boxes.size()); ++e) {
    const auto low = cell(boxes[e].low), high = cell(boxes[e].high);
    for (auto i = low[0]; i <= high[0]; ++i)
      for (auto j = low[1]; j <= high[1]; ++j)
        for (auto k = low[2]; k <= high[2]; ++k) filled.emplace_back(key({i, j, k}), e);
  }
  std::sort(filled.begin(), filled.end());
  for (std::size_t first = 0, last = 0; first < filled.size(); first = last) {
    while (last < filled.size() && filled[last].first == filled[first].first) ++last;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = i + 1; j < last; ++j) {
        const int a = filled[i].second, b = filled[j].second;
        Place corner;
        bool overlap = true;
        for (std::size_t k = 0; k < 3 && overlap; ++k) {
          corner[k] = std::max(boxes[a].low[k], boxes[b].low[k]);
          overlap = corner[k] <= std::min(boxes[a].high[k], boxes[b].high[k]);
        }
        if (overlap && key(cell(corner)) == filled[first].first && !neighbours(a, b)) visit(a, b);
      }
  }
}

ContactBlock::Found ContactBlock::find(const double* q0, const double* q1, double slack) const {
  Found out;
  if (pieces_.empty()) return out;
  std::vector<Box> boxes(pieces_.size());
  for (int e = 0; e < int(pieces_.size()); ++e) {
    const double around = (1.0 + slack) * pieces_[e].radius;
    Box& box = boxes[e];
    box.low.fill(std::numeric_limits<double>::infinity());
    box.high.fill(-std::numeric_limits<double>::infinity());
    for (const double* q : {q0, q1})
      for (int end = 0; end < 2; ++end)
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = place(q, e, end)[k];
          box.low[k] = std::min(box.low[k], x - around);
          box.high[k] = std::max(box.high[k], x + around);
        }
  }
  each_near(boxes, [&](int a, int b) {
    double moved = 0.0;  // against each other
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const Place a0 = place(q0, a, i), a1 = place(q1, a, i), b0 = place(q0, b, j), b1 = place(q1, b, j);
        double square = 0.0;
        for (std::size_t k = 0; k < 3; ++k) square += std::pow(a1[k] - a0[k] - b1[k] + b0[k], 2);
        moved = std::max(moved, std::sqrt(square));
      }
    const double radii = pieces_[a].radius + pieces_[b].radius, gap = closest(q1, a, b).gap;
    if (closest(q0, a, b).gap > moved + slack * radii && gap > slack * radii) return;
    out.travel = std::max(out.travel, moved / radii);
    out.meetings.push_back({a, b, gap / radii});
  });
  std::sort(out.meetings.begin(), out.meetings.end());
  keep_nearest(q1, out.meetings);
  return out;
}

/// Leaves out (a, b) where the nearest place is an end of a, or of b, and the piece that goes on from there is nearer, or as near and comes first.
void ContactBlock::keep_nearest(const double* q, std::vector<Meeting>& meetings) const {
  const auto nearer = [&](const Meeting& one, int a, int b) {
    if (a < 0 || b < 0) return false;
    const Meeting other{std::min(a, b), std::max(a, b), 0.0};
    const auto found = std::lower_bound(meetings.begin(), meetings.end(), other);
    if (found == meetings.end() || !(*found == other)) return false;
    return found->gap < one.gap || (found->gap == one.gap && other < one);
  };
  std::vector<Meeting> kept;
  for (const Meeting& one : meetings) {
    const Closest at = closest(q, one.a, one.b);
    const auto beyond = [&](int piece, double where) {
      return where <= 0.0 ? continuation_[piece][0] : where >= 1.0 ? continuation_[piece][1] : -1;
    };
    if (!nearer(one, beyond(one.a, at.s), one.b) && !nearer(one, one.a, beyond(one.b, at.t))) kept.push_back(one);
  }
  meetings = std::move(kept);
}

void ContactBlock::add_to(System& system, const std::vector<Meeting>& meetings) const {
  for (const Meeting& one : meetings) {
    const ContactPiece &a = pieces_[one.a], &b = pieces_[one.b];
    const std::array<int, 4> at{a.at[0], a.at[1], b.at[0], b.at[1]};
    const std::string label =
        message("{}: {} at s = {} and {} at s = {}", name_, *a.curve, a.s + 0.5 * a.length, *b.curve, b.s + 0.5 * b.length);
    if (dim_ == 2)
      system.add(SegmentGap<2>{at, a.radius + b.radius, label});
    else
      system.add(SegmentGap<3>{at, a.radius + b.radius, label});
  }
}

double ContactBlock::least_gap(const double* q) const {
  double least = sight_;
  if (pieces_.empty()) return least;
  std::vector<Box> boxes(pieces_.size());
  for (int e = 0; e < int(pieces_.size()); ++e) {
    const double around = pieces_[e].radius + 0.5 * sight_;
    const Place from = place(q, e, 0), to = place(q, e, 1);
    for (std::size_t k = 0; k < 3; ++k) {
      boxes[e].low[k] = std::min(from[k], to[k]) - around;
      boxes[e].high[k] = std::max(from[k], to[k]) + around;
    }
  }
  each_near(boxes, [&](int a, int b) { least = std::min(least, closest(q, a, b).gap); });
  return least;
}

std::unique_ptr<DynamicsBlock> ContactBlock::penalized(double) const {
  require(false,
          "'{}': contact of beams with each other cannot be penalised, because which parts meet changes on the way; let "
          "moreau-jean hold it.",
          name_);
  return nullptr;
}

std::vector<const ContactBlock*> contacts_of(const System& system) {
  std::vector<const ContactBlock*> out;
  for (const auto& block : system.constraints())
    if (const auto* one = dynamic_cast<const ContactBlock*>(block.get())) out.push_back(one);
  return out;
}

}  // namespace taut
