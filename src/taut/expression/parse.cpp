#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <taut/base/decimal.hpp>
#include <taut/base/excerpt.hpp>
#include <taut/expression/parse.hpp>

namespace taut {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int deepest = 200;  // of parentheses and functions in each other
constexpr std::size_t longest_name = 200;
constexpr long most_tokens = 1'000'000;  // functions within functions can make a short text long

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit units[] = {
    {"m", 1.0},        {"km", 1e3},     {"dm", 1e-1},  {"cm", 1e-2},  {"mm", 1e-3}, {"um", 1e-6},       {"in", 0.0254},
    {"ft", 0.3048},    {"kg", 1.0},     {"g", 1e-3},   {"mg", 1e-6},  {"t", 1e3},   {"lb", 0.45359237}, {"s", 1.0},
    {"ms", 1e-3},      {"us", 1e-6},    {"min", 60.0}, {"h", 3600.0}, {"Hz", 1.0},  {"kHz", 1e3},       {"rpm", pi / 30},
    {"N", 1.0},        {"kN", 1e3},     {"MN", 1e6},   {"mN", 1e-3},  {"J", 1.0},   {"kJ", 1e3},        {"W", 1.0},
    {"kW", 1e3},       {"Pa", 1.0},     {"kPa", 1e3},  {"MPa", 1e6},  {"GPa", 1e9}, {"rad", 1.0},       {"mrad", 1e-3},
    {"deg", pi / 180}, {"rev", 2 * pi},
};

std::optional<double> unit_of(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.factor;
  return std::nullopt;
}

struct Function {
  std::string_view name;
  Op op;
  int arguments;
};
constexpr Function functions[] = {
    {"sin", Op::sin, 1},   {"cos", Op::cos, 1},     {"tan", Op::tan, 1},     {"asin", Op::asin, 1}, {"acos", Op::acos, 1},
    {"atan", Op::atan, 1}, {"atan2", Op::atan2, 2}, {"sinh", Op::sinh, 1},   {"cosh", Op::cosh, 1}, {"tanh", Op::tanh, 1},
    {"sqrt", Op::sqrt, 1}, {"exp", Op::exp, 1},     {"log", Op::log, 1},     {"abs", Op::abs, 1},   {"min", Op::min, 2},
    {"max", Op::max, 2},   {"sign", Op::sign, 1},   {"hypot", Op::hypot, 2}, {"step", Op::step, 1}, {"if", Op::select, 3},
};

// The same in every locale.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 128;
}
bool in_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

struct Token {
  enum class Kind { number, name, sign, end } kind;
  std::string_view text;
  std::size_t position;
  double value = 0.0;
  int sign = 0;  ///< see code_of
};

/// A sign of one or two characters as a number; 0 for anything else.
constexpr int code_of(std::string_view sign) {
  return sign.size() == 1 ? sign[0] : sign.size() == 2 ? sign[0] | sign[1] << 8 : 0;
}

class Parser {
 public:
  using Arguments = std::vector<std::pair<std::string_view, Graph::Node>>;

  /// `own` are the arguments of a function, whose body this is: they hide names of the scope, and no function called from there sees them.
  Parser(Graph& graph, const Scope& scope, const Arguments& own, std::string_view text, int depth, long& tokens)
      : graph_(graph), scope_(scope), own_(own), text_(text), depth_(depth), tokens_(tokens) {
    advance();
  }

  Graph::Node whole() {
    const Graph::Node node = disjunction();
    expect_end();
    return node;
  }

  Relation relation() {
    const Graph::Node left = sum();
    const Token sign = token_;
    if (!(is("=") || is("==") || is("<=") || is(">=")))
      fail(is("<") || is(">") ? message("write '{}=' for a constraint; '{}' excludes the boundary", sign.text, sign.text)
                              : "a constraint needs '=', '<=' or '>='");
    advance();
    const Graph::Node difference = graph_.subtract(left, sum());
    expect_end();
    const Set set = sign.text == "<=" ? Set::nonpositive : (sign.text == ">=" ? Set::nonnegative : Set::zero);
    return {difference, set};
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { fail(what, token_.position); }
  [[noreturn]] void fail(const std::string& what, std::size_t position) const { throw ExpressionError(what, position); }

  void expect_end() {
    if (token_.kind == Token::Kind::end) return;
    if (is("=")) fail("'=' makes a constraint, here a value is wanted; to compare, write '=='");
    if (is("<=") || is(">=")) fail("one relation at a time: write two constraints");
    fail(message("'{}' does not belong here", token_.text));
  }

  void advance() {
    std::size_t k = next_;
    while (k < text_.size() && is_blank(text_[k])) ++k;
    token_ = {Token::Kind::end, {}, k};
    if (k == text_.size()) {
      next_ = k;
      return;
    }
    const char c = text_[k];
    if (is_digit(c) || (c == '.' && k + 1 < text_.size() && is_digit(text_[k + 1]))) {
      const auto [end, trouble] = from_decimal(text_.data() + k, text_.data() + text_.size(), token_.value);
      if (trouble != std::errc{}) fail("this number is out of range", k);
      next_ = std::size_t(end - text_.data());
      token_ = {Token::Kind::number, text_.substr(k, next_ - k), k, token_.value};
      return;
    }
    if (starts_name(c)) {
      next_ = k;
      while (next_ < text_.size() && in_name(text_[next_])) ++next_;
      while (next_ < text_.size() && text_[next_] == '\'') ++next_;
      if (next_ - k > longest_name) fail(message("a name has at most {} characters", longest_name), k);
      token_ = {Token::Kind::name, text_.substr(k, next_ - k), k};
      return;
    }
    const char after = k + 1 < text_.size() ? text_[k + 1] : ' ';
    const bool two = (after == '=' && (c == '<' || c == '>' || c == '=' || c == '!')) || (after == '*' && c == '*');
    if (!two && std::string_view("+-*/^()<>=,").find(c) == std::string_view::npos)
      fail(message("the character '{}' means nothing here", std::string(1, c)), k);
    next_ = k + (two ? 2 : 1);
    token_ = {Token::Kind::sign, text_.substr(k, next_ - k), k};
    token_.sign = code_of(token_.text);
  }

  bool is(std::string_view sign) const { return token_.sign == code_of(sign); }
  bool is_word(std::string_view word) const { return token_.kind == Token::Kind::name && token_.text == word; }
  bool take(std::string_view sign) {
    if (!is(sign)) return false;
    advance();
    return true;
  }

  Graph::Node disjunction() {
    const Deeper deeper(*this);
    Graph::Node left = conjunction();
    while (is_word("or")) {
      advance();
      left = graph_.make(Op::either, left, conjunction());
    }
    return left;
  }
  Graph::Node conjunction() {
    Graph::Node left = negation();
    while (is_word("and")) {
      advance();
      left = graph_.make(Op::both, left, negation());
    }
    return left;
  }
  Graph::Node negation() {
    if (!is_word("not")) return comparison();
    const Deeper deeper(*this);
    advance();
    return graph_.make(Op::opposite, negation());
  }
  Graph::Node comparison() {
    const Graph::Node left = sum();
    if (take("<")) return graph_.make(Op::less, left, sum());
    if (take("<=")) return graph_.make(Op::less_equal, left, sum());
    if (take("==")) return graph_.make(Op::equal, left, sum());
    if (take("!=")) return graph_.make(Op::opposite, graph_.make(Op::equal, left, sum()));
    if (take(">")) {
      const Graph::Node right = sum();
      return graph_.make(Op::less, right, left);
    }
    if (take(">=")) {
      const Graph::Node right = sum();
      return graph_.make(Op::less_equal, right, left);
    }
    return left;
  }
  Graph::Node sum() {
    Graph::Node left = product();
    for (;;) {
      if (take("+")) {
        left = graph_.add(left, product());
      } else if (take("-")) {
        left = graph_.subtract(left, product());
      } else {
        return left;
      }
    }
  }
  Graph::Node product() {
    Graph::Node left = unary();
    for (;;) {
      if (take("*")) {
        left = graph_.multiply(left, unary());
      } else if (take("/")) {
        left = graph_.divide(left, unary());
      } else {
        return left;
      }
    }
  }
  Graph::Node unary() {
    const Deeper deeper(*this);
    if (take("-")) return graph_.make(Op::negate, unary());
    if (take("+")) return unary();
    const Graph::Node base = primary();
    if (take("^") || take("**")) return graph_.make(Op::power, base, unary());
    return base;
  }

  Graph::Node primary() {
    if (++tokens_ > most_tokens) fail("the expression is too long");
    if (token_.kind == Token::Kind::number) return number();
    if (token_.kind == Token::Kind::name) return named();
    if (take("(")) {
      const Graph::Node inner = disjunction();
      if (!take(")")) fail("a ')' is missing here");
      return inner;
    }
    fail(token_.kind == Token::Kind::end ? "the expression ends too early"
                                         : message("a number, a name or '(' is wanted before '{}'", token_.text));
  }

  /// A number with the unit that follows it: 9.81 m/s^2. A unit is written without blanks, so that 6 s / m may divide by a symbol m.
  Graph::Node number() {
    double value = token_.value;
    advance();
    if (token_.kind != Token::Kind::name || is_word("and") || is_word("or")) return graph_.constant(value);
    if (!unit_of(token_.text)) fail(message("'{}' is not a unit; between factors write '*'", token_.text));
    value *= unit_power();
    while (is("/") || is("*")) {
      const bool over = is("/");
      const Token sign = token_;
      const std::size_t next = next_;
      const auto blank = [&](std::size_t at) { return at >= text_.size() || is_blank(text_[at]); };
      if (sign.position == 0 || blank(sign.position - 1) || blank(sign.position + 1)) break;
      advance();
      const bool unit = token_.kind == Token::Kind::name && unit_of(token_.text);
      if (!unit) {
        token_ = sign;
        next_ = next;
        break;
      }
      const double factor = unit_power();
      value = over ? value / factor : value * factor;
    }
    return graph_.constant(value);
  }
  double unit_power() {
    const double factor = *unit_of(token_.text);
    advance();
    if (!is("^")) return factor;
    advance();
    const bool negative = take("-");
    if (token_.kind != Token::Kind::number) fail("the power of a unit is a number");
    const double exponent = negative ? -token_.value : token_.value;
    advance();
    return std::pow(factor, exponent);
  }

  Graph::Node named() {
    const Token name = token_;
    advance();
    if (is("(")) return call(name);
    if (name.text == "and" || name.text == "or") fail(message("'{}' needs something before it", name.text), name.position);
    for (const auto& [argument, node] : own_)
      if (argument == name.text) return node;
    if (const auto found = scope_.find(name.text)) return *found;
    if (name.text == "pi") return graph_.constant(pi);
    std::vector<std::string> known{"pi"};
    for (const auto& [argument, node] : own_) known.emplace_back(argument);
    for (const auto& [symbol, node] : scope_.symbols) known.push_back(symbol);
    if (scope_.more_names) scope_.more_names(known);
    fail(unknown("symbol", name.text, known), name.position);
  }

  static std::string unknown(const std::string& what, std::string_view name, const std::vector<std::string>& known) {
    const std::string near = nearest(name, known);
    return message("unknown {} '{}'", what, name) + (near.empty() ? "" : message("; did you mean '{}'?", near));
  }

  Graph::Node call(const Token& name) {
    const Deeper deeper(*this);
    advance();
    std::vector<Graph::Node> arguments;
    if (!is(")")) {
      do arguments.push_back(disjunction());
      while (take(","));
    }
    if (!take(")")) fail("a ')' is missing here");
    const auto count = [&](std::size_t wanted) {
      if (arguments.size() != wanted)
        fail(message("'{}' takes {} argument{}, not {}", name.text, wanted, wanted == 1 ? "" : "s", arguments.size()),
             name.position);
    };
    if (const auto own = scope_.functions.find(name.text); own != scope_.functions.end()) {
      count(own->second.arguments.size());
      Arguments inner;
      for (std::size_t k = 0; k < arguments.size(); ++k) inner.emplace_back(own->second.arguments[k], arguments[k]);
      try {
        return Parser(graph_, scope_, inner, own->second.body, depth_, tokens_).whole();
      } catch (const ExpressionError& error) {
        fail(message("in the function '{}': {} at character {} of \"{}\"", name.text, error.what(), error.position + 1,
                     excerpt(own->second.body, error.position)),
             name.position);
      }
    }
    if (const auto table = scope_.tables.find(name.text); table != scope_.tables.end()) {
      count(1);
      return graph_.table(table->second, arguments[0]);
    }
    if (name.text == "piecewise") {
      if (arguments.size() < 3 || arguments.size() % 2 == 0)
        fail("'piecewise' takes pairs of condition and value, and one value for the rest", name.position);
      Graph::Node value = arguments.back();
      for (std::size_t k = arguments.size() - 1; k >= 2; k -= 2)
        value = graph_.make(Op::select, arguments[k - 2], arguments[k - 1], value);
      return value;
    }
    if ((name.text == "min" || name.text == "max") && arguments.size() > 2) {
      Graph::Node value = arguments[0];
      for (std::size_t k = 1; k < arguments.size(); ++k)
        value = graph_.make(name.text == "min" ? Op::min : Op::max, value, arguments[k]);
      return value;
    }
    for (const Function& function : functions) {
      if (function.name != name.text) continue;
      count(std::size_t(function.arguments));
      arguments.resize(3, -1);
      return graph_.make(function.op, arguments[0], arguments[1], arguments[2]);
    }
    std::vector<std::string> known{"piecewise"};
    for (const Function& function : functions) known.emplace_back(function.name);
    for (const auto& [own, body] : scope_.functions) known.push_back(own);
    for (const auto& [own, table] : scope_.tables) known.push_back(own);
    fail(unknown("function", name.text, known), name.position);
  }

  /// Counts how deep the expression is, so that a million parentheses are an error and not the end of the stack.
  struct Deeper {
    explicit Deeper(Parser& of) : parser(of) {
      if (++parser.depth_ > deepest) parser.fail("the expression is too deep");
    }
    ~Deeper() { --parser.depth_; }
    Parser& parser;
  };

  Graph& graph_;
  const Scope& scope_;
  const Arguments& own_;
  std::string_view text_;
  std::size_t next_ = 0;
  Token token_{};
  int depth_;
  long& tokens_;
};

}  // namespace

std::optional<Graph::Node> Scope::find(std::string_view name) const {
  if (const auto found = symbols.find(name); found != symbols.end()) return found->second;
  return also ? also(name) : std::nullopt;
}

Graph::Node parse(Graph& graph, const Scope& scope, std::string_view text) {
  long tokens = 0;
  return Parser(graph, scope, {}, text, 0, tokens).whole();
}

Relation parse_relation(Graph& graph, const Scope& scope, std::string_view text) {
  long tokens = 0;
  return Parser(graph, scope, {}, text, 0, tokens).relation();
}

bool is_function(std::string_view name) {
  return name == "piecewise" ||
         std::any_of(std::begin(functions), std::end(functions), [&](const Function& one) { return one.name == name; });
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  if (name.size() < 2) return best;
  std::size_t least = name.size() <= 3 ? 1 : 2;  // changes at most
  for (const std::string& one : known) {
    if (one.size() > name.size() + least || name.size() > one.size() + least) continue;
    // Levenshtein distance, row by row.
    std::vector<std::size_t> row(one.size() + 1);
    for (std::size_t j = 0; j <= one.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= one.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (name[i - 1] == one[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    if (row.back() <= least && (best.empty() || row.back() < least)) {
      best = one;
      least = row.back();
    }
  }
  return best;
}

}  // namespace taut
