#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <taut/base/require.hpp>
#include <taut/report/motion.hpp>
#include <taut/report/pack.hpp>
#include <taut/report/thin.hpp>
#include <taut/results/scene_text.hpp>

namespace taut {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t drawn_numbers = 400'000, least_frames = 200, most_frames = 1'500;
/// The extent of the motion over the quantum: as fine as fits into the bytes, and never coarser than the last, which is a fifth of a pixel on a large screen.
constexpr std::array fineness{1.6e7, 1e6, 1e5, 2e4};
constexpr std::size_t motion_bytes = 400'000;
constexpr double unit_quantum = 2e-5, force_fineness = 1e4;
constexpr double counted = 1e13;  ///< multiples of the quantum: see PackedRows
/// Rows of reactions that go alike are those of neighbours: one row each for rods, up to six for joints.
const std::vector<int> force_lags{1, 2, 3, 5, 6};

}  // namespace

Motion::Motion(const RunHeader& header, const std::vector<double>& t, const std::vector<double>& besides)
    : header_(header), t_(t) {
  const Scene& scene = header.scene;
  for (const Scene::Place& one : scene.places)
    for (const Scene::Affine& form : one.x)
      if (one.track < 0) note(form, false);
  std::vector<int> first_of_solid;
  for (const Scene::Solid& one : scene.solids) {
    first_of_solid.push_back(int(scalars_.size()));
    for (const Scene::Affine& form : one.origin) note(form, false);
    for (const Scene::Vector3& axis : one.axes)
      for (const Scene::Affine& form : axis) note(form, true);
  }
  for (const Scene::Curve& one : scene.curves)
    for (const Scene::Vector3& direction : one.stripe)
      for (const Scene::Affine& form : direction) note(form, true);
  // Places that stand beside each other in the scene move alike, and so do bodies.
  lags_ = {scene.dim};
  if (first_of_solid.size() > 1 && first_of_solid[1] - first_of_solid[0] > scene.dim)
    lags_.push_back(first_of_solid[1] - first_of_solid[0]);
  first_track_ = int(scalars_.size());
  for (std::size_t k = 0; k < scene.track_numbers(); ++k) scalars_.push_back({.track = int(k)});
  for (const Scene::Reaction& one : scene.reactions) rows_.push_back(one.row);
  std::sort(rows_.begin(), rows_.end());
  rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  if (scene.empty()) return;
  const std::size_t most = drawn_numbers / std::max<std::size_t>(1, scalars_.size());
  frames_ = chosen_frames(t, std::clamp(most, least_frames, most_frames), besides);
}

void Motion::note(const Scene::Affine& form, bool unit) {
  if (form.weights.empty()) return;
  const auto [found, fresh] = known_.emplace(std::pair(form.weights, form.offset), int(scalars_.size()));
  if (fresh) scalars_.push_back({.form = form, .unit = unit});
}

void Motion::add(const Recording& part, std::size_t first) {
  const std::size_t n = header_.coordinates.size(), m = header_.constraints.size(), k = header_.scene.track_numbers();
  for (; next_ < frames_.size() && frames_[next_] < first + std::size_t(part.records); ++next_) {
    const std::size_t s = frames_[next_] - first;
    const double *q = part.q.data() + s * n, *lambda = part.lambda.data() + s * m, *tracks = part.tracks.data() + s * k;
    for (const Scalar& one : scalars_) values_.push_back(one.track >= 0 ? tracks[one.track] : one.form.at(q));
    for (const int row : rows_) lambda_.push_back(lambda[row]);
  }
}

/// Frames that can be drawn: where a run diverges, its last places are far beyond those before, or no numbers.
std::vector<std::size_t> Motion::good_frames(double& extent) const {
  const std::size_t width = scalars_.size();
  std::vector<double> sizes, sorted;
  for (std::size_t f = 0; f < next_; ++f) {
    double size = 0.0;
    for (std::size_t k = 0; k < width; ++k) {
      const double x = std::abs(values_[f * width + k]);
      if (!scalars_[k].unit) size = std::isfinite(x) ? std::max(size, x) : std::numeric_limits<double>::infinity();
      if (!std::isfinite(size)) break;
    }
    sizes.push_back(size);
    if (std::isfinite(size)) sorted.push_back(size);
  }
  std::sort(sorted.begin(), sorted.end());
  const double limit = sorted.empty() ? 0.0 : 1e3 * std::max(sorted[sorted.size() / 2], 1e-300);
  std::vector<std::size_t> good;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(width, infinity), high(width, -infinity);
  for (std::size_t f = 0; f < next_; ++f) {
    if (!(sizes[f] <= limit)) continue;
    good.push_back(f);
    for (std::size_t k = 0; k < width; ++k) {
      low[k] = std::min(low[k], values_[f * width + k]);
      high[k] = std::max(high[k], values_[f * width + k]);
    }
  }
  extent = 0.0;
  double all_low = infinity, all_high = -infinity;
  for (std::size_t k = 0; k < width && !good.empty(); ++k) {
    if (scalars_[k].unit) continue;
    extent = std::max(extent, high[k] - low[k]);
    all_low = std::min(all_low, low[k]);
    all_high = std::max(all_high, high[k]);
  }
  // What hardly moves is measured by how large it is, and by how far away.
  extent = std::max(extent, all_high > all_low ? 0.1 * (all_high - all_low) : 0.0);
  if (!good.empty()) extent = std::max(extent, std::max(std::abs(all_low), std::abs(all_high)) * fineness[0] / counted);
  if (extent == 0.0) extent = 1.0;
  return good;
}

/// A constant, or [number of a scalar].
ordered_json Motion::axis(const Scene::Affine& form, bool) const {
  if (form.weights.empty()) return form.offset;
  return ordered_json::array({known_.at(std::pair(form.weights, form.offset))});
}

/// Whether A.x, A.y (A.z) are where A is: then they can be plotted from the motion.
bool Motion::shows_coordinates(const Scene::Place& place) const {
  for (std::size_t k = 0; k < std::size_t(header_.scene.dim); ++k) {
    const auto& weights = place.x[k].weights;
    if (place.track >= 0 || weights.size() != 1 || weights[0].second != 1.0 || place.x[k].offset != 0.0) return false;
    if (header_.coordinates[std::size_t(weights[0].first)] != place.name + "." + "xyz"[k]) return false;
  }
  return true;
}

ordered_json Motion::scene() const {
  const Scene& scene = header_.scene;
  ordered_json out = ordered_json::parse(scene_text(scene));
  const auto vector = [&](const Scene::Vector3& form, bool unit) {
    ordered_json all = ordered_json::array();
    for (const Scene::Affine& one : form) all.push_back(axis(one, unit));
    return all;
  };
  for (std::size_t p = 0; p < scene.places.size(); ++p) {
    const Scene::Place& one = scene.places[p];
    ordered_json& to = out["places"][p];
    to["x"] = vector(one.x, false);
    for (int k = 0; one.track >= 0 && k < scene.dim; ++k)
      to["x"][std::size_t(k)] = ordered_json::array({first_track_ + one.track * scene.dim + k});
    to.erase("track");
    if (shows_coordinates(one)) to["plain"] = true;
  }
  for (std::size_t b = 0; b < scene.solids.size(); ++b) {
    out["solids"][b]["origin"] = vector(scene.solids[b].origin, false);
    for (std::size_t i = 0; i < 3; ++i) out["solids"][b]["axes"][i] = vector(scene.solids[b].axes[i], true);
  }
  for (std::size_t c = 0; c < scene.curves.size(); ++c)
    for (std::size_t k = 0; k < scene.curves[c].stripe.size(); ++k)
      out["curves"][c]["stripe"][k] = vector(scene.curves[c].stripe[k], true);
  // Links and reactions are many: [kind, a, b] and [place, row, number of the force it is a part of, other place or direction].
  for (ordered_json& one : out["links"]) one = {one["kind"], one["a"], one["b"]};
  std::map<std::tuple<int, int, std::string>, int> forces;
  for (std::size_t k = 0; k < scene.reactions.size(); ++k) {
    const Scene::Reaction& one = scene.reactions[k];
    const auto row = std::lower_bound(rows_.begin(), rows_.end(), one.row) - rows_.begin();
    const int force = forces.emplace(std::tuple(one.place, one.other, one.name), int(forces.size())).first->second;
    out["reactions"][k] = {one.place, row, force, one.other >= 0 ? ordered_json(one.other) : ordered_json(one.direction)};
  }
  return out;
}

void Motion::into(ordered_json& out, std::vector<std::string>& notes) const {
  out["scene"] = scene();
  if (next_ == 0) return;
  double extent = 1.0;
  const std::vector<std::size_t> good = good_frames(extent);
  const std::size_t width = scalars_.size();
  std::vector<double> times;
  for (const std::size_t f : good) times.push_back(t_[frames_[f]]);
  ordered_json motion{{"t", pack_doubles(times)}, {"frames", good.size()}, {"scalars", width}};
  std::vector<std::int64_t> row(good.size());
  const double coarsest = round_quantum(extent / fineness.back());
  const auto packed = [&](double quantum) {  // as far as it fits
    PackedRows rows(lags_);
    for (std::size_t k = 0; k < width && (quantum == coarsest || rows.size() <= motion_bytes); ++k) {
      const double unit = scalars_[k].unit ? unit_quantum : quantum;
      for (std::size_t f = 0; f < good.size(); ++f) row[f] = std::llround(values_[good[f] * width + k] / unit);
      rows.add(row);
    }
    return rows;
  };
  double quantum = 1.0;
  for (const double fine : fineness) {
    quantum = round_quantum(extent / fine);
    PackedRows rows = packed(quantum);
    if (rows.size() > motion_bytes && quantum != coarsest) continue;
    motion["data"] = rows.text();
    break;
  }
  motion["quantum"] = quantum;
  motion["lags"] = lags_;
  motion["unit_quantum"] = unit_quantum;
  motion["units"] = ordered_json::array();
  for (std::size_t k = 0; k < width; ++k)
    if (scalars_[k].unit) motion["units"].push_back(k);
  out["motion"] = std::move(motion);
  if (good.size() < t_.size())
    notes.push_back(
        message("{} of {} records are drawn, at about equal distances in time; between them places go in straight lines.",
                good.size(), t_.size()));
  if (good.size() < next_)
    notes.push_back(
        message("{} records are not drawn: places there are no numbers, or more than a thousand times as far away "
                "as usual.",
                next_ - good.size()));
  if (rows_.empty()) return;
  double most = 0.0;
  for (const double x : lambda_)
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  const double force = round_quantum(most > 0.0 ? most / force_fineness : 1.0);
  PackedRows rows(force_lags);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    for (std::size_t f = 0; f < good.size(); ++f) {
      const double x = lambda_[good[f] * rows_.size() + k];
      row[f] = std::isfinite(x) ? std::llround(x / force) : 0;
    }
    rows.add(row);
  }
  ordered_json names = ordered_json::array();
  for (const int k : rows_) names.push_back(header_.constraints[std::size_t(k)]);
  out["lambda"] = {
      {"quantum", force}, {"lags", force_lags}, {"rows", rows_.size()}, {"names", std::move(names)}, {"data", rows.text()}};
}

}  // namespace taut
