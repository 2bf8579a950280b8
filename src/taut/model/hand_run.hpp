#pragma once

#include <taut/model/scribe.hpp>
#include <taut/simulate/timeline.hpp>

namespace taut {

/// A run of a model that somebody outside leads: it goes on by as much as is asked for, and inputs of the model may be changed in between.
///
///     HandRun run(std::move(model));
///     for (…) {
///       run.set_input("u", controller(run.state()));
///       run.advance(0.01);
///     }
///
/// Times at which it stops are ends of steps. A changed input is a break: forces jump there, schemes of several levels begin anew, and the certificate follows
/// what is kept from there on. Between breaks nothing differs from a run in one piece with the same steps. Events of the model happen on the way.
/// The `drift` of its certificate is the mean of what a quantity is off from its value at the start: nobody knows the last quarter of the run.
/// Trap: the model belongs to the run, since its inputs do.
class HandRun {
 public:
  /// Steps, tolerances and methods are those of the section `run`; `until`, where it is given, is no end. The recorder gets every step, as `every` says.
  explicit HandRun(ModelFile model, Recorder* recorder = nullptr, const std::vector<Observer>& observers = {});
  HandRun(const HandRun&) = delete;
  HandRun& operator=(const HandRun&) = delete;

  const ModelFile& model() const { return model_; }
  const RunPlan& planned() const { return *planned_; }

  /// Throws InputError if there is no such input, or the value is not finite.
  void set_input(const std::string& name, double value);
  double input(const std::string& name) const { return cell(name).value->held(); }

  /// Goes on by so much; less where an event ends the run, or a step fails: see verdict(). Throws InputError unless it is positive.
  void advance(double duration);

  bool going() const { return going_; }
  double t() { return going_ ? time_ : timeline_->newest().t; }
  const State& state() { return timeline_->newest(); }
  double output(std::size_t which) { return planned_->modes->value(planned_->modes->outputs().at(which), state()); }
  RunOutcome outcome();  ///< as it stands

 private:
  const ModelInput& cell(const std::string& name) const;
  void find_breaks(double to);
  void go_to(double time);

  ModelFile model_;
  std::optional<RunPlan> planned_;
  RunOutcome outcome_;
  std::optional<Scribe> scribe_;
  std::optional<Timeline> timeline_;
  double time_;                 // where it stands, without the hair that a break adds
  std::vector<double> breaks_;  // known, in order, those ahead
  double known_;                // up to where they are
  std::string changed_;         // what has been changed since the last step
  bool going_ = true;
};

}  // namespace taut
