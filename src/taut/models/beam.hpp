#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <taut/system/system.hpp>
#include <taut/system/terms/rod_element.hpp>
#include <utility>
#include <vector>

namespace taut {

/// A quantity along a beam: one number, or a function of the arc length s.
class Profile {
 public:
  Profile(double value) : value_(value) {}                           // NOLINT: a number is a profile
  Profile(std::function<double(double)> of) : of_(std::move(of)) {}  // NOLINT
  double operator()(double s) const { return of_ ? of_(s) : value_; }
  bool constant() const { return !of_; }

 private:
  double value_ = 0.0;
  std::function<double(double)> of_;
};

/// A point in space and the tangent there, for each arc length.
struct Frame {
  std::array<double, 3> x{}, tangent{};
};
using Curve = std::function<Frame(double s)>;

/// A straight line from a place along a direction.
Curve straight(std::array<double, 3> from, std::array<double, 3> direction);

/// A parabola of the given length between two places, sagging along −y (dim 2) or −z (dim 3), by arc length: a guess for what hangs. Ends that
/// coincide give a circle. Throws InputError where the places are farther apart than the length.
Curve hanging(std::array<double, 3> from, std::array<double, 3> to, double length, int dim);

/// What makes a beam in space a rod: it twists, and may stretch and shear. Bending is about the directors d₁ and d₂, twist about d₃ = x′.
struct RodSection {
  std::array<Profile, 2> bending{1.0, 1.0};         ///< EI₁, EI₂, N m²
  Profile torsion = 1.0;                            ///< GJ, N m²
  double axial = 0.0;                               ///< EA, N; 0: it does not stretch, by constraint
  std::array<double, 2> shear{};                    ///< GA₁, GA₂, N; 0: x′ is d₃
  std::array<Profile, 3> curvature{0.0, 0.0, 0.0};  ///< of the rod that nothing strains: about d₁, d₂ and twist, 1/m
  std::array<Profile, 2> inertia{
      0.0, 0.0};          ///< of the section about d₁ and d₂, kg m; both 0: those of a radius of gyration of length/1000
  bool corrected = true;  ///< see RodElement; false for study
};

/// Directors along a rod, by arc length: d₁, d₂, d₃.
using Directors = std::function<std::array<std::array<double, 3>, 3>(double s)>;

/// Where along each element inextensibility is asked for. Only `simpson` is accurate (order 4 in x); the others are kept for study: nodes or
/// midpoints alone leave a stretch of percents between, two Gauss points make the tension alternate, more of them lock. With `none` nothing
/// keeps the length: the linear beam equation, for loads under which its solution is inextensible by itself.
enum class Placement { simpson, nodes, midpoints, gauss2, gauss3, gauss4, none };

/// One end of a beam. A clamp holds the tangent, which is a unit vector then and needs no condition of its own; so `tangent_given` must be said
/// when the caller holds it by a constraint of his own (a clamp that turns).
struct BeamEnd {
  enum class Support { free, pinned, clamped };
  Support support = Support::free;
  std::array<double, 3> place{};               ///< of a pinned or clamped end
  std::array<double, 3> direction{1.0, 0, 0};  ///< of the tangent x′ of a clamped end; its length does not matter
  bool tangent_given = false;
  int point = -1;                ///< the end is this point of the system: a mass, or the end of another beam
  int tangent = -1;              ///< and its tangent is this one: clamped to another beam that goes on in the same direction
  std::array<double, 3> roll{};  ///< of a clamped end of a rod: where d₁ points, at right angles to the direction
  int director = -1;             ///< of a rod: d₁ of the end is this point, d₂ the next: clamped to another rod
};

struct BeamOptions {
  std::string name = "beam";
  double length = 1.0;             ///< m
  int elements = 60;               ///< of equal length
  std::vector<double> nodes{};     ///< or their arc lengths, from 0 to length; then `elements` is not used
  Profile density = 1.0;           ///< ρ, kg/m
  Profile stiffness = 1.0;         ///< EI, N m²; 0 is a cable
  double mass_damping = 0.0;       ///< Rayleigh's coefficients: the force −(a M + b K) v, with a in 1/s
  double stiffness_damping = 0.0;  ///< and b in s
  Placement inextensible = Placement::simpson;
  bool slack = false;               ///< |x′| ≤ 1 instead of |x′| = 1
  std::optional<RodSection> rod{};  ///< it twists; then `stiffness`, `inextensible` are not used
  BeamEnd start{}, end{};
};

/// An inextensible beam, cubic Hermite elements in 2 or 3 dimensions:
///
///     ρẍ + EI x'''' − (μx′)′ = f,    |x′| = 1        T = ½∫ρ|ẋ|² ds,   V = ½∫EI|x″|² ds − ∫f·x ds,   torsion neglected
///
/// The unknowns of a node are its place x and its tangent x′: two points of the system, so that everything that takes points (Hold, Distance,
/// Pin, Spring) takes them too. λ of an inextensibility row is the tension μ. Integrals over an element take five Gauss points,
/// which is exact for constant ρ and EI.
/// R. Glowinski and M. Holmström, Surv. Math. Ind. 5 (1995) 75–108, section 4.
///
/// A rod has directors besides: nodes are (x, d₁, d₂, d₃), as bodies are, with d₃ the tangent; see RodElement.
class Beam {
 public:
  /// In dim = 2 or 3 dimensions; its own points are numbered from first_point on.
  Beam(BeamOptions options, int dim, int first_point = 0);

  int points() const { return own_; }  ///< that are its own, not shared
  int coordinates() const { return dim_ * own_; }
  int dim() const { return dim_; }
  const BeamOptions& options() const { return options_; }
  int nodes() const { return int(s_.size()); }
  double s(int node) const { return s_[node]; }
  int position(int node) const { return position_[node]; }  ///< as a point of the system
  int tangent(int node) const { return tangent_[node]; }
  int node_near(double s) const;
  bool is_rod() const { return options_.rod.has_value(); }
  int director(int node, int i) const;          ///< dᵢ as a point, i = 1, 2, 3
  std::array<int, 3> frame_at(int node) const;  ///< first coordinates of d₁, d₂, d₃
  RodElement rod_element(int element) const;    ///< of a rod
  double rod_stretch(const double* q) const;    ///< largest |Γ₃| of a rod that does not stretch
  /// Writes the frames of a rod; without them they follow the curve with as little twist as can be, from a roll.
  void place_frames(const Directors& frames, Vector& q) const;
  /// `twist` more over the length, rad. With the curve they follow it between nodes too.
  void place_frames(std::array<double, 3> roll, double twist, Vector& q, const Curve& curve = {}) const;
  /// A moment at a node of a rod in axes of space, or along its directors; and a force along them.
  void add_moment(System& system, int node, std::function<std::array<double, 3>(double t)> moment, bool follows) const;
  void add_director_force(System& system, int node, std::array<double, 3> newtons) const;

  /// Adds mass, bending, inextensibility and the supports of both ends.
  void add_to(System& system) const;

  // Loads. Constant ones are potentials, the others forces.
  void add_gravity(System& system, double g) const;                       ///< along −y (dim 2) or −z (dim 3)
  void add_weight(System& system, const std::array<double, 3>& g) const;  ///< the same along any vector, m/s²
  void add_force(System& system, int node, std::array<double, 3> newtons) const;
  void add_force(System& system, int node, std::function<std::array<double, 3>(double t)> newtons) const;
  /// A force that turns with the beam: along the tangent, and in the plane also normal to it, to the left.
  void add_follower(System& system, int node, double along, double across) const;
  /// Newtons per metre as a function of s and t.
  using Load = std::function<std::array<double, 3>(double s, double t)>;
  void add_load(System& system, Load load) const;
  /// The same in the directions (tangent, left normal) of the beam; the second in the plane only.
  void add_follower_load(System& system, Load load) const;

  /// Writes the coordinates of a curve into q.
  void place(const Curve& curve, Vector& q) const;

  /// x, x′ or x″ at s, for derivative = 0, 1, 2.
  std::array<double, 3> at(const double* q, double s, int derivative = 0) const;
  double curvature(const double* q, double s) const;  ///< |x″|

  /// The same as weights of first coordinates: x = Σ weight · q[coordinate …].
  std::vector<std::pair<int, double>> weights(double s, int derivative = 0) const;

  /// Arc length and tension of each inextensibility condition, by ascending s.
  std::vector<std::pair<double, double>> tension(const System& system, const Vector& lambda) const;

  /// The largest | |x′| − 1 | at the places where it is asked to vanish, and over a fine sampling of the beam.
  double stretch(const double* q) const;
  double stretch_between(const double* q) const;

 private:
  struct Row {
    double s, weight;
    int element;  ///< −1 for a node
    int node;
    double xi;
  };
  template <int Dim> void add_elements(System& system) const;
  template <int Dim> void add_in(System& system) const;
  void add_rod(System& system) const;
  void check_rod() const;
  std::shared_ptr<const RodNumbers> rod_numbers(int element) const;
  template <int Dim> void add_load_in(System& system, const Load& load, bool follower) const;
  std::array<int, 4> shapes(int element) const;  ///< first coordinates of x, x′ at both nodes
  std::vector<Row> rows() const;
  int element_at(double s) const;

  BeamOptions options_;
  int dim_, own_ = 0;
  std::vector<double> s_;
  std::vector<int> position_, tangent_, director_;  // d₁ of a rod
};

/// Two beams clamped to each other at an angle: the tangent of `second` is that of `first` turned by `angle`, counterclockwise. In space only
/// the angle between both is kept, because a beam without torsion has no frame.
void add_corner(System& system, int first_tangent, int second_tangent, double angle);

}  // namespace taut
