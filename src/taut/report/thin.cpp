#include <algorithm>
#include <cmath>
#include <taut/report/thin.hpp>

namespace taut {

std::vector<std::size_t> chosen_frames(const std::vector<double>& t, std::size_t most, const std::vector<double>& besides) {
  std::vector<std::size_t> out;
  if (t.size() <= most + most / 4) {  // a few more do no harm
    for (std::size_t k = 0; k < t.size(); ++k) out.push_back(k);
    return out;
  }
  const double sign = t.back() < t.front() ? -1.0 : 1.0;
  const auto nearest = [&](double time) {
    const auto after = std::lower_bound(t.begin(), t.end(), time, [&](double a, double b) { return sign * (a - b) < 0.0; });
    const auto k = std::size_t(std::min(after - t.begin(), std::ptrdiff_t(t.size()) - 1));
    return k > 0 && std::abs(t[k - 1] - time) < std::abs(t[k] - time) ? k - 1 : k;
  };
  for (std::size_t k = 0; k < most; ++k)
    out.push_back(nearest(t.front() + (t.back() - t.front()) * double(k) / double(most - 1)));
  for (const double time : besides) out.push_back(nearest(time));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Thinned::Thinned(const std::vector<double>& t, std::size_t points, std::size_t series) : series_(series) {
  thinned_ = t.size() > points;
  const std::size_t stretches = std::max<std::size_t>(1, points / 2);
  std::size_t before = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    // The stretch of the next record; the last record ends the last one.
    const double part = k + 1 < t.size() ? (t[k + 1] - t.front()) / (t.back() - t.front()) : 2.0;
    const auto next = thinned_ ? std::size_t(std::clamp(part, 0.0, 2.0) * double(stretches)) : k + 1;
    if (next == before && k + 1 < t.size()) continue;
    const std::size_t first = ends_.empty() ? 0 : ends_.back();
    times_.push_back(t[first]);
    if (k > first) times_.push_back(t[k]);
    ends_.push_back(k + 1);
    before = next;
  }
  extremes_.reserve(ends_.size() * series_);
}

void Thinned::add(const double* values) {
  const bool fresh = record_ == (stretch_ > 0 ? ends_[stretch_ - 1] : 0);
  if (fresh)
    for (std::size_t k = 0; k < series_; ++k) extremes_.push_back({values[k], values[k], true});
  Extremes* now = extremes_.data() + stretch_ * series_;
  for (std::size_t k = 0; !fresh && k < series_; ++k) {
    if (values[k] < now[k].low || std::isnan(now[k].low)) now[k].low = values[k], now[k].low_first = false;
    if (values[k] > now[k].high || std::isnan(now[k].high)) now[k].high = values[k], now[k].low_first = true;
  }
  if (++record_ == ends_[stretch_]) ++stretch_;
}

std::vector<double> Thinned::values(std::size_t series) const {
  std::vector<double> out;
  out.reserve(times_.size());
  for (std::size_t s = 0; s < stretch_; ++s) {
    const auto [low, high, low_first] = extremes_[s * series_ + series];
    const std::size_t first = s > 0 ? ends_[s - 1] : 0;
    out.push_back(low_first ? low : high);
    if (ends_[s] - first > 1) out.push_back(low_first ? high : low);
  }
  return out;
}

}  // namespace taut
