#pragma once

#include <cstddef>
#include <vector>

/// A long run on a page: which of its records are drawn, and what plots show of the others.
namespace taut {

/// At most `most` records at about equal distances in time, the first and the last among them, and those nearest to the given times.
std::vector<std::size_t> chosen_frames(const std::vector<double>& t, std::size_t most, const std::vector<double>& besides);

/// Series of values thinned so that nothing that stands out is lost: the records are cut into stretches of equal time, and of each stretch a series shows
/// its smallest and its largest value, in the order in which they come.
class Thinned {
 public:
  /// Of `series` series over these times, at most about `points` points each.
  Thinned(const std::vector<double>& t, std::size_t points, std::size_t series);

  /// The values of all series at the next record.
  void add(const double* values);

  bool thinned() const { return thinned_; }
  const std::vector<double>& times() const { return times_; }
  std::vector<double> values(std::size_t series) const;

 private:
  struct Extremes {
    double low, high;
    bool low_first;
  };
  std::size_t series_, record_ = 0, stretch_ = 0;
  bool thinned_ = false;
  std::vector<std::size_t> ends_;   // one past the last record of each stretch
  std::vector<double> times_;       // one for a stretch of one record, two for the others
  std::vector<Extremes> extremes_;  // stretch by stretch
};

}  // namespace taut
