#pragma once

#include <string>
#include <vector>

namespace taut {

struct Field;

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
    coordinate_or_velocity,  ///< the same, or with a prime
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
  std::vector<std::string> words{};
  std::vector<Form> parts{};
  std::vector<Field> fields;
  std::vector<std::string> keys{};  ///< names of the fields

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
Form one_of(std::vector<std::string> words);
Form list_of(Form item, int fewest = 0, int at_most = 0);
Form table_of(std::vector<Field> fields);
Form names_of(Form name, Form value, std::vector<Field> known = {});
Form any_of(std::vector<Form> parts);
Form defined(const std::string& definition, Form form, const std::string& doc = {});
Field required(Field field);

}  // namespace taut
