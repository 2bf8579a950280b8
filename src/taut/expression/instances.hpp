#pragma once

#include <algorithm>
#include <atomic>
#include <taut/expression/program.hpp>
#include <taut/system/block.hpp>

namespace taut {

/// Many instances of one shape: their coordinates and their numbers. Programs are run for all of them, several at once where there are several.
class InstanceSet {
 public:
  /// The outputs for one instance.
  template <int stride> struct Lane {
    const double* values;
    double operator[](int k) const { return values[std::ptrdiff_t(k) * stride]; }
  };

  InstanceSet(int coordinates, int numbers) : n_(coordinates), numbers_each_(numbers) {}

  void add(const std::vector<int>& stencil, const std::vector<double>& numbers) {
    stencils_.insert(stencils_.end(), stencil.begin(), stencil.end());
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    ++count_;
    first_stamp_ = next_stamps();
  }
  int count() const { return count_; }
  const int* stencil(int instance) const { return stencils_.data() + std::ptrdiff_t(instance) * n_; }
  const double* numbers(int instance) const { return numbers_.data() + std::ptrdiff_t(instance) * numbers_each_; }
  InstanceSet without(const std::vector<char>& off) const {
    InstanceSet rest(n_, numbers_each_);
    for (int k = 0; k < count_; ++k) {
      if (off[std::size_t(k)] == 0) rest.add({stencil(k), stencil(k + 1)}, {numbers(k), numbers(k + 1)});
    }
    return rest;
  }

  /// Calls use(instance, lane) for each.
  template <class Use> void each(const Program& program, const Instant& at, const Use& use) const {
    if (program.outputs() == 0) return;
    int next = 0;
    if (count_ >= Program::lanes / 2) {
      constexpr int lanes = Program::lanes;
      const int inputs = 1 + 2 * n_ + numbers_each_;
      double* in = buffer(std::size_t(lanes) * std::size_t(inputs + program.outputs()));
      double* out = in + std::ptrdiff_t(lanes) * inputs;
      for (; next < count_; next += lanes) {
        for (int l = 0; l < lanes; ++l) fill(std::min(next + l, count_ - 1), at, in + l, lanes);
        program.run_lanes(in, out);
        for (int l = 0; l < lanes && next + l < count_; ++l) use(next + l, Lane<lanes>{out + l});
      }
      return;
    }
    for (; next < count_; ++next) {
      Program::Call call = program.begin();
      set_variables(next, at, [&](int k, double value) { call.set(k, value); });
      use(next, Lane<1>{program.finish(call, numbers(next), stamp(next))});
    }
  }

  /// The outputs for one instance whose coordinates are given one after the other; no velocities are zero ones.
  const double* local(const Program& program, int instance, const Instant& at) const {
    Program::Call call = program.begin();
    call.set(0, at.t);
    for (int i = 0; i < n_; ++i) {
      call.set(1 + i, at.q[i]);
      call.set(1 + n_ + i, at.v != nullptr ? at.v[i] : 0.0);
    }
    return program.finish(call, numbers(instance), stamp(instance));
  }

 private:
  std::uint64_t stamp(int instance) const { return first_stamp_ + std::uint64_t(instance); }

  template <class Put> void set_variables(int instance, const Instant& at, const Put& set) const {
    const int* own = stencil(instance);
    set(0, at.t);
    for (int i = 0; i < n_; ++i) {
      set(1 + i, at.q[own[i]]);
      set(1 + n_ + i, at.v != nullptr ? at.v[own[i]] : 0.0);
    }
  }
  void fill(int instance, const Instant& at, double* in, int stride) const {
    set_variables(instance, at, [&](int k, double value) { in[std::ptrdiff_t(k) * stride] = value; });
    const double* own = numbers(instance);
    for (int k = 0; k < numbers_each_; ++k) in[std::ptrdiff_t(1 + 2 * n_ + k) * stride] = own[k];
  }

  /// Of sets of so few that they are run one by one, each gets stamps of its own; copies hold the same numbers.
  static std::uint64_t next_stamps() {
    static std::atomic<std::uint64_t> given{1};
    return given += std::uint64_t(1) << 20;
  }

  /// Scratch of the thread; what a program is given need not outlive the call.
  static double* buffer(std::size_t size) {
    thread_local std::vector<double> all;
    if (all.size() < size) all.resize(size);
    return all.data();
  }

  int n_, numbers_each_, count_ = 0;
  std::uint64_t first_stamp_ = 0;
  std::vector<int> stencils_;
  std::vector<double> numbers_;
};

}  // namespace taut
