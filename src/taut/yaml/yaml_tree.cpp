#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>
#include <map>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <taut/base/real_path.hpp>
#include <taut/yaml/yaml_tree.hpp>
#include <unordered_set>

namespace taut {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_include = 16, most_included = 64;
constexpr std::uintmax_t largest_file = 64u << 20, largest_included = 16u << 20;
constexpr long most_entries = 2'000'000;
constexpr int deepest = 32;

/// yaml-cpp reads nested flow collections by recursion; a text that nests deeper than any model does is refused before.
void check_brackets(const std::string& text, const std::string& file) {
  int depth = 0, line = 1, indent = 0;
  long entries = 0;
  bool leading = true;
  const auto deep = [&] { throw InputError(message("{}:{}: is nested too deeply.", file, line)); };
  for (const char c : text) {
    if (c == ',' || c == '\n') ++entries;
    if (entries > 2 * most_entries)
      throw InputError(message("{}:{}: has more than {} entries.", file, line, 2 * most_entries));
    if (c == '\n') {
      ++line;
      leading = true;
      indent = 0;
      continue;
    }
    if (leading && (c == ' ' || c == '-' || c == '?')) {
      if (c != ' ' && ++indent >= 64) deep();
    } else {
      leading = false;
    }
    if ((c == '[' || c == '{') && ++depth >= 64) deep();
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
}

/// Notes where something begins.
class Beginning final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override { anything = true; }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    anything = true;
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    anything = true;
  }
  void OnMapEnd() override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { anything = true; }

  int line = 0;
  bool anything = false;
};

/// A model is one document: what stands behind it, because a bracket closes too early or after `---`, would be lost.
void check_end(YAML::Parser& parser, const std::string& file) {
  constexpr int empty_ones = 2;  // signs of ends and comments; the parser does not get past a bracket that nobody opened
  for (int k = 0;; ++k) {
    Beginning more;
    if (!parser.HandleNextDocument(more)) return;
    if (more.anything || k == empty_ones)
      throw LocatedError(
          message("{}:{}: something follows the model, which ends before; a file holds one.", file, more.line));
  }
}

/// Makes a tree of what the parser meets. YAML nests and repeats; neither must take the stack or the memory.
class TreeMaker final : public YAML::EventHandler {
 public:
  TreeMaker(const std::string& file, long& entries) : file_(file), entries_(entries) {}
  /// Mistakes of ours wait until it is known that this is YAML.
  Tree take() {
    if (!complaint_.empty()) throw LocatedError(complaint_);
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { put(made(mark), mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    Tree word = made(mark);
    word.kind = Tree::Kind::word;
    word.word = value;
    put(std::move(word), mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Tree::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(Tree::Kind::table, mark, anchor);
  }
  void OnMapEnd() override { close(); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) too_large(mark);  // within itself
    count(found->second, mark, int(open_.size()));
    Tree copy = found->second;
    put(std::move(copy), mark, 0);
  }

 private:
  struct Open {
    Tree tree;
    YAML::anchor_t anchor;
    bool has_key = false;
    std::unordered_set<std::string> seen{};
  };

  std::string located(const YAML::Mark& mark, const std::string& path, const std::string& what) const {
    return message("{}:{}: ", file_, mark.line + 1) + (path.empty() ? "" : excerpt(path) + ": ") + what;
  }
  void complain(const YAML::Mark& mark, const std::string& path, const std::string& what) {
    if (complaint_.empty()) complaint_ = located(mark, path, what);
  }
  [[noreturn]] void too_large(const YAML::Mark& mark) const {
    throw LocatedError(located(mark, "", "the file is nested too deeply or too large"));
  }
  /// The way to the innermost open collection, or to the entry in it.
  std::string path(bool entry) const {
    std::string out;
    for (std::size_t k = 0; k < open_.size() && (entry || k + 1 < open_.size()); ++k) {
      const Tree& one = open_[k].tree;
      if (one.kind == Tree::Kind::list) out += "[" + std::to_string(one.items.size()) + "]";
      if (one.kind == Tree::Kind::table && !one.keys.empty()) out += (out.empty() ? "" : ".") + one.keys.back();
    }
    return out;
  }

  Tree made(const YAML::Mark& mark) {
    if (++entries_ > most_entries) too_large(mark);
    Tree out;
    out.line = mark.line + 1;
    return out;
  }
  void count(const Tree& tree, const YAML::Mark& mark, int depth) {
    if (depth > deepest || ++entries_ > most_entries) too_large(mark);
    for (const Tree& one : tree.items) count(one, mark, depth + 1);
  }

  void open(Tree::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (int(open_.size()) > deepest) too_large(mark);
    if (wants_key()) complain(mark, path(false), "names must be plain words");
    Tree tree = made(mark);
    tree.kind = kind;
    open_.push_back({std::move(tree), anchor});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    const YAML::Mark none = YAML::Mark::null_mark();
    put(std::move(done.tree), none, done.anchor);
  }

  bool wants_key() const { return !open_.empty() && open_.back().tree.kind == Tree::Kind::table && !open_.back().has_key; }
  void put(Tree tree, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count(tree, mark, 0);
      anchors_[anchor] = tree;
    }
    if (open_.empty()) {
      root_ = std::move(tree);
      return;
    }
    Open& in = open_.back();
    if (wants_key()) {
      if (tree.kind != Tree::Kind::word) complain(mark, path(false), "names must be plain words");
      const bool twice = !in.seen.insert(tree.word).second;
      in.tree.keys.push_back(std::move(tree.word));
      if (twice) complain(mark, path(true), "is given twice");
      in.has_key = true;
      return;
    }
    in.tree.items.push_back(std::move(tree));
    in.has_key = false;
  }

  const std::string& file_;
  long& entries_;
  Tree root_;
  std::string complaint_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Tree> anchors_;
};

Tree parse_counted(const std::string& text, const std::string& file, long& entries) {
  check_brackets(text, file);
  TreeMaker maker(file, entries);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    parser.HandleNextDocument(maker);
    check_end(parser, file);
  } catch (const YAML::ParserException& error) {
    throw InputError(message("{}:{}: this is not YAML: {}.", file, error.mark.line + 1, error.msg));
  } catch (const YAML::Exception& error) {
    throw InputError(message("{}: this is not YAML: {}.", file, error.what()));
  }
  return maker.take();
}

void emit(YAML::Emitter& out, const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::nothing:
      out << YAML::Null;
      break;
    case Tree::Kind::word:
      out << YAML::DoubleQuoted << tree.word;
      break;
    case Tree::Kind::list:
      out << YAML::Flow << YAML::BeginSeq;
      for (const Tree& one : tree.items) emit(out, one);
      out << YAML::EndSeq;
      break;
    case Tree::Kind::table:
      out << YAML::BeginMap;
      for (std::size_t k = 0; k < tree.items.size(); ++k) {
        out << YAML::Key << YAML::DoubleQuoted << tree.keys[k] << YAML::Value;
        emit(out, tree.items[k]);
      }
      out << YAML::EndMap;
      break;
  }
}

/// A model and what it includes, file by file.
class Loader {
 public:
  Loader(const std::vector<std::string>& sections, const std::string& model, const std::vector<std::string>& folders,
         std::string& all)
      : sections_(sections), all_(all) {
    folders_.push_back(real_path(fs::path(model).parent_path() / "."));
    for (const std::string& folder : folders) {
      std::error_code trouble;
      require(fs::is_directory(folder, trouble), "--allow-include {}: there is no such folder.", folder);
      folders_.push_back(real_path(folder));
    }
  }

  void load(const std::string& text, const std::string& file, int depth) {
    Document document{file, parse_counted(text, file, entries_)};
    if (document.root.kind == Tree::Kind::nothing) throw InputError(message("{}: is empty.", file));
    for (const auto& [name, item] : Item(document).entries(sections_)) {
      if (name != "include") continue;
      for (const Item& one : item.is_list() ? item.list() : std::vector<Item>{item}) include(one, file, depth + 1);
    }
    documents_.push_back(std::move(document));
    all_ += text;
  }
  std::vector<Document> take() { return std::move(documents_); }

 private:
  bool allowed(const fs::path& path) const {
    const fs::path there = real_path(path);
    return std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) {
      return std::mismatch(folder.begin(), folder.end(), there.begin(), there.end()).first == folder.end();
    });
  }

  void include(const Item& item, const std::string& file, int depth) {
    const fs::path path = fs::path(file).parent_path() / item.word();
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
  std::vector<Document> documents_;
  std::string& all_;
  long entries_ = 0;
  int files_ = 0;
  std::uintmax_t size_ = 0;
};

}  // namespace

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

Tree parse_yaml(const std::string& text, const std::string& file) {
  long entries = 0;
  return parse_counted(text, file, entries);
}

std::string to_yaml(const Tree& tree) {
  YAML::Emitter out;
  emit(out, tree);
  return std::string(out.c_str()) + "\n";
}

std::vector<Document> load_documents(const std::string& text, const std::string& file,
                                     const std::vector<std::string>& sections, const std::vector<std::string>& folders,
                                     std::string& all) {
  Loader loader(sections, file, folders, all);
  loader.load(text, file, 0);
  return loader.take();
}

}  // namespace taut
