#pragma once

#include <memory>
#include <string>

namespace taut {

/// Code that was compiled by the system's compiler and loaded. Compiled files are kept by their content, so that a second start finds them.
class LaneKernel {
 public:
  using Function = void (*)(const double* in, double* out);

  /// Throws InputError if there is no compiler, or it does not take the code: with its words.
  explicit LaneKernel(const std::string& code);
  ~LaneKernel();
  LaneKernel(const LaneKernel&) = delete;
  LaneKernel& operator=(const LaneKernel&) = delete;

  int lanes() const { return lanes_; }
  void run(const double* in, double* out) const { run_(in, out); }
  double compile_seconds() const { return seconds_; }  ///< 0: it was there

  /// The folder of compiled files: $TAUT_CACHE, or taut in $XDG_CACHE_HOME or ~/.cache.
  static std::string folder();

 private:
  void* library_ = nullptr;
  Function run_ = nullptr;
  int lanes_ = 0;
  double seconds_ = 0.0;
};

/// A name that belongs to a text: that of the file in which what was made of it is kept.
std::string content_name(const std::string& text);

}  // namespace taut
