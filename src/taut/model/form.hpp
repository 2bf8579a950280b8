#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace taut {

struct Field;

/// A list that is made once and shared by its copies: forms are made of forms, many times over, whenever the program starts.
template <class One> class Listed {
 public:
  Listed() = default;
  Listed(std::vector<One> all) : all_(std::make_shared<const std::vector<One>>(std::move(all))) {}  // NOLINT: it stands
  Listed(std::initializer_list<One> all) : all_(std::make_shared<const std::vector<One>>(all)) {}   // for a vector
  operator const std::vector<One>&() const { return all(); }                                        // NOLINT
  const std::vector<One>& all() const {
    static const std::vector<One> none;
    return all_ != nullptr ? *all_ : none;
  }

  std::size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const One& operator[](std::size_t k) const { return all()[k]; }
  const One& front() const { return all().front(); }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }

 private:
  std::shared_ptr<const std::vector<One>> all_;
};

/// What may stand at a place of a model, in words that a reader, a schema and a page of reference share.
struct Form {
  enum class Kind {
    text,                    ///< any words
    value,                   ///< a number or an expression, within limits if it is a number
    expression,              ///< in words
    whole,                   ///< a whole number within limits, or an expression
    relation,                ///< left = right, <= or >=
    name,                    ///< of a parameter, mass, point, …
    coordinate,              ///< phi, A.x, pipe.3.tx, u.7
    coordinate_or_velocity,  ///< the same, or with a prime, or A.vx
    spot,                    ///< a mass, a point or an end of a beam
    head,                    ///< of a function: f(x, y)
    truth,
    words,  ///< one of several
    list,   ///< of parts[0]
    table,  ///< with the entries `fields` and no others
    names,  ///< a table with names of its own: parts[0] is the form of a name, parts[1] that of a value; `fields` have a meaning
    any_of,  ///< one of the parts
    nothing
  };
  Kind kind = Kind::value;
  std::string definition{};  ///< a name, where a schema is to say it once
  std::string doc{};
  Listed<std::string> words{};
  Listed<Form> parts{};
  Listed<Field> fields{};
  Listed<std::string> keys{};  ///< names of the fields

  // Limits of numbers; words of numbers, as the schema prints them. Empty: none.
  std::string least{}, above{}, most{}, below{};
  int fewest = 0, at_most = 0;  ///< items of a list or entries of a table; at_most = 0: any number
  bool unique = false;          ///< no item twice

  // Of a table.
  std::vector<std::string> some{};                ///< one of these must be there
  std::vector<std::vector<std::string>> never{};  ///< not together
  struct Needs {
    std::string key;
    std::vector<std::string> one_of;
  };
  std::vector<Needs> needs{};
};

/// An entry of a table.
struct Field {
  std::string name;
  Form form;
  std::string doc{};
  std::string standard{};  ///< what is taken where it is missing
  bool required = false;
};

/// Forms of the tables that a model holds.
struct Forms {
  Form table, mass, body, shape, rotation, joint, rolling, rod, spring, damper, pin, curve, wall, beam, beam_end,
      beam_damping, beam_force, string, contact, touch, gear, turning, coupling, constraint, initial, event, then, change,
      run, tolerance, method, place, sum, link_ends, formulation, integrator, solver;
};
const Forms& forms();

std::vector<std::string> joint_types();  ///< those that the reader of joints knows

// Words for making them.
Form form(Form::Kind kind);
Form values(const std::string& definition);  ///< value, positive, nonnegative, tolerance
Form whole(std::string least, std::string most = {});
Form one_of(std::vector<std::string> words);
Form list_of(Form item, int fewest = 0, int at_most = 0);
Form table_of(std::vector<Field> fields);
Form names_of(Form name, Form value, std::vector<Field> known = {});
Form any_of(std::vector<Form> parts);
Form defined(const std::string& definition, Form form, const std::string& doc = {});
Field required(Field field);

}  // namespace taut
