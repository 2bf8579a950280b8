#include <taut/model/recorder.hpp>

namespace taut {

std::optional<Resumption> MemoryRecorder::begin(const RunHeader& header) {
  recording_ = {};
  recording_.header = header;
  return {};
}

void MemoryRecorder::record(const Record& record) {
  Recording& to = recording_;
  const auto put = [](std::vector<double>& into, const double* from, std::size_t count) {
    into.insert(into.end(), from, from + count);
  };
  ++to.records;
  to.t.push_back(record.t);
  put(to.q, record.q, to.header.coordinates.size());
  put(to.v, record.v, to.header.coordinates.size());
  put(to.lambda, record.lambda, to.header.constraints.size());
  put(to.outputs, record.outputs, to.header.outputs.size());
  to.energy.insert(to.energy.end(), {record.kinetic, record.potential});
  to.residual.insert(to.residual.end(), {record.position_residual, record.velocity_residual});
  to.newton.push_back(record.newton);
  put(to.tracks, record.tracks, to.header.scene.track_numbers());
  to.step.push_back(record.step);
}

void MemoryRecorder::event(std::size_t which, double t, const Vector& q, const Vector& v) {
  recording_.events.insert(recording_.events.end(), {double(which), t});
  recording_.events.insert(recording_.events.end(), q.begin(), q.end());
  recording_.events.insert(recording_.events.end(), v.begin(), v.end());
}

void MemoryRecorder::finish(Verdict verdict, const std::string& message, bool interrupted) {
  recording_.verdict = verdict;
  recording_.message = message;
  recording_.finished = verdict == Verdict::reached || (verdict == Verdict::stopped && !interrupted);
}

}  // namespace taut
