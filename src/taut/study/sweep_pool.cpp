#include <algorithm>
#include <taut/study/sweep_pool.hpp>
#include <thread>

namespace taut {

SweepOutcome SweepPool::run() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t batches = (options_.runs.size() + batch_ - 1) / batch_;
  std::size_t count = options_.workers > 0 ? std::size_t(options_.workers) : cores;
  count = std::min(count, std::max<std::size_t>(1, batches));
  parts_ = std::vector<Part>(count);
  working_ = count;
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < count; ++k) threads.emplace_back([this, k] { labour(k); });
  const auto join = [&] {
    for (std::thread& one : threads) one.join();
  };
  try {
    take_all();
  } catch (...) {
    stop_ = true;
    join();
    throw;
  }
  join();
  if (trouble_) std::rethrow_exception(trouble_);
  SweepOutcome out{taken_, std::size_t(taken_) < options_.runs.size(), {}};
  out.choices.assign(choices_.begin(), choices_.end());
  return out;
}

void SweepPool::labour(std::size_t who) {
  const std::function<bool()> interrupted = [this] { return stop_.load(); };
  const std::function<void(double)> behind = [&mine = parts_[who].behind](double part) {
    mine.store(part, std::memory_order_relaxed);
  };
  const std::vector<long>& runs = options_.runs;
  try {
    while (!stop_) {
      const std::size_t first = batch_ * next_++;
      if (first >= runs.size()) break;
      std::vector<SweepRow> rows;
      std::vector<std::string> choices;
      work_({{runs.data() + first, std::min(batch_, runs.size() - first)}, rows, choices, interrupted, behind});
      const std::lock_guard<std::mutex> guard(mutex_);
      behind(0.0);
      for (const std::string& one : choices) ++choices_[one];
      std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
      if (rows_.size() >= 64) ready_.notify_one();
    }
  } catch (...) {
    const std::lock_guard<std::mutex> guard(mutex_);
    trouble_ = std::current_exception();
    stop_ = true;
  }
  const std::lock_guard<std::mutex> guard(mutex_);
  --working_;
  ready_.notify_one();
}

/// Until nobody works any more, in the caller's thread.
void SweepPool::take_all() {
  const double all = double(options_.runs.size());
  for (bool over = false; !over;) {
    std::vector<SweepRow> rows;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait_for(lock, std::chrono::milliseconds(50), [this] { return working_ == 0 || rows_.size() >= 64; });
      rows.swap(rows_);
      over = working_ == 0;
    }
    for (const SweepRow& row : rows) {
      if (options_.take) options_.take(row);
      ++taken_;
    }
    if (options_.idle) options_.idle();
    if (options_.watch.over()) stop_ = true;
    if (!options_.watch.progress) continue;
    double done = double(taken_);
    for (const Part& part : parts_) done += double(batch_) * part.behind.load();
    options_.watch.progress(message("run {} of {}", taken_, options_.runs.size()), std::min(done / all, 1.0));
  }
}

}  // namespace taut
