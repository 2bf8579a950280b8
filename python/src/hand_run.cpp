#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <taut/model/hand_run.hpp>

#include "result.hpp"

namespace taut::python {
namespace {

/// A run by hand and its records.
class Hand {
 public:
  Hand(const Built& built, bool record) : built_(built.model), attention_(false, nb::none()) {
    const Observer watch = [this](const Progress& p) { attention_.look(p.done); };
    const nb::gil_scoped_release released;
    run_.emplace(std::move(*built_), record ? &recorder_ : nullptr, std::vector<Observer>{watch});
  }

  void advance(double duration, bool signals) {
    require(!busy_, "this run goes on in another thread already.");
    attention_ = Attention(signals, nb::none());
    busy_ = true;
    const auto free = [this](void*) { busy_ = false; };
    const std::unique_ptr<void, decltype(free)> done(this, free);
    const nb::gil_scoped_release released;
    run_->advance(duration);
  }

  HandRun& run() { return *run_; }

  Result result() {
    Result out;
    out.outcome = run_->outcome();
    out.system = run_->planned().modes->judged(run_->planned().modes->first());
    out.recording = recorder_.recording();
    out.recording.message = out.outcome.certificate.message;
    out.choice = run_->planned().choice;
    return out;
  }

 private:
  std::shared_ptr<ModelFile> built_;
  MemoryRecorder recorder_;
  Attention attention_;
  bool busy_ = false;
  std::optional<HandRun> run_;
};

}  // namespace

void add_hand_runs(nb::module_& module) {
  nb::class_<Hand>(module, "Hand", "A run that is led by hand.")
      .def(nb::init<const Built&, bool>())
      .def("advance", &Hand::advance)
      .def("set_input", [](Hand& h, const std::string& name, double value) { h.run().set_input(name, value); })
      .def("input", [](Hand& h, const std::string& name) { return h.run().input(name); })
      .def_prop_ro("inputs",
                   [](Hand& h) {
                     nb::list out;
                     for (const ModelInput& one : h.run().model().inputs) out.append(one.name);
                     return out;
                   })
      .def_prop_ro("coordinates",
                   [](Hand& h) {
                     std::vector<std::string> out;
                     const System& system = h.run().model().system;
                     for (int i = 0; i < system.size(); ++i) out.push_back(system.coordinate_name(i));
                     return out;
                   })
      .def_prop_ro("output_names",
                   [](Hand& h) {
                     std::vector<std::string> out;
                     for (const NamedExpression& one : h.run().model().outputs) out.push_back(one.name);
                     return out;
                   })
      .def("output", [](Hand& h, std::size_t which) { return h.run().output(which); })
      .def_prop_ro("t", [](Hand& h) { return h.run().t(); })
      .def_prop_ro("q", [](Hand& h) { return array_of(h.run().state().q); })
      .def_prop_ro("v", [](Hand& h) { return array_of(h.run().state().v); })
      .def_prop_ro("lam", [](Hand& h) { return array_of(h.run().state().lambda); })
      .def_prop_ro("going", [](Hand& h) { return h.run().going(); })
      .def_prop_ro("certificate", [](Hand& h) { return h.run().outcome().certificate; })
      .def("result", &Hand::result);
}

}  // namespace taut::python
