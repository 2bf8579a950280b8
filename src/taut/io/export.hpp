#pragma once

#include <taut/io/results.hpp>

namespace taut {

/// Writes results in another format, by the ending of the name: .csv (one row per record), .npz (NumPy: t, q, v, lambda, outputs, energy,
/// residual and the names), .vtk (ParaView: a legacy file per record, NAME_0000.vtk …, and NAME.vtk.series, for models with masses).
void export_results(const Results& results, const std::string& path);

/// A commented model to begin with.
void write_starter(const std::string& path);

}  // namespace taut
