#pragma once

#include <taut/model/recorder.hpp>

namespace taut {

/// Writes results in another format, by the ending of the name: .csv (one row per record), .npz (NumPy: t, q, v, lambda, outputs, energy,
/// residual and the names), .vtk (ParaView: a legacy file per record, NAME_0000.vtk …, and NAME.vtk.series, for models with masses).
void export_results(const Recording& results, const std::string& path);

}  // namespace taut
