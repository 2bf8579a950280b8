#pragma once

#include <taut/expression/graph.hpp>
#include <vector>

namespace taut {

/// Expressions as flat code: one pass over a list of instructions, no allocation. Not to be shared between threads: a program has
/// its registers with it; copy it instead.
class Program {
 public:
  Program() = default;

  /// `inputs` are the variables in the order in which run() is given them.
  Program(const Graph& graph, const std::vector<Graph::Node>& outputs, const std::vector<int>& inputs);

  int outputs() const { return int(results_.size()); }

  /// The registers of the inputs: write them, then run.
  double* inputs() { return registers_.data(); }
  void run();
  double output(int k) const { return registers_[results_[k]]; }

 private:
  struct Instruction {
    Op op;
    int a, b, c;
    double value;
  };
  std::vector<Instruction> code_;
  std::vector<double> registers_;  // inputs, constants, then one per instruction
  std::vector<int> results_;
  std::vector<std::shared_ptr<const Table>> tables_;
  int first_ = 0;  // register of the first instruction
};

}  // namespace taut
