#pragma once

#include <taut/model/run_model.hpp>
#include <taut/study/measured_run.hpp>

namespace taut {

struct VerifyOptions {
  /// Coordinates times steps up to which a fourth run, with an eighth of the step, is made: some seconds. The runs together take fifteen times the steps of the
  /// first, instead of seven.
  double effort = 4e6;
  double largest_share = 0.1;  ///< of the motion that the error may be, for the run to be trusted; more is another motion
  StudyWatch watch{};
};

/// What smaller steps, or tolerances, say of a run.
///
/// With equal steps the run is repeated with h/2, h/4 and, where that is cheap, h/8. The differences dₖ = |qₖ − qₖ₊₁| at the end give the orders
/// log₂(dₖ/dₖ₊₁), and these tell whether the error follows the power of h that the scheme promises (1 where there are impacts). No step is divided where it fails:
/// runs that were rescued by the same substeps would agree, and be wrong. With tolerances the run is repeated with a tenth and a hundredth of them,
/// and with a scheme of another kind, which does not err in the same way.
///
/// The error is that of the run as given, q₀ − q_last and the rest of the series. It is trusted only if it is small against the motion.
struct Verification {
  bool controlled = false;          ///< by tolerances
  std::vector<double> sizes;        ///< steps, or tolerances
  std::vector<double> differences;  ///< of one run to the next, in q at the end
  std::vector<double> orders;       ///< of each two differences that are above round-off
  int promised = 0;                 ///< order
  double error = 0.0;               ///< estimated, of the first run
  double moved = 0.0;               ///< size of the motion: largest |q − q(0)|
  std::string other{};              ///< scheme of another kind that was asked, with tolerances
  double other_difference = 0.0;    ///< how far from it the run ends
  bool trusted = false;
  std::string verdict;      ///< in words
  std::string trouble{};    ///< what went wrong, where a run did not reach its end
  Certificate certificate;  ///< of the first run

  double order() const;  ///< of the finest steps; not a number where there is none
};

Verification verify(const ModelFile& model, const RunPlan& planned, const VerifyOptions& options = {});

}  // namespace taut
