#pragma once

#include <chrono>
#include <string>

namespace taut::cli {

/// A line on standard error with what is being done, the share done and the time left; silent unless that is a terminal.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const std::string& what, double done);

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace taut::cli
