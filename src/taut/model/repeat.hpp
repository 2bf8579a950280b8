#pragma once

#include <functional>
#include <taut/model/tree.hpp>

namespace taut {

/// Writes out what is said once for many: entries and items with `repeat`, and arithmetic in braces.
///
///     rods: [{repeat: {i: 1..N}, do: ["P{i-1}", "P{i}"]}]
///     masses: {"P{i}_{j}": {repeat: {i: 1..n, j: 1..i}, if: "i + j < n", mass: 1, at: ["{i}*a", "{j}*a"]}}
///
/// An item of a list, or an entry of a table, that is a table with the key `repeat` stands for so many: once for each combination of the indices, the last
/// running fastest. Ranges are first..last, or first..last..step; a later one may use the indices before it. `if` leaves out those for which it is
/// zero. What is repeated is the rest of the table, or what `do` holds. In all words, {…} is replaced by its value. Cost and result are
/// proportional to what is written out, and limited.
class Repeats {
 public:
  /// How names in braces are evaluated: a value for the text of an expression, with the indices of the moment. Throws InputError with the reason.
  using Indices = std::vector<std::pair<std::string, double>>;
  using Evaluate = std::function<double(const std::string& text, const Indices& indices)>;

  explicit Repeats(Evaluate evaluate) : evaluate_(std::move(evaluate)) {}

  /// Whether there is anything to write out.
  static bool needed(const Tree& tree);

  /// A section written out. `at` is the section as it stands, for messages.
  Tree written_out(const Item& at);

 private:
  struct Range {
    std::string name;
    std::string first, last, step;
  };
  void write_into(Tree& out, const std::string* key, const Tree& tree);
  void run_through(Tree& out, const std::string* key, const Tree& body, const std::vector<Range>& ranges, std::size_t next,
                   const Tree* condition);
  Tree copied(const Tree& tree);
  std::string filled_in(const std::string& text, const Tree& at);
  std::vector<Range> ranges_of(const Tree& repeat, const Tree& at) const;
  double value(const std::string& text, const Tree& at) const;
  void count(const Tree& at);
  [[noreturn]] void fail(const Tree& at, const std::string& what) const;

  Evaluate evaluate_;
  Indices indices_;
  const Item* section_ = nullptr;
  long written_ = 0;
};

}  // namespace taut
