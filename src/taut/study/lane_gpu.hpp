#pragma once

#include <memory>
#include <string>

namespace taut {

/// A GPU of NVIDIA, by its driver and its compiler at run time (libcuda, libnvrtc), which are looked for when they are asked for: nothing of them is needed to build.
class LaneGpu {
 public:
  /// Throws InputError if there is no GPU, or no compiler for it.
  LaneGpu();
  ~LaneGpu();
  LaneGpu(const LaneGpu&) = delete;
  LaneGpu& operator=(const LaneGpu&) = delete;

  const std::string& name() const;

  /// Code that was compiled for it, or found by its content; its number. Throws InputError with the compiler's words.
  int load(const std::string& code);
  double compile_seconds() const;  ///< so far

  /// `count` runs: inputs and outputs in rows of `count` numbers. Returns the seconds that the kernel took.
  double run(int program, const double* in, std::size_t inputs, double* out, std::size_t outputs, std::size_t count);

 private:
  struct Device;
  std::unique_ptr<Device> device_;
};

}  // namespace taut
