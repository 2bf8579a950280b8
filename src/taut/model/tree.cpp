#include <algorithm>
#include <array>
#include <taut/base/decimal.hpp>
#include <taut/base/name_map.hpp>
#include <taut/expression/parse.hpp>
#include <taut/model/tree.hpp>

namespace taut {
namespace {

/// The way from a tree to one of its parts: "run.integrator", "rods[3]"; false where it is no part.
bool find_path(const Tree& from, const Tree& to, std::string& path) {
  if (&from == &to) return true;
  const std::size_t length = path.size();
  for (std::size_t k = 0; k < from.items.size(); ++k) {
    if (from.kind == Tree::Kind::table) {
      path += (path.empty() ? "" : ".") + from.keys[k];
    } else {
      path += "[" + std::to_string(k) + "]";
    }
    if (find_path(from.items[k], to, path)) return true;
    path.resize(length);
  }
  return false;
}

/// The first entry whose key an earlier one has; their number if there is none.
std::size_t repeated_key(const Tree& table) {
  const std::vector<std::string>& keys = table.keys;
  constexpr std::size_t few = 16;
  if (keys.size() <= few) {
    for (std::size_t k = 1; k < keys.size(); ++k)
      if (std::find(keys.begin(), keys.begin() + long(k), keys[k]) != keys.begin() + long(k)) return k;
    return keys.size();
  }
  NameMap<char> seen;
  seen.reserve(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (!seen.try_emplace(keys[k]).second) return k;
  return keys.size();
}

}  // namespace

Tree::Tree(double number) : kind(Kind::word) {
  std::array<char, 32> digits;
  word.assign(digits.data(), to_decimal(digits.data(), digits.data() + digits.size(), number).ptr);
}

Tree Tree::table(std::initializer_list<std::pair<std::string, Tree>> entries) {
  Tree out;
  out.kind = Kind::table;
  for (const auto& [key, item] : entries) {
    out.keys.push_back(key);
    out.items.push_back(item);
  }
  return out;
}

const Tree* Tree::find(const std::string& key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[std::size_t(found - keys.begin())];
}

Tree& Tree::entry(const std::string& key) {
  if (const Tree* found = find(key)) return const_cast<Tree&>(*found);
  kind = Kind::table;
  keys.push_back(key);
  return items.emplace_back();
}

void Item::fail(const std::string& what, const Tree& line_of) const {
  std::string path;
  find_path(document_->root, *tree_, path);
  const std::string line = line_of.line > 0 ? ":" + std::to_string(line_of.line) : "";
  throw LocatedError(document_->file + line + ": " + (path.empty() ? "" : excerpt(path) + ": ") + what);
}

const std::string& Item::word() const {
  if (!is_word()) fail("must be a single value, not a list or a table");
  return tree_->word;
}

std::vector<Item> Item::list() const {
  if (!is_list()) fail("must be a list");
  std::vector<Item> out;
  out.reserve(tree_->items.size());
  for (const Tree& one : tree_->items) out.emplace_back(*document_, one);
  return out;
}

std::vector<Item::Entry> Item::entries() const {
  if (!is_table()) fail("must be a table of names and values");
  std::vector<Entry> out;
  out.reserve(tree_->items.size());
  for (std::size_t k = 0; k < tree_->items.size(); ++k) out.push_back({tree_->keys[k], Item(*document_, tree_->items[k])});
  if (const std::size_t twice = repeated_key(*tree_); twice < out.size()) out[twice].item.fail("is given twice");
  return out;
}

std::vector<Item::Entry> Item::entries(const std::vector<std::string>& known) const {
  std::vector<Entry> all = entries();
  for (const auto& [name, item] : all) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string allowed;
    for (const std::string& one : known) allowed += (allowed.empty() ? "" : ", ") + one;
    const std::string near = nearest(name, known);
    fail(message("there is no '{}' here; ", excerpt(name)) +
             (near.empty() ? "allowed are: " + allowed : message("did you mean '{}'?", near)),
         item.tree());
  }
  return all;
}

}  // namespace taut
