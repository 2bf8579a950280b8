#include <taut/expression/code.hpp>

#ifdef TAUT_MACHINE_CODE
#include <asmjit/x86.h>

#include <array>
#include <mutex>
#include <taut/expression/sines.hpp>
#endif

namespace taut {

#ifndef TAUT_MACHINE_CODE

std::unique_ptr<const MachineCode> MachineCode::of(const Instructions&) { return nullptr; }
MachineCode::~MachineCode() = default;

#else

namespace {

namespace x86 = asmjit::x86;

/// Registers are allocated in one go, in time that grows faster than the code; longer programs gain little.
constexpr std::size_t longest = 20'000;

struct Runtime {
  asmjit::JitRuntime jit;
  std::mutex mutex;
};
Runtime& runtime() {
  static Runtime* one = new Runtime;  // code may outlive the statics of other files
  return *one;
}

double table_value(const Table* table, double x, int order) { return table->value(x, order); }
template <Op op> double unary(double a) { return apply(op, a, 0.0, 0.0); }
template <Op op> double binary(double a, double b) { return apply(op, a, b, 0.0); }
double choice(double a, double b, double c) { return apply(Op::select, a, b, c); }

using Unary = double (*)(double);
using Binary = double (*)(double, double);

Unary unary_function(Op op) {
  switch (op) {
    case Op::tan:
      return unary<Op::tan>;
    case Op::asin:
      return unary<Op::asin>;
    case Op::acos:
      return unary<Op::acos>;
    case Op::atan:
      return unary<Op::atan>;
    case Op::sinh:
      return unary<Op::sinh>;
    case Op::cosh:
      return unary<Op::cosh>;
    case Op::tanh:
      return unary<Op::tanh>;
    case Op::exp:
      return unary<Op::exp>;
    case Op::log:
      return unary<Op::log>;
    case Op::abs:
      return unary<Op::abs>;
    case Op::sign:
      return unary<Op::sign>;
    case Op::step:
      return unary<Op::step>;
    case Op::opposite:
      return unary<Op::opposite>;
    default:
      return nullptr;
  }
}

Binary binary_function(Op op) {
  switch (op) {
    case Op::power:
      return binary<Op::power>;
    case Op::atan2:
      return binary<Op::atan2>;
    case Op::min:
      return binary<Op::min>;
    case Op::max:
      return binary<Op::max>;
    case Op::hypot:
      return binary<Op::hypot>;
    case Op::less:
      return binary<Op::less>;
    case Op::less_equal:
      return binary<Op::less_equal>;
    case Op::both:
      return binary<Op::both>;
    case Op::either:
      return binary<Op::either>;
    default:
      return nullptr;
  }
}

class Writer {
 public:
  Writer(const Instructions& code, asmjit::CodeHolder& holder) : code_(code), out_(&holder), values_(code.registers()) {}

  /// False where an operation has no translation.
  bool write() {
    asmjit::FuncNode* function = out_.addFunc(asmjit::FuncSignatureT<void, const double*, const double*, double*>());
    function->frame().setAvxEnabled();
    variables_ = out_.newIntPtr();
    numbers_ = out_.newIntPtr();
    results_ = out_.newIntPtr();
    function->setArg(0, variables_);
    function->setArg(1, numbers_);
    function->setArg(2, results_);
    for (std::size_t k = 0; k < code_.list.size(); ++k)
      if (!write(code_.list[k], std::size_t(code_.first()) + k)) return false;
    for (std::size_t k = 0; k < code_.results.size(); ++k)
      out_.vmovsd(x86::qword_ptr(results_, int(8 * k)), value(code_.results[k]));
    out_.ret();
    out_.endFunc();
    return out_.finalize() == asmjit::kErrorOk;
  }

 private:
  /// Where an operand is read from: a register for what was computed, memory for the rest.
  bool computed(int k) const { return k >= code_.first(); }
  x86::Mem memory(int k) {
    if (k < code_.variables) return x86::qword_ptr(variables_, 8 * k);
    if (k < code_.inputs()) return x86::qword_ptr(numbers_, 8 * (k - code_.variables));
    return out_.newDoubleConst(asmjit::ConstPoolScope::kLocal, code_.constants[std::size_t(k - code_.inputs())]);
  }
  x86::Xmm value(int k) {
    if (computed(k)) return values_[std::size_t(k)];
    x86::Xmm loaded = out_.newXmmSd();
    out_.vmovsd(loaded, memory(k));
    return loaded;
  }
  template <class Emit> void with_operand(int k, const Emit& emit) {
    if (computed(k)) {
      emit(values_[std::size_t(k)]);
    } else {
      emit(memory(k));
    }
  }

  x86::Xmm power(const x86::Xmm& base, int exponent) {
    x86::Xmm result, factor = base;
    bool first = true;
    for (int rest = std::abs(exponent); rest > 0; rest >>= 1) {
      if (rest & 1) {
        if (first) {
          result = factor;
          first = false;
        } else {
          x86::Xmm product = out_.newXmmSd();
          out_.vmulsd(product, result, factor);
          result = product;
        }
      }
      if (rest > 1) {
        x86::Xmm square = out_.newXmmSd();
        out_.vmulsd(square, factor, factor);
        factor = square;
      }
    }
    if (exponent > 0) return result;
    x86::Xmm inverse = out_.newXmmSd();
    out_.vmovsd(inverse, out_.newDoubleConst(asmjit::ConstPoolScope::kLocal, 1.0));
    out_.vdivsd(inverse, inverse, result);
    return inverse;
  }

  bool write(const Instructions::Instruction& i, std::size_t to) {
    x86::Xmm result = out_.newXmmSd();
    const auto arithmetic = [&](auto emit) { with_operand(i.b, [&](const auto& b) { emit(value(i.a), b); }); };
    if (i.op == Op::add) {
      arithmetic([&](const auto& a, const auto& b) { out_.vaddsd(result, a, b); });
    } else if (i.op == Op::subtract) {
      arithmetic([&](const auto& a, const auto& b) { out_.vsubsd(result, a, b); });
    } else if (i.op == Op::multiply) {
      arithmetic([&](const auto& a, const auto& b) { out_.vmulsd(result, a, b); });
    } else if (i.op == Op::divide) {
      arithmetic([&](const auto& a, const auto& b) { out_.vdivsd(result, a, b); });
    } else if (i.op == Op::negate) {
      x86::Xmm sign = out_.newXmmSd();
      out_.vmovsd(sign, out_.newDoubleConst(asmjit::ConstPoolScope::kLocal, -0.0));
      out_.vxorpd(result, value(i.a), sign);
    } else if (i.op == Op::sqrt) {
      const x86::Xmm a = value(i.a);
      out_.vsqrtsd(result, a, a);
    } else if (i.op == Op::equal) {
      x86::Xmm one = out_.newXmmSd();
      const x86::Xmm a = value(i.a), b = value(i.b);
      out_.vmovsd(one, out_.newDoubleConst(asmjit::ConstPoolScope::kLocal, 1.0));
      out_.vcmpsd(result, a, b, 0);  // all bits, or none
      out_.vandpd(result, result, one);
    } else if (i.op == Op::sin || i.op == Op::cos) {
      const Instructions::Angles& group = code_.angles[std::size_t(i.c)];
      if (std::size_t(code_.first()) + group.first == to) find_waves(group.registers);
      out_.vmovsd(result, (i.op == Op::sin ? sines_ : cosines_).cloneAdjusted(8 * i.b));
    } else if (i.op == Op::integer_power) {
      result = power(value(i.a), int(i.value));
    } else {
      return write_call(i, result, to);
    }
    values_[to] = result;
    return true;
  }

  /// All of a group at once, through memory.
  void find_waves(const std::vector<int>& angles) {
    const int count = int(angles.size());
    const auto room = [&] { return out_.newStack(std::uint32_t(8 * room_for_sines(count)), 64); };
    x86::Mem from = room();
    sines_ = room();
    cosines_ = room();
    from.setSize(8);
    sines_.setSize(8);
    cosines_.setSize(8);
    for (int k = 0; k < count; ++k) out_.vmovsd(from.cloneAdjusted(8 * k), value(angles[std::size_t(k)]));
    std::array<x86::Gp, 3> places;
    const x86::Mem* rooms[] = {&from, &sines_, &cosines_};
    for (std::size_t k = 0; k < 3; ++k) {
      places[k] = out_.newIntPtr();
      out_.lea(places[k], *rooms[k]);
    }
    asmjit::InvokeNode* node = nullptr;
    out_.invoke(&node, asmjit::imm(reinterpret_cast<void*>(sines_and_cosines)),
                asmjit::FuncSignatureT<void, const double*, int, double*, double*>());
    node->setArg(0, places[0]);
    node->setArg(1, asmjit::imm(count));
    node->setArg(2, places[1]);
    node->setArg(3, places[2]);
  }

  bool write_call(const Instructions::Instruction& i, const x86::Xmm& result, std::size_t to) {
    asmjit::InvokeNode* node = nullptr;
    const auto invoke = [&](auto* function, const auto& signature) {
      out_.invoke(&node, asmjit::imm(reinterpret_cast<void*>(function)), signature);
      node->setRet(0, result);
    };
    if (i.op == Op::table) {
      const x86::Xmm x = value(i.a);
      invoke(table_value, asmjit::FuncSignatureT<double, const Table*, double, int>());
      node->setArg(0, asmjit::imm(code_.tables[std::size_t(i.b)].get()));
      node->setArg(1, x);
      node->setArg(2, asmjit::imm(i.c));
    } else if (const Unary one = unary_function(i.op)) {
      const x86::Xmm a = value(i.a);
      invoke(one, asmjit::FuncSignatureT<double, double>());
      node->setArg(0, a);
    } else if (const Binary two = binary_function(i.op)) {
      const x86::Xmm a = value(i.a), b = value(i.b);
      invoke(two, asmjit::FuncSignatureT<double, double, double>());
      node->setArg(0, a);
      node->setArg(1, b);
    } else if (i.op == Op::select) {
      const x86::Xmm a = value(i.a), b = value(i.b), c = value(i.c);
      invoke(choice, asmjit::FuncSignatureT<double, double, double, double>());
      node->setArg(0, a);
      node->setArg(1, b);
      node->setArg(2, c);
    } else {
      return false;
    }
    values_[to] = result;
    return true;
  }

  const Instructions& code_;
  x86::Compiler out_;
  std::vector<x86::Xmm> values_;
  x86::Gp variables_, numbers_, results_;
  x86::Mem sines_, cosines_;  // of the group under way
};

}  // namespace

std::unique_ptr<const MachineCode> MachineCode::of(const Instructions& code) {
  if (code.list.empty() || code.list.size() > longest || !asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kAVX))
    return nullptr;
  Runtime& one = runtime();
  asmjit::CodeHolder holder;
  holder.init(one.jit.environment());
  if (!Writer(code, holder).write()) return nullptr;
  const std::lock_guard lock(one.mutex);
  Function function = nullptr;
  if (one.jit.add(&function, &holder) != asmjit::kErrorOk) return nullptr;
  return std::make_unique<const MachineCode>(function);
}

MachineCode::~MachineCode() {
  Runtime& one = runtime();
  const std::lock_guard lock(one.mutex);
  one.jit.release(function_);
}

#endif

}  // namespace taut
