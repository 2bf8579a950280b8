#pragma once

#include <memory>
#include <taut/io/model_file.hpp>

namespace taut {

/// What a results file says about its run.
struct ResultsHeader {
  std::string version, model_path, model_text, name, integrator, solver;
  std::string options;  ///< JSON: everything needed to run it again
  std::vector<std::string> coordinates, constraints, outputs;
};

/// One run in one HDF5 file, streamed: records are appended as the run goes and flushed about twice a second, in HDF5's single-writer
/// mode, so that the file can be read while it grows and after a crash up to the last flush.
///
///     t, q, v, lambda, outputs, energy (kinetic, potential), residual (|g|, |ġ|), newton      one row per record
///     records       number of whole rows; after a crash single columns may hold a row more
///     events        (number of the event, t, q, v) at each crossing
///     checkpoint    where a run goes on
///     verdict (0: it goes on or was killed, otherwise 1 + that of the run), message
/// and datasets of strings: header, model, coordinates, constraints, output_names.
class ResultsWriter {
 public:
  /// Throws InputError if the file cannot be made.
  ResultsWriter(const std::string& path, const ResultsHeader& header);
  ~ResultsWriter();
  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;

  struct Row {
    double t;
    const double *q, *v, *lambda, *outputs;
    double kinetic, potential, position_residual, velocity_residual;
    int newton;
  };
  void append(const Row& row);
  void event(int which, double t, const Vector& q, const Vector& v);
  void checkpoint(const Checkpoint& point,
                  const std::vector<double>& certificate = {});  ///< together with all records before it
  void flush();

  /// Writes how the run ended and closes. Throws std::runtime_error if anything could not be written: a full disk, most of all.
  void finish(Verdict verdict, const std::string& message);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// A results file, read back.
struct Results {
  ResultsHeader header;
  std::optional<Verdict> verdict;  ///< none: the run goes on, or was killed
  std::string message;
  long records = 0;
  std::vector<double> t, q, v, lambda, outputs, energy, residual;  ///< row by row
  std::vector<int> newton;
  std::vector<double> events;            ///< rows of 2 + 2·coordinates
  std::optional<Checkpoint> checkpoint;  ///< the last whole one
  std::vector<double> checkpoint_certificate;
  long checkpoint_records = 0;  ///< records before it
  long checkpoint_events = 0;
};

/// Throws InputError if it is not a results file of this program, or not one that can be read.
Results read_results(const std::string& path);

}  // namespace taut
