#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <taut/expression/parse.hpp>
#include <taut/io/yaml_item.hpp>

namespace taut {
namespace {

constexpr int deepest_include = 8;
constexpr std::uintmax_t largest_file = 64u << 20;

/// YAML nests and repeats; neither must take the stack or the memory.
void check_depth(const Item& item, int depth, long& nodes) {
  if (depth > 32 || ++nodes > 2'000'000) item.fail("the file is nested too deeply or too large");
  if (item.node.IsSequence())
    for (const auto& child : item.node) check_depth({item.file, item.key, child}, depth + 1, nodes);
  if (item.node.IsMap())
    for (const auto& pair : item.node) check_depth({item.file, item.key, pair.second}, depth + 1, nodes);
}

/// yaml-cpp reads nested flow collections by recursion; a text that nests deeper than any model does is refused before.
void check_brackets(const std::string& text, const std::string& file) {
  int depth = 0, line = 1, indent = 0;
  bool leading = true;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      leading = true;
      indent = 0;
      continue;
    }
    if (leading && (c == ' ' || c == '-' || c == '?')) {
      if (c != ' ') ++indent;
      require(indent < 64, "{}:{}: is nested too deeply.", file, line);
    } else {
      leading = false;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    require(depth < 64, "{}:{}: is nested too deeply.", file, line);
  }
}

void load(const std::string& text, const std::string& file, const std::vector<std::string>& sections, int depth,
          std::vector<Document>& out, std::string& all) {
  require(depth < deepest_include, "{}: is included more than eight files deep; do includes go round in circles?", file);
  check_brackets(text, file);
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::ParserException& error) {
    throw InputError(message("{}:{}: this is not YAML: {}.", file, error.mark.line + 1, error.msg));
  } catch (const YAML::Exception& error) {
    throw InputError(message("{}: this is not YAML: {}.", file, error.what()));
  }
  const Item top{file, "", root};
  if (!root.IsDefined() || root.IsNull()) throw InputError(message("{}: is empty.", file));
  long nodes = 0;
  check_depth(top, 0, nodes);
  for (const auto& [name, item] : top.entries(sections)) {
    if (name != "include") continue;
    const std::vector<Item> files = item.node.IsSequence() ? item.list() : std::vector<Item>{item};
    for (const Item& one : files) {
      const std::filesystem::path path = std::filesystem::path(file).parent_path() / one.word();
      load(read_text(path.string()), path.string(), sections, depth + 1, out, all);
    }
  }
  out.push_back({file, root});
  all += text;
}

}  // namespace

void Item::fail(const std::string& what) const {
  const YAML::Mark mark = node.Mark();
  const std::string line = mark.is_null() ? "" : ":" + std::to_string(mark.line + 1);
  throw LocatedError(file + line + ": " + (key.empty() ? "" : key + ": ") + what);
}

std::string Item::word() const {
  if (!node.IsScalar()) fail("must be a single value, not a list or a table");
  return node.Scalar();
}

std::vector<std::pair<std::string, Item>> Item::entries() const {
  if (!node.IsMap()) fail("must be a table of names and values");
  std::vector<std::pair<std::string, Item>> out;
  std::set<std::string> seen;
  for (const auto& pair : node) {
    if (!pair.first.IsScalar()) fail("names must be plain words");
    const std::string name = pair.first.Scalar();
    const Item item = under(name, pair.second);
    if (!seen.insert(name).second) Item{file, item.key, pair.first}.fail("is given twice");
    out.emplace_back(name, item);
  }
  return out;
}

std::vector<std::pair<std::string, Item>> Item::entries(const std::vector<std::string>& known) const {
  auto all = entries();
  for (const auto& [name, item] : all) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string allowed;
    for (const std::string& one : known) allowed += (allowed.empty() ? "" : ", ") + one;
    const std::string near = nearest(name, known);
    const Item here{file, key, item.node};
    here.fail(message("there is no '{}' here; ", name) +
              (near.empty() ? "allowed are: " + allowed : message("did you mean '{}'?", near)));
  }
  return all;
}

std::vector<Item> Item::list() const {
  if (!node.IsSequence()) fail("must be a list");
  std::vector<Item> out;
  std::size_t k = 0;
  for (const auto& child : node) out.push_back(at(k++, child));
  return out;
}

std::string read_text(const std::string& path) {
  std::error_code trouble;
  require(std::filesystem::exists(path, trouble), "{}: there is no such file.", path);
  require(std::filesystem::is_regular_file(path, trouble), "{}: is not a file.", path);
  require(std::filesystem::file_size(path, trouble) <= largest_file, "{}: is larger than 64 MB, which no model is.", path);
  std::ifstream in(path, std::ios::binary);
  require(in.good(), "{}: cannot be read.", path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void load_documents(const std::string& text, const std::string& file, const std::vector<std::string>& sections,
                    std::vector<Document>& out, std::string& all) {
  load(text, file, sections, 0, out, all);
}

}  // namespace taut
