#include <algorithm>
#include <taut/model/recorder.hpp>

namespace taut {

std::optional<Resumption> MemoryRecorder::begin(const RunHeader& header) {
  constexpr double most_reserved = 1e7;  // numbers; beyond, memory is taken as it is needed
  recording_ = {};
  Recording& to = recording_;
  to.header = header;
  const auto reserve = [&](auto& numbers, std::size_t each) {
    numbers.reserve(std::size_t(std::min((header.records + 2.0) * double(each), most_reserved)));
  };
  reserve(to.t, 1);
  reserve(to.q, header.coordinates.size());
  reserve(to.v, header.coordinates.size());
  reserve(to.lambda, header.constraints.size());
  reserve(to.outputs, header.outputs.size());
  reserve(to.energy, 2);
  reserve(to.residual, 2);
  reserve(to.newton, 1);
  reserve(to.tracks, header.scene.track_numbers());
  reserve(to.step, 1);
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
