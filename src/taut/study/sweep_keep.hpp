#pragma once

#include <optional>
#include <taut/diagnostics/certificate.hpp>
#include <taut/model/model_file.hpp>
#include <taut/model/sweep_record.hpp>

namespace taut {

/// What is kept of each run of a sweep.
struct SweepKeep {
  struct Watched {
    std::string name;
    int output = -1;        ///< of the model, or
    int coordinate = -1;    ///< of the system,
    bool velocity = false;  ///< or its rate
    bool is_there() const { return output >= 0 || coordinate >= 0; }
  };
  std::vector<Watched> watched;
  bool ends = false;                       ///< what is watched, at the end
  bool extremes = false;                   ///< its least and largest value at the ends of steps, and when
  bool final_state = false;                ///< all coordinates and velocities at the end
  std::vector<std::string> coordinates{};  ///< these, by name
  std::vector<int> places{};               ///< and where they are
  bool certificate = false;                ///< figures of it
  std::vector<double> times;               ///< at which what is watched is kept too
  std::vector<SweepGroup> groups(const std::vector<std::string>& parameters) const;

  /// The same for a run with other outputs or coordinates, where a parameter says how many there are: by name, and no place for what it lacks. Nothing
  /// where all places are the same.
  std::optional<SweepKeep> found_in(const ModelFile& model) const;
};

/// In the words of --keep: outputs, extremes, final, certificate, names of outputs, coordinates and velocities, times=FROM:TO:HOW MANY. None: outputs, extremes and
/// certificate; without outputs the final states. Throws InputError.
SweepKeep sweep_keep(const std::vector<std::string>& words, const ModelFile& model);

/// Figures of a certificate that are kept, by name; and what they are of one.
const std::vector<std::string>& certificate_figures();
std::vector<double> figures_of(const Certificate& certificate);

}  // namespace taut
