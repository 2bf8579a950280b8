#include "progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace taut::cli {

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(const std::string& what, double done) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr int width = 30;
  const int full = std::clamp(int(done * width), 0, width);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left = done > 0.01 ? fmt::format("{:.0f} s left", elapsed * (1.0 - done) / done) : "";
  fmt::print(stderr, "\r\033[K[{}{}] {:3.0f} %  {}  {}", std::string(full, '#'), std::string(width - full, '.'),
             100.0 * done, what, left);
  std::fflush(stderr);
}

}  // namespace taut::cli
