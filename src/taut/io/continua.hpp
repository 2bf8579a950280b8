#pragma once

#include <map>
#include <optional>
#include <taut/io/yaml_item.hpp>
#include <taut/models/beam.hpp>
#include <taut/models/vibrating_string.hpp>

namespace taut {

/// A quantity along a beam or string that a model gives as an expression of s (or x) and t, with its slope along it.
struct AlongFunction {
  std::function<double(double s, double t)> value, slope;
  bool constant = false;  ///< a number
  bool steady = false;    ///< without t
};

/// The sections `beams`, `strings`, `contacts` and `couplings` of a model. Supports are left to the reader of the model, because they may be any
/// function of time.
class Continua {
 public:
  struct Support {
    int point;               ///< of the system: the place of an end, or its tangent
    Item at;                 ///< where it is held: expressions of time, one per axis
    bool direction = false;  ///< a direction, whose length does not matter
    std::string name;
    std::optional<double> release{};
  };
  struct Mark {
    std::string name;
    int beam;
    double s;
  };

  /// How the reader of the model evaluates items.
  struct Reader {
    std::function<double(const Item&)> number;
    std::function<AlongFunction(const Item&, const std::string& variable)> along;
    std::function<std::vector<Item>(const Item&)> axes;
    int dim = 2;
  };
  explicit Continua(Reader reader) : reader_(std::move(reader)) {}

  /// Masses by name are points 0, 1, …; the points of beams follow.
  void read_beam(const std::string& name, const Item& item, const std::map<std::string, int>& masses, int first_point);
  void read_string(const std::string& name, const Item& item);

  int beam_points() const;
  int string_coordinates() const;
  bool empty() const { return beams_.empty() && strings_.empty(); }

  /// Strings get their coordinates here; beams have theirs.
  void number_strings(int first_coordinate);
  void add_to(System& system, const std::array<double, 3>& gravity) const;
  void read_contact(const Item& item, System& system) const;
  void read_coupling(const Item& item, System& system) const;

  /// Initial places and velocities.
  void place(Vector& q, Vector& v) const;

  /// Of all coordinates in the order of the system: "pipe.3.x" of a node, "pipe.3.tx" of its tangent, "u.3" of a string.
  std::vector<std::string> coordinate_names() const;

  struct NamedBeam {
    std::string name;
    Beam beam;
    Item item;
  };
  const std::vector<NamedBeam>& beams() const { return beams_; }
  const std::vector<Support>& supports() const { return supports_; }
  const std::vector<Mark>& marks() const { return marks_; }

 private:
  struct NamedString {
    std::string name;
    VibratingString string;
    Item item;
  };
  BeamEnd read_end(const std::string& beam, const std::string& which, const Item& item,
                   const std::map<std::string, int>& masses);
  int elements(const Item& item) const;
  Profile profile(const Item& item, const std::string& variable) const;
  Curve shape(const Item& item) const;
  void add_force(const NamedBeam& named, const Item& item, System& system) const;
  Beam::Load load(const Item& item) const;
  const VibratingString& string(const Item& item) const;

  Reader reader_;
  std::vector<NamedBeam> beams_;
  std::vector<NamedString> strings_;
  std::vector<Support> supports_;
  std::vector<Mark> marks_;
  struct Corner {
    int first, second;
    double angle;
  };
  std::vector<Corner> corners_;
};

}  // namespace taut
