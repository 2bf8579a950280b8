#pragma once

#include <chrono>
#include <taut/io/file_lock.hpp>
#include <taut/io/results.hpp>

namespace taut {

struct RunFileOptions {
  std::string path;
  bool resume = false;  ///< go on from the checkpoint in it
  bool force = false;   ///< overwrite whatever is there
  double start = 0.0;   ///< time at which the run begins
  double step = 0.0;    ///< of a run in equal steps; 0: steps are chosen
  /// At least so long between checkpoints on disk: a run that is killed loses no more than this and the steps until the next renewal.
  double checkpoint_seconds = 2.0;
};

/// The results file of one run: nobody else writes it, nothing worth keeping is overwritten, and a resumed run finds what it goes on from.
///
/// The new file is written beside its place and moved there once it can be read, and once it has all that the old one had: at no moment is there
/// less than before.
class RunFile {
 public:
  /// Throws InputError if another process writes the file, if it holds something that must not be overwritten, or if a run cannot be resumed:
  /// the message says what differs.
  RunFile(const RunFileOptions& asked, const ResultsHeader& header);

  /// What a resumed run goes on from: its checkpoint, if there is one, and the rows before it; none for a new run.
  const Results* old() const { return old_ ? &*old_ : nullptr; }
  ResultsWriter& writer() { return *writer_; }

  /// To be told of every checkpoint. The first is written at once, later ones when some time has passed: the clock decides what is on disk, never
  /// what the run does. `certificate` is what the certificate remembers.
  void checkpoint(const Checkpoint& point, const std::vector<double>& certificate = {});

  /// Writes the last checkpoint, so that the run can be extended, and how it ended. An interrupted run is not finished.
  void finish(Verdict verdict, const std::string& message, bool interrupted = false);

  /// Steps after which a scheme is bound anew, so that a run can go on from there: SimulateOptions::renew. A number that depends on the model
  /// alone, because it decides on the last bits of the results.
  static long renewal_steps(int coordinates, const Traits& traits);

 private:
  struct Pending {
    Checkpoint point;
    std::vector<double> certificate;
    ResultsWriter::Place at;
  };
  void begin(const RunFileOptions& asked, const ResultsHeader& header);
  void copy_old();

  FileLock lock_;
  double checkpoint_after_;
  std::optional<Results> old_;
  std::unique_ptr<ResultsWriter> writer_;
  std::optional<Pending> pending_;  ///< the newest checkpoint, while it is not on disk
  std::optional<std::chrono::steady_clock::time_point> written_;
};

/// Where results go if nobody says: the model's name and what was set, so that variants lie side by side: pendulum.l=2.h5.
std::string default_results_name(const std::string& model_path,
                                 const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace taut
