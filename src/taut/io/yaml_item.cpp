#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <taut/expression/parse.hpp>
#include <taut/io/real_path.hpp>
#include <taut/io/yaml_item.hpp>

namespace taut {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_include = 16, most_included = 64;
constexpr std::uintmax_t largest_file = 64u << 20, largest_included = 16u << 20;
constexpr long most_entries = 2'000'000;

/// YAML nests and repeats; neither must take the stack or the memory.
void check_depth(const Item& item, int depth, long& nodes) {
  if (depth > 32 || ++nodes > most_entries) item.fail("the file is nested too deeply or too large");
  if (item.node.IsSequence())
    for (const auto& child : item.node) check_depth({item.file, item.key, child}, depth + 1, nodes);
  if (item.node.IsMap())
    for (const auto& pair : item.node) check_depth({item.file, item.key, pair.second}, depth + 1, nodes);
}

/// yaml-cpp reads nested flow collections by recursion; a text that nests deeper than any model does is refused before.
void check_brackets(const std::string& text, const std::string& file) {
  int depth = 0, line = 1, indent = 0;
  long entries = 0;
  bool leading = true;
  for (const char c : text) {
    if (c == ',' || c == '\n') ++entries;
    require(entries <= 2 * most_entries, "{}:{}: has more than {} entries.", file, line, 2 * most_entries);
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

/// A model and what it includes, file by file.
class Loader {
 public:
  Loader(const std::vector<std::string>& sections, const std::string& model, const std::vector<std::string>& folders,
         std::vector<Document>& out, std::string& all)
      : sections_(sections), out_(out), all_(all) {
    folders_.push_back(real_path(fs::path(model).parent_path() / "."));
    for (const std::string& folder : folders) {
      std::error_code trouble;
      require(fs::is_directory(folder, trouble), "--allow-include {}: there is no such folder.", folder);
      folders_.push_back(real_path(folder));
    }
  }

  void load(const std::string& text, const std::string& file, int depth) {
    check_brackets(text, file);
    const YAML::Node root = parsed(text, file);
    const Item top{file, "", root};
    if (!root.IsDefined() || root.IsNull()) throw InputError(message("{}: is empty.", file));
    check_depth(top, 0, nodes_);
    for (const auto& [name, item] : top.entries(sections_)) {
      if (name != "include") continue;
      for (const Item& one : item.node.IsSequence() ? item.list() : std::vector<Item>{item}) include(one, depth + 1);
    }
    out_.push_back({file, root});
    all_ += text;
  }

 private:
  static YAML::Node parsed(const std::string& text, const std::string& file) {
    try {
      return YAML::Load(text);
    } catch (const YAML::ParserException& error) {
      throw InputError(message("{}:{}: this is not YAML: {}.", file, error.mark.line + 1, error.msg));
    } catch (const YAML::Exception& error) {
      throw InputError(message("{}: this is not YAML: {}.", file, error.what()));
    }
  }

  bool allowed(const fs::path& path) const {
    const fs::path there = real_path(path);
    return std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) {
      return std::mismatch(folder.begin(), folder.end(), there.begin(), there.end()).first == folder.end();
    });
  }

  void include(const Item& item, int depth) {
    const fs::path path = fs::path(item.file).parent_path() / item.word();
    // Before anything is read: not even whether the file exists is told.
    if (!allowed(path))
      item.fail(
          message("'{}' lies outside the model's folder; --allow-include DIR permits another one", excerpt(item.word())));
    if (depth >= deepest_include)
      item.fail(message("files are included more than {} deep; do includes go round in circles?", deepest_include));
    if (++files_ > most_included) item.fail(message("more than {} files are included", most_included));
    const std::string text = read_text(path.string());
    size_ += text.size();
    if (size_ > largest_included) item.fail("more than 16 MB are included");
    load(text, path.string(), depth);
  }

  const std::vector<std::string>& sections_;
  std::vector<fs::path> folders_;
  std::vector<Document>& out_;
  std::string& all_;
  long nodes_ = 0;
  int files_ = 0;
  std::uintmax_t size_ = 0;
};

}  // namespace

void Item::fail(const std::string& what) const {
  const YAML::Mark mark = node.Mark();
  const std::string line = mark.is_null() ? "" : ":" + std::to_string(mark.line + 1);
  throw LocatedError(file + line + ": " + (key.empty() ? "" : excerpt(key) + ": ") + what);
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
    here.fail(message("there is no '{}' here; ", excerpt(name)) +
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
  require(fs::exists(path, trouble), "{}: there is no such file.", path);
  require(fs::is_regular_file(path, trouble), "{}: is not a file.", path);
  require(fs::file_size(path, trouble) <= largest_file, "{}: is larger than 64 MB, which no model is.", path);
  std::ifstream in(path, std::ios::binary);
  require(in.good(), "{}: cannot be read.", path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void load_documents(const std::string& text, const std::string& file, const std::vector<std::string>& sections,
                    const std::vector<std::string>& folders, std::vector<Document>& out, std::string& all) {
  Loader(sections, file, folders, out, all).load(text, file, 0);
}

}  // namespace taut
