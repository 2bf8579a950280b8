#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <taut/base/excerpt.hpp>
#include <taut/base/require.hpp>
#include <utility>
#include <vector>

namespace taut {

/// The parsed form of a model, whatever it was written in: a word, a list, or a table in the order of writing; nothing where a file says nothing.
/// Numbers and expressions are words; the reader of a model says what they mean.
struct Tree {
  enum class Kind { nothing, word, list, table };
  Kind kind = Kind::nothing;
  std::string word{};
  std::vector<Tree> items{};        ///< of a list, or the values of a table
  std::vector<std::string> keys{};  ///< of a table, one per item
  int line = 0;                     ///< of its file, from 1; 0: it stands in none

  // NOLINTBEGIN: what a model may hold is a tree
  Tree() = default;
  Tree(std::string text) : kind(Kind::word), word(std::move(text)) {}
  Tree(const char* text) : Tree(std::string(text)) {}
  Tree(double number);  ///< with all its digits
  Tree(bool truth) : Tree(truth ? "true" : "false") {}
  Tree(std::integral auto number) : Tree(std::to_string(number)) {}
  Tree(std::vector<Tree> list) : kind(Kind::list), items(std::move(list)) {}
  Tree(std::initializer_list<Tree> list) : Tree(std::vector<Tree>(list)) {}  ///< {0, "l"}; so Tree{one} is a list of one
  // NOLINTEND
  static Tree table(std::initializer_list<std::pair<std::string, Tree>> entries = {});

  const Tree* find(const std::string& key) const;  ///< in a table; none: there is no such entry
  Tree& entry(const std::string& key);             ///< in a table; made if it is not there
  void append(Tree item) { items.push_back(std::move(item)); }

  /// The same words in the same order, wherever they stand.
  friend bool operator==(const Tree& a, const Tree& b) {
    return a.kind == b.kind && a.word == b.word && a.keys == b.keys && a.items == b.items;
  }
};

/// A tree and the file it stands in.
struct Document {
  std::string file;
  Tree root;
};

/// A mistake whose place is known already.
class LocatedError : public InputError {
 public:
  using InputError::InputError;
};

/// A place in a document, which must outlive it: reads what stands there, and says what is wrong with file, line and the way to it ("run.integrator").
class Item {
 public:
  struct Entry;

  Item(const Document& document, const Tree& tree) : document_(&document), tree_(&tree) {}
  explicit Item(const Document& document) : Item(document, document.root) {}

  bool is_nothing() const { return tree_->kind == Tree::Kind::nothing; }
  bool is_word() const { return tree_->kind == Tree::Kind::word; }
  bool is_list() const { return tree_->kind == Tree::Kind::list; }
  bool is_table() const { return tree_->kind == Tree::Kind::table; }
  bool empty() const { return !is_word() && tree_->items.empty(); }
  const Tree& tree() const { return *tree_; }
  const std::string& file() const { return document_->file; }
  const Document& document() const { return *document_; }

  const std::string& word() const;                         ///< fails where there is a list or a table
  const std::string& text() const { return tree_->word; }  ///< for messages
  std::vector<Item> list() const;

  /// Entries of a table, in order; refuses keys that are given twice. The second with known names only.
  std::vector<Entry> entries() const;
  std::vector<Entry> entries(const std::vector<std::string>& known) const;

  [[noreturn]] void fail(const std::string& what) const { fail(what, *tree_); }
  [[noreturn]] void fail(const std::string& what, const Tree& line_of) const;  ///< with the line of a part

 private:
  const Document* document_;
  const Tree* tree_;
};

struct Item::Entry {
  const std::string& name;
  Item item;
};

}  // namespace taut
