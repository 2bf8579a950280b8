#pragma once

#include <limits>
#include <optional>
#include <string>
#include <taut/diagnostics/certificate.hpp>
#include <taut/model/scene.hpp>
#include <taut/simulate/simulate.hpp>
#include <vector>

namespace taut {

/// What a run is about, for whoever records it.
struct RunHeader {
  std::string version, model_path, model_text, name, integrator, solver;
  std::string options;                                           ///< JSON: everything needed to run it again
  double until = 0.0;                                            ///< the end time that was asked for
  std::vector<std::string> coordinates, constraints, outputs{};  ///< names of the columns
  double start = 0.0;
  double step = 0.0;  ///< of a run in equal steps; 0: steps are chosen
  Scene scene{};
  std::vector<std::string> events{};  ///< names, by their numbers
  double records = 0.0;               ///< how many there will be, where that is known
};

/// One state of a run, by address.
struct Record {
  double t;
  const double *q, *v, *lambda, *outputs;
  double kinetic, potential, position_residual, velocity_residual;
  int newton;
  const double* tracks = nullptr;  ///< places of the scene that are no sums of coordinates
  double step = 0.0;               ///< the last that was taken, 0 at the start
};

/// What a run that is gone on with has left.
struct Resumption {
  const Checkpoint* checkpoint = nullptr;              ///< none: it is to begin anew
  const std::vector<double>* certificate = nullptr;    ///< what its certificate remembered there
  std::vector<std::pair<std::size_t, double>> events;  ///< before it: number and time
  double last_record = std::numeric_limits<double>::quiet_NaN();
};

/// Takes what a run gives while it goes: to a file, to memory, anywhere. A run without a recorder keeps nothing but its certificate.
class Recorder {
 public:
  virtual ~Recorder() = default;

  /// Before the first record. Gives what is left of a run that is to be gone on with; nothing for a new one.
  virtual std::optional<Resumption> begin(const RunHeader& header) = 0;

  /// Whether checkpoints are wanted: the scheme is then bound anew now and then, which decides on last bits.
  virtual bool checkpoints() const { return false; }

  virtual void record(const Record& record) = 0;
  virtual void event(std::size_t which, double t, const Vector& q, const Vector& v) = 0;

  /// A place from which the run could go on. `certificate` is what the certificate remembers there.
  virtual void checkpoint(const Checkpoint&, const std::vector<double>& /*certificate*/) {}

  /// What the run says of itself, before it ends.
  virtual void certify(const Certificate&) {}

  /// How the run ended. An interrupted one may be gone on with.
  virtual void finish(Verdict verdict, const std::string& message, bool interrupted) = 0;
};

/// A run as arrays.
struct Recording {
  RunHeader header;
  std::optional<Verdict> verdict;  ///< none: the run goes on, or was killed
  bool finished = false;           ///< false also for a run that somebody interrupted
  std::string message;
  long records = 0;
  std::vector<double> t, q, v, lambda, outputs, energy, residual, tracks,
      step;  ///< row by row; files of earlier versions have no steps
  std::vector<int> newton;
  std::vector<double> events;  ///< rows of 2 + 2·coordinates: number, t, q, v
};

/// Keeps a run in memory.
class MemoryRecorder final : public Recorder {
 public:
  std::optional<Resumption> begin(const RunHeader& header) override;
  void record(const Record& record) override;
  void event(std::size_t which, double t, const Vector& q, const Vector& v) override;
  void certify(const Certificate& certificate) override { certificate_ = certificate; }
  void finish(Verdict verdict, const std::string& message, bool interrupted) override;

  const std::optional<Certificate>& certificate() const { return certificate_; }
  const Recording& recording() const { return recording_; }
  Recording take() { return std::move(recording_); }

 private:
  Recording recording_;
  std::optional<Certificate> certificate_;
};

}  // namespace taut
