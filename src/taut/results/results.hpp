#pragma once

#include <functional>
#include <memory>
#include <taut/model/recorder.hpp>

namespace taut {

/// One run in one HDF5 file, streamed: records are appended as the run goes and flushed about twice a second, in HDF5's single-writer
/// mode, so that the file can be read while it grows and after a crash up to the last flush.
///
///     t, q, v, lambda, outputs, energy (kinetic, potential), residual (|g|, |ġ|), newton, step (the last one taken), tracks      one row per record
///     records       number of whole rows; after a crash single columns may hold a row more
///     events        (number of the event, t, q, v) at each crossing
///     checkpoint_0, checkpoint_1     where a run goes on; they take turns, so that one of them is whole
///     verdict (running, or that of the run), finished, message
///     certificate   JSON, once the run has ended, and its sum in 16 hexadecimal digits
///     state, record_sums, event_sums     sums by which the reader notices any byte that changed
/// and datasets of strings: header, model, coordinates, constraints, output_names, event_names; scene (JSON: see scene_text.hpp), by which
/// pictures are drawn.
class ResultsWriter {
 public:
  /// Throws InputError if the file cannot be made. Messages call it `shown`, where it will be moved, if that is given.
  ResultsWriter(const std::string& path, const RunHeader& header, const std::string& shown = {});
  ~ResultsWriter();
  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;

  void append(const Record& record);
  void event(int which, double t, const Vector& q, const Vector& v);

  /// How much the file holds.
  struct Place {
    long records = 0, events = 0;
  };
  Place place() const;

  /// Together with all records before it. `certificate` is what the certificate of the run remembers.
  void checkpoint(const Checkpoint& point, const std::vector<double>& certificate = {}) {
    checkpoint(point, certificate, place());
  }
  /// The same later: at that place in the file the run was there.
  void checkpoint(const Checkpoint& point, const std::vector<double>& certificate, Place at);
  void flush();

  /// What the run says of itself, as JSON. At the end, before finish().
  void certify(const std::string& certificate);

  /// Writes how the run ended and closes. `finished`: there is nothing to go on with. Throws std::runtime_error if anything could not be
  /// written: a full disk, most of all.
  void finish(Verdict verdict, const std::string& message, bool finished);
  void finish(Verdict verdict, const std::string& message) { finish(verdict, message, good(verdict)); }

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// A results file, read back.
struct Results : Recording {
  std::string certificate;               ///< JSON; empty while the run goes on, and in files of earlier versions
  std::optional<Checkpoint> checkpoint;  ///< the last whole one
  std::vector<double> checkpoint_certificate;
  long checkpoint_records = 0;  ///< records before it
  long checkpoint_events = 0;
};

/// Throws InputError if it is not a results file of this program, or if a byte of it is not what was written. Waits at most about a second,
/// and only while another process writes the file.
Results read_results(const std::string& path);

/// The same without rows and checkpoints.
Results read_results_summary(const std::string& path);

/// A results file part by part: memory does not grow with its length.
class ResultsParts {
 public:
  explicit ResultsParts(const std::string& path);
  ~ResultsParts();
  ResultsParts(const ResultsParts&) = delete;
  ResultsParts& operator=(const ResultsParts&) = delete;

  const Results& summary() const;  ///< without rows; events are there
  std::vector<double> times() const;
  /// Calls action(part, number of its first record) for all records in order; the header of a part is empty.
  void each(const std::function<void(const Recording& part, long first)>& action) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut
