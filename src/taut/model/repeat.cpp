#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <taut/base/decimal.hpp>
#include <taut/model/repeat.hpp>

namespace taut {
namespace {

constexpr long most_entries = 2'000'000;

bool in_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 128;
}

/// A number in as many digits as it takes. After a name it goes on with the name; elsewhere a sign is kept apart.
std::string spelled(double number, bool after_name) {
  std::array<char, 32> digits;
  const bool whole = number == std::round(number) && std::abs(number) < 1e15;
  const auto end = whole ? std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<long long>(number)).ptr
                         : to_decimal(digits.data(), digits.data() + digits.size(), number).ptr;
  std::string out(digits.data(), end);
  return number < 0.0 && !after_name ? "(" + out + ")" : out;
}

bool is_repeat(const Tree& tree) { return tree.kind == Tree::Kind::table && tree.find("repeat") != nullptr; }

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

bool Repeats::needed(const Tree& tree) {
  if (tree.kind == Tree::Kind::word) return tree.word.find('{') != std::string::npos;
  for (const std::string& key : tree.keys)
    if (key == "repeat" || key.find('{') != std::string::npos) return true;
  for (const Tree& one : tree.items)
    if (needed(one)) return true;
  return false;
}

void Repeats::fail(const Tree& at, const std::string& what) const { section_->fail(what, at); }

void Repeats::count(const Tree& at) {
  if (++written_ > most_entries) fail(at, message("what is repeated comes to more than {} entries", most_entries));
}

double Repeats::value(const std::string& text, const Tree& at) const {
  for (const auto& [name, number] : indices_)
    if (name == text) return number;
  try {
    return evaluate_(text, indices_);
  } catch (const InputError& error) {
    fail(at, message("{}, in \"{}\"", error.what(), excerpt(text)));
  }
}

std::string Repeats::filled_in(const std::string& text, const Tree& at) {
  std::size_t open = text.find('{');
  if (open == std::string::npos) return text;
  std::string out;
  std::size_t done = 0;
  for (; open != std::string::npos; open = text.find('{', done)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) fail(at, message("a '}' is missing in \"{}\"", excerpt(text, open)));
    out += text.substr(done, open - done);
    const std::string inside = trimmed(text.substr(open + 1, close - open - 1));
    if (inside.empty()) fail(at, message("there is nothing between the braces of \"{}\"", excerpt(text, open)));
    out += spelled(value(inside, at), !out.empty() && in_a_name(out.back()));
    done = close + 1;
  }
  return out + text.substr(done);
}

std::vector<Repeats::Range> Repeats::ranges_of(const Tree& repeat, const Tree& at) const {
  if (repeat.kind != Tree::Kind::table || repeat.items.empty())
    fail(at, "`repeat` must be a table of indices and ranges: {i: 1..N}");
  std::vector<Range> out;
  for (std::size_t k = 0; k < repeat.items.size(); ++k) {
    const std::string& text = repeat.items[k].word;
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t dots = text.find(".."); dots != std::string::npos; dots = text.find("..", from)) {
      parts.push_back(trimmed(text.substr(from, dots - from)));
      from = dots + 2;
    }
    parts.push_back(trimmed(text.substr(from)));
    const bool empty = std::any_of(parts.begin(), parts.end(), [](const std::string& one) { return one.empty(); });
    if (parts.size() < 2 || parts.size() > 3 || empty)
      fail(at, message("the range of '{}' must read first..last or first..last..step, got \"{}\"", repeat.keys[k],
                       excerpt(text)));
    out.push_back({repeat.keys[k], parts[0], parts[1], parts.size() == 3 ? parts[2] : "1"});
  }
  return out;
}

Tree Repeats::copied(const Tree& tree) {
  count(tree);
  Tree out;
  out.kind = tree.kind;
  out.line = tree.line;
  if (tree.kind == Tree::Kind::word) out.word = filled_in(tree.word, tree);
  for (std::size_t k = 0; k < tree.items.size(); ++k)
    write_into(out, tree.kind == Tree::Kind::table ? &tree.keys[k] : nullptr, tree.items[k]);
  return out;
}

/// Adds an entry or item to a table or list: as it stands, or as often as it says.
void Repeats::write_into(Tree& out, const std::string* key, const Tree& tree) {
  if (!is_repeat(tree)) {
    if (key != nullptr) out.keys.push_back(filled_in(*key, tree));
    out.items.push_back(copied(tree));
    return;
  }
  const Tree *body = tree.find("do"), *condition = tree.find("if");
  Tree rest;
  if (body == nullptr) {
    rest.kind = Tree::Kind::table;
    rest.line = tree.line;
    for (std::size_t k = 0; k < tree.items.size(); ++k)
      if (tree.keys[k] != "repeat" && tree.keys[k] != "if") {
        rest.keys.push_back(tree.keys[k]);
        rest.items.push_back(tree.items[k]);
      }
    if (rest.items.empty()) fail(tree, "says what to repeat neither beside `repeat` nor under `do`");
    body = &rest;
  } else if (tree.items.size() > (condition != nullptr ? 3u : 2u)) {
    fail(tree, "`do` holds all that is repeated; beside it stand `repeat` and `if` only");
  }
  const std::vector<Range> ranges = ranges_of(*tree.find("repeat"), tree);
  const std::size_t before = indices_.size();
  run_through(out, key, *body, ranges, 0, condition);
  indices_.resize(before);
}

void Repeats::run_through(Tree& out, const std::string* key, const Tree& body, const std::vector<Range>& ranges,
                          std::size_t next, const Tree* condition) {
  if (next == ranges.size()) {
    if (condition != nullptr && value(condition->word, *condition) == 0.0) return;
    if (key != nullptr) out.keys.push_back(filled_in(*key, body));
    out.items.push_back(copied(body));
    return;
  }
  const Range& range = ranges[next];
  const Tree& at = body;
  const auto whole = [&](const std::string& text) {
    const double number = value(text, at);
    if (number != std::round(number) || !(std::abs(number) < 1e9))
      fail(at, message("the range of '{}' needs whole numbers, and \"{}\" is {}", range.name, excerpt(text), number));
    return static_cast<long long>(number);
  };
  const long first = whole(range.first), last = whole(range.last), step = whole(range.step);
  if (step <= 0) fail(at, message("the step of '{}' must be positive, got {}", range.name, step));
  indices_.emplace_back(range.name, 0.0);
  const std::size_t mine = indices_.size() - 1;
  for (long i = first; i <= last; i += step) {
    count(at);  // a condition that leaves out all takes its time too
    indices_[mine].second = double(i);
    run_through(out, key, body, ranges, next + 1, condition);
  }
  indices_.pop_back();
}

Tree Repeats::written_out(const Item& at) {
  section_ = &at;
  written_ = 0;
  return copied(at.tree());
}

}  // namespace taut
