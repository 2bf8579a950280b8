#pragma once

#include <memory>
#include <taut/expression/graph.hpp>
#include <vector>

namespace taut {

/// Expressions as flat code: one pass over a list of instructions, no allocation.
///
/// Code is never changed once it is there: copies share it, and any number of threads may run it at once. What a run needs besides, registers and
/// the last result, belongs to the thread.
class Program {
 public:
  Program() = default;

  /// `inputs` are the variables in the order in which their values are given; the last of them, so many, are given apart from the others, as
  /// numbers that change seldom.
  Program(const Graph& graph, const std::vector<Graph::Node>& outputs, const std::vector<int>& inputs, int numbers = 0);

  int outputs() const;

  /// The values of all outputs; they are there until this thread runs the program again. Nothing is computed where the inputs are those of
  /// the last time: a matrix, its transpose and the forces ask for the same gradient one after the other. Equal stamps, other than 0, promise
  /// equal numbers.
  const double* operator()(const double* in, const double* numbers = nullptr, std::uint64_t stamp = 0) const {
    Call call = begin();
    for (int k = 0; k < call.variables; ++k) call.set(k, in[k]);
    return finish(call, numbers, stamp);
  }

  /// The same in pieces, for who has the variables in several places: all of them are set between the two, and nothing else is run.
  struct Call {
    void set(int k, double value) {
      same = same && registers[k] == value;
      registers[k] = value;
    }
    double* registers;
    int variables;
    bool same;
    void* memory;
  };
  Call begin() const;
  const double* finish(const Call& call, const double* numbers, std::uint64_t stamp) const;

  /// So many at once, in[k·lanes + lane] and out[k·lanes + lane], numbers after the variables, without memory.
  static constexpr int lanes = 8;
  void run_lanes(const double* in, double* out) const;

  struct Code;

 private:
  std::shared_ptr<const Code> code_;
};

}  // namespace taut
