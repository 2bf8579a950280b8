#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <taut/expression/graph.hpp>

namespace taut {

inline double integer_power(double base, int exponent) {
  double result = 1.0, factor = base;
  for (int rest = std::abs(exponent); rest > 0; rest >>= 1) {
    if (rest & 1) result *= factor;
    factor *= factor;
  }
  return exponent < 0 ? 1.0 / result : result;
}

/// Expressions as instructions on registers: inputs, constants, then one register for each instruction.
struct Instructions {
  struct Instruction {
    Op op;
    int a, b,
        c;  ///< registers; for tables b is the table, c the order; for sines and cosines b is their place among the angles, c the group of these
    double value;  ///< the exponent of integer_power
  };
  std::vector<Instruction> list;

  /// Angles whose sines and cosines are found together. The instructions that want these stand side by side.
  struct Angles {
    std::size_t first;           ///< of these instructions
    std::vector<int> registers;  ///< each angle once
  };
  std::vector<Angles> angles;
  std::vector<double> constants;
  std::vector<int> results;
  std::vector<std::shared_ptr<const Table>> tables;
  int variables = 0, numbers = 0;  ///< inputs: what changes with each run, and what belongs to an instance
  bool outside = false;            ///< an input is among the tables: results may change where nothing else does

  int inputs() const { return variables + numbers; }
  int first() const { return inputs() + int(constants.size()); }
  std::size_t registers() const { return std::size_t(first()) + list.size(); }
};

/// Code of the machine it runs on, with the same roundings as the instructions one by one.
class MachineCode {
 public:
  using Function = void (*)(const double* variables, const double* numbers, double* results);

  /// Nothing where instructions cannot be made into machine code here.
  static std::unique_ptr<const MachineCode> of(const Instructions& code);

  explicit MachineCode(Function function) : function_(function) {}
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;
  ~MachineCode();
  void run(const double* variables, const double* numbers, double* results) const { function_(variables, numbers, results); }

 private:
  Function function_;
};

}  // namespace taut
