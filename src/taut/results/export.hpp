#pragma once

#include <taut/model/recorder.hpp>

namespace taut {

/// Writes results in another format, by the ending of the name: .csv (one row per record), .npz (NumPy: t, q, v, lambda, outputs, energy,
/// residual and the names), .pvd or .vtp (ParaView: a file per record, NAME_000000.vtp …, and NAME.pvd, which names them with their times), .vtk (the same in
/// VTK's old format, with NAME.vtk.series), .gltf and .glb (an animation, in one file). The last four show what the scene of the run shows.
void export_results(const Recording& results, const std::string& path);

void write_vtk(const Recording& results, const std::string& path);
void write_gltf(const Recording& results, const std::string& path);

}  // namespace taut
