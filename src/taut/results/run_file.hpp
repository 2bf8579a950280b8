#pragma once

#include <chrono>
#include <taut/results/file_lock.hpp>
#include <taut/results/results.hpp>

namespace taut {

struct RunFileOptions {
  std::string path;
  bool resume = false;  ///< go on from the checkpoint in it
  bool force = false;   ///< overwrite whatever is there
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
  RunFile(const RunFileOptions& asked, const RunHeader& header);

  /// What a resumed run goes on from: its checkpoint, if there is one, and the rows before it; none for a new run.
  const Results* old() const { return old_ ? &*old_ : nullptr; }
  ResultsWriter& writer() { return *writer_; }

  /// To be told of every checkpoint. The first is written at once, later ones when some time has passed: the clock decides what is on disk, never
  /// what the run does. `certificate` is what the certificate remembers.
  void checkpoint(const Checkpoint& point, const std::vector<double>& certificate = {});

  /// Writes the last checkpoint, so that the run can be extended, and how it ended. An interrupted run is not finished.
  void finish(Verdict verdict, const std::string& message, bool interrupted = false);

 private:
  struct Pending {
    Checkpoint point;
    std::vector<double> certificate;
    ResultsWriter::Place at;
  };
  void begin(const RunFileOptions& asked, const RunHeader& header);
  void copy_old();

  FileLock lock_;
  double checkpoint_after_;
  std::optional<Results> old_;
  std::unique_ptr<ResultsWriter> writer_;
  std::optional<Pending> pending_;  ///< the newest checkpoint, while it is not on disk
  std::optional<std::chrono::steady_clock::time_point> written_;
};

/// Records a run in a results file.
class FileRecorder final : public Recorder {
 public:
  explicit FileRecorder(RunFileOptions options) : options_(std::move(options)) {}

  std::optional<Resumption> begin(const RunHeader& header) override;
  bool checkpoints() const override { return true; }
  void record(const Record& record) override { file_->writer().append(record); }
  void event(std::size_t which, double t, const Vector& q, const Vector& v) override {
    file_->writer().event(int(which), t, q, v);
  }
  void checkpoint(const Checkpoint& point, const std::vector<double>& certificate) override {
    file_->checkpoint(point, certificate);
  }
  void certify(const Certificate& certificate) override;
  void finish(Verdict verdict, const std::string& message, bool interrupted) override {
    file_->finish(verdict, message, interrupted);
  }

 private:
  RunFileOptions options_;
  std::optional<RunFile> file_;
};

/// Where results go if nobody says: the model's name and what was set, so that variants lie side by side: pendulum.l=2.h5.
std::string default_results_name(const std::string& model_path,
                                 const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace taut
