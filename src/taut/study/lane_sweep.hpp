#pragma once

#include <map>
#include <mutex>
#include <span>
#include <taut/model/plan.hpp>
#include <taut/study/lane_code.hpp>
#include <taut/study/lane_gpu.hpp>
#include <taut/study/lane_kernel.hpp>
#include <taut/study/sweep.hpp>

namespace taut {

/// Why a sweep cannot run in lanes; nothing where it can.
std::string lane_objection(const ModelFile& model, const RunPlan& planned, const SweepKeep& keep);

/// What steps where nobody says: general or cpu, and why.
struct EngineChoice {
  std::string name, reason;
};
EngineChoice choose_engine(const ModelFile& model, const RunPlan& planned, const SweepKeep& keep, long runs);

/// Runs of a sweep side by side: in the lanes of the processor, or in the threads of a GPU; see lane_code(). For small models (up to 64 coordinates) with
/// equations as constraints and no events but such that stop or record, by rk4, dopri5, dop853, rattle and midpoint. Each run is read and assembled as any
/// other; what steps is compiled code.
///
/// With equal steps a run agrees with that of the general engine up to round-off; with tolerances steps are chosen by a controller of its own, with the
/// same estimate of the error. What a run gives depends on its number alone, not on its neighbours.
class LaneSweep {
 public:
  /// Compiles the code of the model as it stands. Throws InputError.
  LaneSweep(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, const ModelFile& model,
            const RunPlan& planned, LaneTarget target = LaneTarget::cpu);
  ~LaneSweep();

  SweepOutcome run(const SweepOptions& options);
  double compile_seconds() const;                                               ///< 0: it was there already
  double kernel_seconds() const { return kernel_seconds_; }                     ///< that the GPU took
  long operations() const { return codes_.begin()->second.layout.operations; }  ///< of one step, at least
  std::string device() const { return gpu_ ? gpu_->name() : "processor"; }

 private:
  /// The code of all runs with one key.
  struct Code {
    LaneLayout layout;
    std::unique_ptr<LaneKernel> kernel;  // of the processor, or
    int program = -1;                    // of the GPU
  };
  struct Lane;
  LaneRecord recorded(const ModelFile& model) const;
  const Code& code_of(const LaneRecord& record, const ModelFile& model);
  std::string text_of(const ModelFile& model, LaneLayout& layout) const;
  std::optional<Lane> read(long run, SweepRow& failed);
  void batch(std::span<const long> runs, std::vector<SweepRow>& rows);
  void go(const Code& code, const std::vector<const Lane*>& lanes, std::vector<SweepRow>& rows);
  SweepOutcome run_on_gpu(const SweepOptions& options);
  SweepRow row_of(const Lane& lane, const double* out, std::size_t stride) const;

  const ModelReader& reader_;
  const SweepPlan& plan_;
  const SweepKeep& keep_;
  LaneStepping stepping_;
  std::string integrator_;
  std::vector<std::string> events_;  // that stop
  LaneTarget target_;
  std::unique_ptr<LaneGpu> gpu_;
  std::mutex mutex_;
  std::map<std::string, Code> codes_;  // by key
  double compile_seconds_ = 0.0, kernel_seconds_ = 0.0;
};

}  // namespace taut
