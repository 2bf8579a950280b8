#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/results/checkpoint_numbers.hpp>

namespace taut {
namespace {

/// Both directions say the same list of parts, once: each takes a part and writes it, or reads it.
class Writer {
 public:
  void operator()(const double& number) { out.push_back(number); }
  void operator()(const long& number) { out.push_back(double(number)); }  // exact below 2⁵³
  void operator()(const int& number) { out.push_back(double(number)); }
  template <class List> void list(const List& values) {
    out.push_back(double(values.size()));
    out.insert(out.end(), values.begin(), values.end());
  }
  std::size_t count(std::size_t size) {
    out.push_back(double(size));
    return size;
  }
  std::vector<double> out;
};

class Numbers {
 public:
  explicit Numbers(std::span<const double> from) : from_(from) {}
  void operator()(double& number) { number = next(); }
  void operator()(long& number) { number = whole<long>(); }
  void operator()(int& number) { number = whole<int>(); }
  template <class List> void list(List& values) {
    values.resize(count(0));
    for (double& value : values) value = next();
  }
  /// Never more than what is left, so that a wrong length cannot ask for all the memory.
  std::size_t count(std::size_t) {
    const double size = next();
    require(size >= 0.0 && size <= double(from_.size()), "the checkpoint has not the size it should have");
    return std::size_t(size);
  }

 private:
  double next() {
    require(!from_.empty(), "the checkpoint ends too early");
    const double number = from_.front();
    from_ = from_.subspan(1);
    return number;
  }
  template <class Whole> Whole whole() {
    const double number = next();
    constexpr double most = double(std::numeric_limits<Whole>::max() / 2);
    require(std::abs(number) <= most, "the checkpoint has a number that cannot be");
    return Whole(number);
  }
  std::span<const double> from_;
};

template <class Pass, class Part> void pass_state(Pass& pass, Part& state) {
  pass(state.t);
  for (auto* part : {&state.q, &state.v, &state.p, &state.lambda, &state.carried}) pass.list(*part);
}

template <class Pass, class Part> void pass_counts(Pass& pass, Part& counts) {
  pass(counts.steps);
  pass(counts.retried);
  pass(counts.rejected);
  pass(counts.newton_iterations);
  pass(counts.newton_most);
  pass(counts.multiplier_updates);
  pass(counts.updates_most);
  pass(counts.factorizations);
  pass(counts.evaluations);
  pass(counts.smallest_step);
  pass(counts.largest_step);
  pass(counts.projection_energy);
  pass(counts.jumps);
  pass(counts.first_jump);
}

template <class Pass, class Point> void pass_checkpoint(Pass& pass, Point& point) {
  pass(point.step);
  pass_state(pass, point.last);
  const std::size_t earlier = pass.count(point.earlier.size());
  if constexpr (!std::is_const_v<Point>) point.earlier.resize(earlier);
  for (auto& state : point.earlier) pass_state(pass, state);
  for (auto* part : {&point.control, &point.mode, &point.watch, &point.singular}) pass.list(*part);
  pass(point.handed_over);
  pass_counts(pass, point.counts);
}

}  // namespace

std::vector<double> to_numbers(const Checkpoint& point) {
  Writer writer;
  pass_checkpoint(writer, point);
  return std::move(writer.out);
}

Checkpoint to_checkpoint(std::span<const double> numbers) {
  Checkpoint out;
  Numbers reader(numbers);
  pass_checkpoint(reader, out);
  return out;
}

}  // namespace taut
