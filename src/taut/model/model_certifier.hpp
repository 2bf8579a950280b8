#pragma once

#include <taut/diagnostics/certificate.hpp>
#include <taut/model/model_modes.hpp>

namespace taut {

/// Measures a run for its certificate, by the model's constraints, whatever formulation holds them and whatever mode it is in.
class ModelCertifier {
 public:
  ModelCertifier(ModelModes& modes, double length)
      : modes_(modes), mode_(modes.first()), certifier_(*modes_.judged(mode_), *modes_.moving(mode_), length) {}

  Measured see(const Progress& p) {
    if (p.between) return certifier_.measure(instant(p.state));
    if (p.happened != nullptr && p.happened->acted) {
      if (*p.mode != mode_) {
        enter(*p.mode);
      } else {
        certifier_.jump();
      }
    }
    if (!p.conservative) certifier_.forces_work();
    return certifier_.add(instant(p.state), p.done, p.invariant, p.work);
  }
  /// Something outside has changed the systems of the mode: what is kept is kept from the next state on.
  void begin_anew() { enter(Mode(mode_)); }

  std::vector<double> save() const { return certifier_.save(); }
  void load(const std::vector<double>& saved, const Checkpoint& at) {
    enter(at.mode);
    certifier_.load(saved, instant(at.last));
  }
  Certificate certificate(const Trajectory& path) const { return certifier_.certificate(path); }

 private:
  void enter(const Mode& mode) {
    mode_ = mode;
    certifier_.change(*modes_.judged(mode), *modes_.moving(mode));
  }

  ModelModes& modes_;
  Mode mode_;
  Certifier certifier_;
};

}  // namespace taut
