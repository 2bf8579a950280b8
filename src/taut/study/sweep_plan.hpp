#pragma once

#include <optional>
#include <taut/model/model_builder.hpp>
#include <taut/study/distribution.hpp>
#include <taut/study/sampling.hpp>

namespace taut {

/// "x'" and "A.vx" → the coordinate, and that it is its velocity that is meant.
std::pair<std::string, bool> coordinate_and_rate(const std::string& name);

/// Which numbers each run of a sweep has.
///
/// Lists of values make all combinations, the last fastest, or go side by side; each of these is taken with all samples. A run is known by its number alone:
/// what it has does not depend on who runs it, or when.
class SweepPlan {
 public:
  /// Checks names, lists and distributions against the model. Throws InputError.
  SweepPlan(const SweepSection& asked, const ModelFile& model);

  long runs() const { return grid_ * samples_; }
  const std::vector<std::string>& names() const { return names_; }
  std::vector<double> values(long run) const;  ///< by names
  ModelNumbers numbers(long run) const;        ///< the same, for the reader

  /// Most runs that a sweep may have: beyond it neither file nor patience hold.
  static constexpr long most_runs = 100'000'000;

 private:
  struct List {
    std::vector<double> values;
    long stride = 1;  // runs of the grid after which it changes
  };
  void add_name(const std::string& name, const ModelFile& model);
  void count_grid(bool zip);

  std::vector<std::string> names_;  // lists first, then distributions
  std::vector<char> initial_;       // of names: an initial value
  std::vector<List> lists_;
  std::vector<Distribution> spread_;
  std::optional<Sampling> sampling_;
  long grid_ = 1, samples_ = 1;
};

/// Values in words: 0.5:2:50 (from, to, how many; both ends among them), 1e-6:1:7:log (in equal ratios), or 1, 2, 5. Throws InputError that names what they are of.
std::vector<double> values_in(const std::string& text, const std::string& of);

}  // namespace taut
