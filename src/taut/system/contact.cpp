#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/system/constraint_terms.hpp>
#include <taut/system/constraints/obstacle_gap.hpp>
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

ContactBlock::ContactBlock(std::vector<ContactPiece> pieces, Obstacle obstacle, int dim, std::string name)
    : pieces_(std::move(pieces)),
      obstacle_(std::make_shared<const Obstacle>(std::move(obstacle))),
      dim_(dim),
      name_(std::move(name)) {
  require(dim_ == 2 || dim_ == 3, "Contact '{}': needs 2 or 3 dimensions, got {}.", name_, dim_);
  require(!obstacle_->axis.empty() && obstacle_->radius > 0.0 && std::isfinite(obstacle_->radius),
          "Contact '{}': an obstacle needs an axis and a positive radius, got {}.", name_, obstacle_->radius);
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    require(pieces_[k].radius >= 0.0 && scale(int(k), int(pieces_.size())) > 0.0,
            "Contact '{}': the radius must not be negative, and inside of something hollow less than its own, {}; got {}.",
            name_, obstacle_->radius, pieces_[k].radius);
    sight_ = std::max(sight_, pieces_[k].length + scale(int(k), int(pieces_.size())));
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

/// What gaps are small against: the sum of both radii, or the clearance inside of something hollow.
double ContactBlock::scale(int a, int b) const {
  const double radius = pieces_[a].radius;
  if (!is_obstacle(b)) return radius + pieces_[b].radius;
  return obstacle_->hollow ? obstacle_->radius - radius : obstacle_->radius + radius;
}

ContactBlock::Place ContactBlock::place(const double* q, int piece, int end) const {
  Place out{};
  if (!is_obstacle(piece)) std::copy_n(q + pieces_[piece].at[std::size_t(end)], dim_, out.begin());
  return out;
}

ContactBlock::Closest ContactBlock::closest(const double* q, int a, int b) const {
  const Place from = place(q, a, 0), to = place(q, b, 0);
  Place u = place(q, a, 1), w = place(q, b, 1);
  for (std::size_t k = 0; k < 3; ++k) {
    u[k] -= from[k];
    w[k] -= to[k];
  }
  if (is_obstacle(b)) {
    const auto nearest = nearest_to_axis(*obstacle_, from, u);
    return {gap_to(*obstacle_, pieces_[a].radius, nearest.square), nearest.s, 0.5};
  }
  const auto [s, t] = nearest_places(from, u, to, w);
  double square = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = (from[k] + s * u[k]) - (to[k] + t * w[k]);
    square += d * d;
  }
  return {std::sqrt(square) - scale(a, b), s, t};
}

/// The most that the ends of two pieces move against each other; an obstacle stands still.
double ContactBlock::travel(const double* q0, const double* q1, int a, int b) const {
  double moved = 0.0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Place a0 = place(q0, a, i), a1 = place(q1, a, i), b0 = place(q0, b, j), b1 = place(q1, b, j);
      double square = 0.0;
      for (std::size_t k = 0; k < 3; ++k) square += std::pow(a1[k] - a0[k] - b1[k] + b0[k], 2);
      moved = std::max(moved, std::sqrt(square));
    }
  return moved;
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

/// Visits each two pieces that come nearer than some way while coordinates go from q0 to q1, `part` of each radius and `more`; against an obstacle all of them.
template <class Visit>
void ContactBlock::each_pair(const double* q0, const double* q1, double part, double more, const Visit& visit) const {
  const int count = int(pieces_.size());
  for (int e = 0; obstacle_ && e < count; ++e) visit(e, count);
  if (obstacle_ || pieces_.empty()) return;
  std::vector<Box> boxes(pieces_.size());
  for (int e = 0; e < count; ++e) {
    const double around = part * pieces_[e].radius + more;
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
  each_near(boxes, visit);
}

ContactBlock::Found ContactBlock::find(const double* q0, const double* q1, double slack) const {
  Found out;
  each_pair(q0, q1, 1.0 + slack, 0.0, [&](int a, int b) {
    const double moved = travel(q0, q1, a, b), size = scale(a, b), gap = closest(q1, a, b).gap;
    if (closest(q0, a, b).gap > moved + slack * size && gap > slack * size) return;
    if (!(obstacle_ && obstacle_->hollow)) out.travel = std::max(out.travel, moved / size);
    out.meetings.push_back({a, b, gap / size});
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

std::string ContactBlock::label(const ContactPiece& piece) const {
  return message("{}: {} at s = {}", name_, *piece.curve, piece.s + 0.5 * piece.length);
}

/// Calls use(gap) with the row of a piece against the obstacle. Pieces of one block are all of one kind.
template <class Use> void ContactBlock::with_gap(const ContactPiece& piece, const Use& use) const {
  const auto [from, to] = piece.at;
  if (dim_ == 2 && from == to) return use(ObstacleGap<2, 1>{{from}, piece.radius, obstacle_});
  if (dim_ == 2) return use(ObstacleGap<2, 2>{{from, to}, piece.radius, obstacle_});
  if (from == to) return use(ObstacleGap<3, 1>{{from}, piece.radius, obstacle_});
  use(ObstacleGap<3, 2>{{from, to}, piece.radius, obstacle_});
}

void ContactBlock::add_to(System& system, const std::vector<Meeting>& meetings) const {
  for (const Meeting& one : meetings) {
    const ContactPiece& a = pieces_[one.a];
    if (is_obstacle(one.b)) {
      with_gap(a, [&](const auto& gap) { system.add(gap, label(a)); });
      continue;
    }
    const ContactPiece& b = pieces_[one.b];
    const std::array<int, 4> at{a.at[0], a.at[1], b.at[0], b.at[1]};
    const std::string both = message("{} and {} at s = {}", label(a), *b.curve, b.s + 0.5 * b.length);
    if (dim_ == 2)
      system.add(SegmentGap<2>{at, a.radius + b.radius, both});
    else
      system.add(SegmentGap<3>{at, a.radius + b.radius, both});
  }
}

double ContactBlock::least_gap(const double* q) const {
  double least = sight_;
  each_pair(q, q, 1.0, 0.5 * sight_, [&](int a, int b) { least = std::min(least, closest(q, a, b).gap); });
  return least;
}

/// What is between tubes no motion of space changes; before an obstacle that stands still it does, and momenta are not kept.
void ContactBlock::rates(const Instant& at, double* rate) const {
  rate[0] = 0.0;
  const int count = obstacle_ ? int(pieces_.size()) : 0;
  double least = std::numeric_limits<double>::infinity();
  for (int e = 0; e < count; ++e) {
    const Place from = place(at.q, e, 0);
    Place u = place(at.q, e, 1);
    for (std::size_t k = 0; k < 3; ++k) u[k] -= from[k];
    const auto nearest = nearest_to_axis(*obstacle_, from, u);
    const double gap = gap_to(*obstacle_, pieces_[e].radius, nearest.square);
    if (!(gap < least)) continue;
    least = gap;
    rate[0] = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double v = (1.0 - nearest.s) * place(at.v, e, 0)[k] + nearest.s * place(at.v, e, 1)[k];
      rate[0] += (obstacle_->hollow ? -1.0 / scale(e, count) : 1.0 / std::sqrt(nearest.square)) * nearest.apart[k] * v;
    }
  }
}

/// A spring for each piece, as all of them are known.
std::unique_ptr<DynamicsBlock> ContactBlock::penalized(double epsilon) const {
  require(obstacle_ != nullptr,
          "'{}': contact of beams with each other cannot be penalised, because which parts meet changes on the way; let "
          "moreau-jean hold it.",
          name_);
  std::unique_ptr<DynamicsBlock> out;
  with_gap(pieces_.front(), [&](auto gap) {
    ConstraintTerms<decltype(gap)> rows;
    for (const ContactPiece& piece : pieces_) {
      std::copy_n(piece.at.begin(), gap.at.size(), gap.at.begin());
      gap.radius = piece.radius;
      rows.push(gap, label(piece), *std::max_element(gap.at.begin(), gap.at.end()) + dim_);
    }
    out = rows.penalized(epsilon);
  });
  return out;
}

std::vector<const ContactBlock*> contacts_of(const System& system) {
  std::vector<const ContactBlock*> out;
  for (const auto& block : system.constraints())
    if (const auto* one = dynamic_cast<const ContactBlock*>(block.get())) out.push_back(one);
  return out;
}

}  // namespace taut
