#include <cmath>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <taut/model/hand_run.hpp>
#include <taut/yaml/read_model.hpp>

/// A model as a co-simulation unit of FMI 2.0: functions that a simulator calls, by their names in the standard. The model is resources/model.yaml; variables are
/// numbered from 1 in the order parameters, inputs, outputs, coordinates, velocities, which is that of modelDescription.xml.
namespace {

using namespace taut;

using Real = double;
using Integer = int;
using Boolean = int;
using String = const char*;
using Reference = unsigned int;
enum Status2 : int { ok = 0, warning = 1, discard = 2, error = 3, fatal = 4, pending = 5 };

using Logger = void (*)(void* environment, String instance, int status, String category, String message, ...);
struct Callbacks {
  Logger logger;
  void* (*allocate)(std::size_t, std::size_t);
  void (*free)(void*);
  void (*finished)(void*, int);
  void* environment;
};

std::string path_of(std::string uri) {
  for (const char* start : {"file://localhost", "file://", "file:"})
    if (uri.rfind(start, 0) == 0) {
      uri.erase(0, std::strlen(start));
      break;
    }
  std::string out;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    if (uri[k] == '%' && k + 2 < uri.size()) {
      out += char(std::stoi(uri.substr(k + 1, 2), nullptr, 16));
      k += 2;
    } else {
      out += uri[k];
    }
  }
  return out;
}

/// One instance of the model.
class Unit {
 public:
  Unit(std::string name, std::string resources, const Callbacks& callbacks)
      : name_(std::move(name)), path_(std::move(resources) + "/model.yaml"), callbacks_(callbacks) {
    reset();
  }

  void reset() {
    run_.reset();
    set_.clear();
    parameters_.clear();
    inputs_.clear();
    model_ = read_model(path_);
    for (const auto& [parameter, value] : model_->parameters) parameters_.emplace_back(parameter, value);
    for (const ModelInput& one : model_->inputs) inputs_.emplace_back(one.name, one.initial);
  }

  double get(Reference number) {
    std::size_t k = number - 1;
    if (within(k, parameters_.size())) return parameters_[k].second;
    if (within(k, inputs_.size())) return inputs_[k].second;
    HandRun& now = run();
    if (within(k, now.model().outputs.size())) return now.output(k);
    const State& state = now.state();
    if (within(k, std::size_t(state.q.size()))) return state.q[Eigen::Index(k)];
    require(k < std::size_t(state.v.size()), "there is no variable {}", number);
    return state.v[Eigen::Index(k)];
  }

  void set(Reference number, double value) {
    std::size_t k = number - 1;
    if (within(k, parameters_.size())) {
      require(!begun_, "a parameter cannot change while the model runs; '{}' is one", parameters_[k].first);
      parameters_[k].second = value;
      set_[parameters_[k].first] = value;
      run_.reset();
      return;
    }
    require(k < inputs_.size(), "variable {} cannot be set", number);
    inputs_[k].second = value;
    if (run_) run_->set_input(inputs_[k].first, value);
  }

  HandRun& run() {
    if (run_) return *run_;
    ModelOverrides overrides;
    for (const auto& [parameter, value] : set_) overrides.parameters.emplace_back(parameter, Tree(value).word);
    run_ = std::make_unique<HandRun>(read_model(path_, overrides));
    for (const auto& [input, value] : inputs_) run_->set_input(input, value);
    return *run_;
  }
  void begin() { begun_ = true; }
  void stop() { begun_ = false; }

  /// What was not good, in words; the simulator is told.
  template <class Action> int guarded(const Action& action) {
    try {
      return action();
    } catch (const std::exception& trouble) {
      if (callbacks_.logger != nullptr)
        callbacks_.logger(callbacks_.environment, name_.c_str(), error, "logStatusError", "%s", trouble.what());
      return error;
    }
  }

 private:
  /// Whether it is one of so many; otherwise it is counted among those that follow.
  static bool within(std::size_t& k, std::size_t count) {
    if (k < count) return true;
    k -= count;
    return false;
  }

  std::string name_, path_;
  Callbacks callbacks_;
  std::optional<ModelFile> model_;
  std::vector<std::pair<std::string, double>> parameters_, inputs_;
  std::map<std::string, double> set_;
  std::unique_ptr<HandRun> run_;
  bool begun_ = false;
};

Unit* unit(void* instance) { return static_cast<Unit*>(instance); }

}  // namespace

#define TAUT_FMI extern "C" __attribute__((visibility("default")))

TAUT_FMI String fmi2GetTypesPlatform() { return "default"; }
TAUT_FMI String fmi2GetVersion() { return "2.0"; }
TAUT_FMI int fmi2SetDebugLogging(void*, Boolean, std::size_t, const String*) { return ok; }

TAUT_FMI void* fmi2Instantiate(String name, int type, String, String resources, const Callbacks* callbacks, Boolean,
                               Boolean) {
  constexpr int co_simulation = 1;
  if (type != co_simulation || resources == nullptr || callbacks == nullptr) return nullptr;
  try {
    return new Unit(name != nullptr ? name : "", path_of(resources), *callbacks);
  } catch (const std::exception& trouble) {
    if (callbacks->logger != nullptr)
      callbacks->logger(callbacks->environment, name, error, "logStatusError", "%s", trouble.what());
    return nullptr;
  }
}
TAUT_FMI void fmi2FreeInstance(void* instance) { delete unit(instance); }
TAUT_FMI int fmi2SetupExperiment(void*, Boolean, Real, Real, Boolean, Real) { return ok; }
TAUT_FMI int fmi2EnterInitializationMode(void*) { return ok; }
TAUT_FMI int fmi2ExitInitializationMode(void* instance) {
  return unit(instance)->guarded([&] {
    unit(instance)->run();
    unit(instance)->begin();
    return ok;
  });
}
TAUT_FMI int fmi2Terminate(void* instance) {
  unit(instance)->stop();
  return ok;
}
TAUT_FMI int fmi2Reset(void* instance) {
  return unit(instance)->guarded([&] {
    unit(instance)->stop();
    unit(instance)->reset();
    return ok;
  });
}

TAUT_FMI int fmi2GetReal(void* instance, const Reference* which, std::size_t count, Real* values) {
  return unit(instance)->guarded([&] {
    for (std::size_t k = 0; k < count; ++k) values[k] = unit(instance)->get(which[k]);
    return ok;
  });
}
TAUT_FMI int fmi2SetReal(void* instance, const Reference* which, std::size_t count, const Real* values) {
  return unit(instance)->guarded([&] {
    for (std::size_t k = 0; k < count; ++k) unit(instance)->set(which[k], values[k]);
    return ok;
  });
}
TAUT_FMI int fmi2DoStep(void* instance, Real, Real duration, Boolean) {
  return unit(instance)->guarded([&] {
    HandRun& run = unit(instance)->run();
    if (duration == 0.0) return ok;
    run.advance(duration);
    if (run.going()) return ok;
    const Certificate certificate = run.outcome().certificate;
    require(good(certificate.verdict), "{}", certificate.message);
    return discard;  // an event of the model has ended it
  });
}
TAUT_FMI int fmi2GetBooleanStatus(void* instance, int kind, Boolean* value) {
  constexpr int terminated = 3;
  return unit(instance)->guarded([&] {
    *value = kind == terminated && !unit(instance)->run().going() ? 1 : 0;
    return kind == terminated ? ok : discard;
  });
}
TAUT_FMI int fmi2GetRealStatus(void* instance, int kind, Real* value) {
  constexpr int last_successful_time = 2;
  return unit(instance)->guarded([&] {
    *value = unit(instance)->run().t();
    return kind == last_successful_time ? ok : discard;
  });
}

// What the unit has not: no variables of other types, no states to be set back, no derivatives.
TAUT_FMI int fmi2GetInteger(void*, const Reference*, std::size_t count, Integer*) { return count == 0 ? ok : error; }
TAUT_FMI int fmi2GetBoolean(void*, const Reference*, std::size_t count, Boolean*) { return count == 0 ? ok : error; }
TAUT_FMI int fmi2GetString(void*, const Reference*, std::size_t count, String*) { return count == 0 ? ok : error; }
TAUT_FMI int fmi2SetInteger(void*, const Reference*, std::size_t count, const Integer*) { return count == 0 ? ok : error; }
TAUT_FMI int fmi2SetBoolean(void*, const Reference*, std::size_t count, const Boolean*) { return count == 0 ? ok : error; }
TAUT_FMI int fmi2SetString(void*, const Reference*, std::size_t count, const String*) { return count == 0 ? ok : error; }
TAUT_FMI int fmi2GetFMUstate(void*, void**) { return error; }
TAUT_FMI int fmi2SetFMUstate(void*, void*) { return error; }
TAUT_FMI int fmi2FreeFMUstate(void*, void**) { return error; }
TAUT_FMI int fmi2SerializedFMUstateSize(void*, void*, std::size_t*) { return error; }
TAUT_FMI int fmi2SerializeFMUstate(void*, void*, char*, std::size_t) { return error; }
TAUT_FMI int fmi2DeSerializeFMUstate(void*, const char*, std::size_t, void**) { return error; }
TAUT_FMI int fmi2GetDirectionalDerivative(void*, const Reference*, std::size_t, const Reference*, std::size_t, const Real*,
                                          Real*) {
  return error;
}
TAUT_FMI int fmi2SetRealInputDerivatives(void*, const Reference*, std::size_t, const Integer*, const Real*) { return error; }
TAUT_FMI int fmi2GetRealOutputDerivatives(void*, const Reference*, std::size_t, const Integer*, Real*) { return error; }
TAUT_FMI int fmi2CancelStep(void*) { return error; }
TAUT_FMI int fmi2GetStatus(void*, int, int*) { return discard; }
TAUT_FMI int fmi2GetIntegerStatus(void*, int, Integer*) { return discard; }
TAUT_FMI int fmi2GetStringStatus(void*, int, String*) { return discard; }
