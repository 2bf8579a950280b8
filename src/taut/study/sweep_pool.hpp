#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <taut/study/sweep.hpp>

namespace taut {

/// Runs of a sweep in several threads; the caller's takes what they give.
class SweepPool {
 public:
  /// Does some runs and adds their rows; those it leaves out were interrupted. Called by several threads at once.
  struct Batch {
    std::span<const long> runs;
    std::vector<SweepRow>& rows;
    std::vector<std::string>& choices;          ///< of schemes, one for each run that had one
    const std::function<bool()>& interrupted;   ///< whether to leave
    const std::function<void(double)>& behind;  ///< to be told the part of the batch that is behind, 0 to 1
  };
  using Work = std::function<void(const Batch&)>;

  SweepPool(const SweepOptions& options, std::size_t batch, Work work)
      : options_(options), batch_(batch), work_(std::move(work)) {}
  SweepOutcome run();

 private:
  void labour(std::size_t who);
  void take_all();

  const SweepOptions& options_;
  std::size_t batch_;
  Work work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  /// Told in every step: on a line of the cache of its own, or threads would wait for each other's.
  struct alignas(128) Part {
    std::atomic<double> behind = 0.0;
  };
  std::vector<Part> parts_;  // of the batch that each is at
  long taken_ = 0;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<SweepRow> rows_;
  std::map<std::string, long> choices_;
  std::size_t working_ = 0;
  std::exception_ptr trouble_;
};

}  // namespace taut
