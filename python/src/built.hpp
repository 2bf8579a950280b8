#pragma once

#include <chrono>
#include <memory>
#include <taut/model/model_builder.hpp>
#include <taut/simulate/simulate.hpp>

#include "convert.hpp"

namespace taut::python {

/// A model that has been read. Nothing changes it, so that any number of threads may run it.
struct Built {
  std::shared_ptr<ModelFile> model;
  std::shared_ptr<const ModelReader> reader{};  ///< that has read it, for other numbers
};

/// Lets Python look at signals, and at the progress of a run, some two hundred times a second; costs next to nothing in between. An exception that comes of it ends
/// the run and comes out unchanged.
class Attention {
 public:
  /// Signals reach the main thread alone; others need not ask for the interpreter.
  Attention(bool signals, nb::object progress) : signals_(signals), progress_(std::move(progress)) {}

  void look(double done) {
    if (!signals_ && progress_.is_none()) return;
    if (++since_ < wait_) return;
    since_ = 0;
    const auto now = Clock::now();
    const auto passed = now - last_;
    // The clock is asked so rarely that it is not felt: small steps come by the million a second.
    wait_ = now - asked_ < rest / 100 ? std::min(2 * wait_, 64) : 1;
    asked_ = now;
    if (passed < rest) return;
    last_ = now;
    call(done);
  }
  void call(double done) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress_.is_none()) progress_(done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::nanoseconds rest{5'000'000};
  bool signals_;
  nb::object progress_;
  Clock::time_point last_ = Clock::now(), asked_ = last_;
  int since_ = 0, wait_ = 1;
};

}  // namespace taut::python
