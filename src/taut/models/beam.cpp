#include <algorithm>
#include <cmath>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/models/beam.hpp>
#include <taut/system/constraints/hold.hpp>
#include <taut/system/constraints/stretch.hpp>
#include <taut/system/terms/beam_load.hpp>
#include <taut/system/terms/element.hpp>
#include <taut/system/terms/gravity.hpp>

namespace taut {
namespace {

using Vector3 = std::array<double, 3>;

double norm(const Vector3& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
Vector3 along(const Vector3& a, double s, const Vector3& b) { return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]}; }
Vector3 unit(const Vector3& a, const std::string& what) {
  const double size = norm(a);
  require(size > 0.0 && std::isfinite(size), "{}: the direction must have a length.", what);
  return {a[0] / size, a[1] / size, a[2] / size};
}

/// Gauss points on [0, 1] with weights.
struct Quadrature {
  std::vector<double> xi, weight;
};
Quadrature gauss(int points) {
  switch (points) {
    case 2:
      return {{0.5 - std::sqrt(3.0) / 6.0, 0.5 + std::sqrt(3.0) / 6.0}, {0.5, 0.5}};
    case 3:
      return {{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)}, {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0}};
    case 4: {
      const double inner = 0.5 * std::sqrt(3.0 / 7.0 - 2.0 / 7.0 * std::sqrt(1.2));
      const double outer = 0.5 * std::sqrt(3.0 / 7.0 + 2.0 / 7.0 * std::sqrt(1.2));
      const double heavy = (18.0 + std::sqrt(30.0)) / 72.0, light = (18.0 - std::sqrt(30.0)) / 72.0;
      return {{0.5 - outer, 0.5 - inner, 0.5 + inner, 0.5 + outer}, {light, heavy, heavy, light}};
    }
    default: {
      const double inner = std::sqrt(5.0 - 2.0 * std::sqrt(10.0 / 7.0)) / 6.0;
      const double outer = std::sqrt(5.0 + 2.0 * std::sqrt(10.0 / 7.0)) / 6.0;
      const double heavy = (322.0 + 13.0 * std::sqrt(70.0)) / 1800.0, light = (322.0 - 13.0 * std::sqrt(70.0)) / 1800.0;
      return {{0.5 - outer, 0.5 - inner, 0.5, 0.5 + inner, 0.5 + outer}, {light, heavy, 64.0 / 225.0, heavy, light}};
    }
  }
}

/// The cubic Hermite functions of x₀, x₀′, x₁, x₁′ on an element of length h, differentiated 0 to 2 times in s.
std::array<double, 4> hermite(double xi, double h, int derivative) {
  switch (derivative) {
    case 0:
      return {(1.0 + 2.0 * xi) * (1.0 - xi) * (1.0 - xi), h * xi * (1.0 - xi) * (1.0 - xi), xi * xi * (3.0 - 2.0 * xi),
              h * xi * xi * (xi - 1.0)};
    case 1:
      return {6.0 * xi * (xi - 1.0) / h, (1.0 - xi) * (1.0 - 3.0 * xi), 6.0 * xi * (1.0 - xi) / h, xi * (3.0 * xi - 2.0)};
    default:
      return {(12.0 * xi - 6.0) / (h * h), (6.0 * xi - 4.0) / h, (6.0 - 12.0 * xi) / (h * h), (6.0 * xi - 2.0) / h};
  }
}

}  // namespace

Curve straight(Vector3 from, Vector3 direction) {
  const Vector3 tangent = unit(direction, "straight");
  return [=](double s) { return Frame{along(from, s, tangent), tangent}; };
}

Curve hanging(Vector3 from, Vector3 to, double length, int dim) {
  const Vector3 chord = along(to, -1.0, from);
  const double span = norm(chord);
  require(span <= length * (1.0 + 1e-12), "hanging: the ends are {} m apart, but the length is only {} m.", span, length);
  Vector3 down{};
  down[dim - 1] = -1.0;
  if (span >= length * (1.0 - 1e-9)) return straight(from, chord);
  if (span <= 0.01 * length) {  // a circle below the end: a parabola would be a fold
    const double radius = length / (2.0 * std::numbers::pi);
    return [=](double s) {
      const double angle = s / radius;
      Frame out{along(from, radius * (1.0 - std::cos(angle)), down), {}};
      out.x[0] += radius * std::sin(angle);
      out.tangent = along({std::cos(angle), 0.0, 0.0}, std::sin(angle), down);
      return out;
    };
  }
  // Sag across the chord; a vertical one sags sideways.
  const double fall = down[dim - 1] * chord[dim - 1] / (span * span);
  Vector3 across = along(down, -fall, chord);
  if (norm(across) < 1e-6) across = {1.0, 0.0, 0.0};
  across = unit(across, "hanging");
  // x(u) = from + u·chord + 4 f u (1 − u)·across has the speed √(span² + 16 f² (1 − 2u)²) and the length of asinh fame.
  const auto reach = [=](double sag, double u) {  // ∫ from the middle to u
    const double k = 8.0 * sag, z = k * (u - 0.5);
    return 0.5 * ((u - 0.5) * std::hypot(span, z) + (k > 0.0 ? span * span / k * std::asinh(z / span) : (u - 0.5) * span));
  };
  double low = 0.0, high = length;
  for (int round = 0; round < 200; ++round) {
    const double sag = 0.5 * (low + high);
    (reach(sag, 1.0) - reach(sag, 0.0) < length ? low : high) = sag;
  }
  const double sag = 0.5 * (low + high), half = reach(sag, 1.0);
  return [=](double s) {
    double a = 0.0, b = 1.0;
    for (int round = 0; round < 60; ++round) {
      const double u = 0.5 * (a + b);
      (reach(sag, u) + half < s ? a : b) = u;
    }
    const double u = 0.5 * (a + b);
    return Frame{along(along(from, u, chord), 4.0 * sag * u * (1.0 - u), across),
                 unit(along(chord, 4.0 * sag * (1.0 - 2.0 * u), across), "hanging")};
  };
}

Beam::Beam(BeamOptions options, int dim, int first_point) : options_(std::move(options)), dim_(dim) {
  const std::string& name = options_.name;
  require(dim == 2 || dim == 3, "Beam '{}': needs 2 or 3 dimensions, got {}.", name, dim);
  require(options_.length > 0.0 && std::isfinite(options_.length), "Beam '{}': the length must be positive, got {}.", name,
          options_.length);
  s_ = options_.nodes;
  if (s_.empty()) {
    require(options_.elements >= 1, "Beam '{}': needs at least one element, got {}.", name, options_.elements);
    for (int k = 0; k <= options_.elements; ++k)
      s_.push_back(k == options_.elements ? options_.length : options_.length * k / options_.elements);
  }
  require(s_.size() >= 2 && s_.front() == 0.0 && s_.back() == options_.length,
          "Beam '{}': the nodes must run from 0 to the length {}.", name, options_.length);
  for (std::size_t k = 1; k < s_.size(); ++k)
    require(s_[k] > s_[k - 1], "Beam '{}': the nodes must ascend, but {} follows {}.", name, s_[k], s_[k - 1]);
  for (const double s : s_) {
    require(options_.density(s) > 0.0, "Beam '{}': the density must be positive, got {} at s = {}.", name,
            options_.density(s), s);
    require(options_.stiffness(s) >= 0.0, "Beam '{}': the stiffness must not be negative, got {} at s = {}.", name,
            options_.stiffness(s), s);
  }
  require(options_.mass_damping >= 0.0 && options_.stiffness_damping >= 0.0, "Beam '{}': damping must not be negative.",
          name);
  using Support = BeamEnd::Support;
  const bool stretches = is_rod() && options_.rod->axial > 0.0;
  if (!stretches && options_.start.support != Support::free && options_.end.support != Support::free) {
    const double span = norm(along(options_.end.place, -1.0, options_.start.place));
    require(span <= options_.length * (1.0 + 1e-12),
            "Beam '{}': its ends are held {} m apart, but it is only {} m long and cannot stretch.", name, span,
            options_.length);
  }
  int next = first_point;
  for (int k = 0; k < nodes(); ++k) {
    const BeamEnd* end = k == 0 ? &options_.start : (k == nodes() - 1 ? &options_.end : nullptr);
    position_.push_back(end != nullptr && end->point >= 0 ? end->point : next++);
    if (is_rod()) {
      const bool shared = end != nullptr && end->director >= 0;
      director_.push_back(shared ? end->director : next);
      if (!shared) next += 2;
    }
    tangent_.push_back(end != nullptr && end->tangent >= 0 ? end->tangent : next++);
  }
  own_ = next - first_point;
  if (is_rod()) check_rod();
}

int Beam::node_near(double s) const {
  const auto above = std::lower_bound(s_.begin(), s_.end(), s);
  if (above == s_.begin()) return 0;
  if (above == s_.end()) return nodes() - 1;
  const int k = int(above - s_.begin());
  return s_[k] - s < s - s_[k - 1] ? k : k - 1;
}

std::array<int, 4> Beam::shapes(int element) const {
  return {dim_ * position_[element], dim_ * tangent_[element], dim_ * position_[element + 1], dim_ * tangent_[element + 1]};
}

std::vector<Beam::Row> Beam::rows() const {
  std::vector<Row> all;
  const Placement kind = options_.inextensible;
  const bool at_nodes = kind == Placement::simpson || kind == Placement::nodes;
  Quadrature inside;
  if (kind == Placement::simpson) inside = {{0.5}, {4.0 / 6.0}};
  if (kind == Placement::midpoints) inside = {{0.5}, {1.0}};
  if (kind == Placement::gauss2) inside = gauss(2);
  if (kind == Placement::gauss3) inside = gauss(3);
  if (kind == Placement::gauss4) inside = gauss(4);
  const double share = kind == Placement::simpson ? 1.0 / 6.0 : 0.5;
  for (int k = 0; k < nodes(); ++k) {
    const double left = k > 0 ? s_[k] - s_[k - 1] : 0.0, right = k + 1 < nodes() ? s_[k + 1] - s_[k] : 0.0;
    const BeamEnd* end = k == 0 ? &options_.start : (k == nodes() - 1 ? &options_.end : nullptr);
    // A tangent that is held, or shared with a beam that keeps it, has its length already.
    const bool given =
        end != nullptr && (end->support == BeamEnd::Support::clamped || end->tangent_given || end->tangent >= 0);
    if (at_nodes && !given) all.push_back({s_[k], share * (left + right), -1, k, 0.0});
    if (k + 1 < nodes())
      for (std::size_t i = 0; i < inside.xi.size(); ++i)
        all.push_back({s_[k] + inside.xi[i] * right, inside.weight[i] * right, k, -1, inside.xi[i]});
  }
  return all;
}

/// Mass and bending, the same matrices for neighbours that are equal; a rod bends by its own terms.
template <int Dim> void Beam::add_elements(System& system) const {
  const Quadrature five = gauss(5);
  std::shared_ptr<const ElementMatrices<4>> matrices;
  double last = 0.0;
  // Elements of an equidistant mesh differ by round-off only, and must not be different for that.
  const bool uniform = options_.nodes.empty(), constant = options_.density.constant() && options_.stiffness.constant();
  for (int e = 0; e + 1 < nodes(); ++e) {
    const double h = uniform ? options_.length / options_.elements : s_[e + 1] - s_[e];
    if (!matrices || !constant || h != last) {
      auto made = std::make_shared<ElementMatrices<4>>();
      for (std::size_t g = 0; g < five.xi.size(); ++g) {
        const double s = s_[e] + five.xi[g] * h, weight = five.weight[g] * h;
        const auto N = hermite(five.xi[g], h, 0), bend = hermite(five.xi[g], h, 2);
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) {
            made->mass[i * 4 + j] += weight * options_.density(s) * N[i] * N[j];
            if (!is_rod()) made->stiffness[i * 4 + j] += weight * options_.stiffness(s) * bend[i] * bend[j];
          }
      }
      for (int k = 0; k < 16; ++k)
        made->damping[k] = options_.mass_damping * made->mass[k] + options_.stiffness_damping * made->stiffness[k];
      if (!is_rod()) made->rigid = {{{1.0, 0.0, 1.0, 0.0}, {0.0, 1.0, h, 1.0}}};  // a shift and a turn
      matrices = std::move(made);
      last = h;
    }
    system.add(Element<4, Dim>{shapes(e), matrices});
  }
}
template void Beam::add_elements<3>(System&) const;

template <int Dim> void Beam::add_in(System& system) const {
  add_elements<Dim>(system);
  const auto name = std::make_shared<const std::string>(options_.name);
  for (const Row& row : rows()) {
    if (row.element < 0) {
      system.add(Stretch<1, Dim>{{Dim * tangent_[row.node]}, {1.0}, row.weight, row.s, options_.slack, name});
    } else {
      const int e = row.element;
      system.add(Stretch<4, Dim>{shapes(e), hermite(row.xi, s_[e + 1] - s_[e], 1), row.weight, row.s, options_.slack, name});
    }
  }

  for (const int side : {0, 1}) {
    const BeamEnd& end = side == 0 ? options_.start : options_.end;
    const int node = side == 0 ? 0 : nodes() - 1;
    const std::string where = options_.name + (side == 0 ? " start" : " end");
    if (end.support == BeamEnd::Support::free) continue;
    system.add(HoldIn<Dim, Place>{position_[node], Place{end.place}}, where);
    if (end.support == BeamEnd::Support::clamped)
      system.add(HoldIn<Dim, Place>{tangent_[node], Place{unit(end.direction, "Beam '" + options_.name + "'")}},
                 where + " clamp");
  }
}

void Beam::add_to(System& system) const {
  for (int k = 0; k < nodes(); ++k) {
    system.add_vector(dim_ * position_[k], false);
    system.add_vector(dim_ * tangent_[k], true);
  }
  if (is_rod()) return add_rod(system);
  dim_ == 2 ? add_in<2>(system) : add_in<3>(system);
}

void Beam::add_gravity(System& system, double g) const {
  Vector3 down{};
  down[dim_ - 1] = -g;
  add_weight(system, down);
}

void Beam::add_weight(System& system, const Vector3& g) const {
  const Quadrature five = gauss(5);
  Vector load = Vector::Zero(2 * nodes());  // ∫ρψ of x and x′ at each node
  for (int e = 0; e + 1 < nodes(); ++e) {
    const double h = s_[e + 1] - s_[e];
    for (std::size_t k = 0; k < five.xi.size(); ++k) {
      const auto N = hermite(five.xi[k], h, 0);
      for (int i = 0; i < 4; ++i) load[2 * e + i] += five.weight[k] * h * options_.density(s_[e] + five.xi[k] * h) * N[i];
    }
  }
  for (int k = 0; k < nodes(); ++k)
    for (int d = 0; d < dim_; ++d) {
      if (g[d] == 0.0) continue;
      system.add(Weight{dim_ * position_[k] + d, -g[d] * load[2 * k]});
      if (load[2 * k + 1] != 0.0) system.add(Weight{dim_ * tangent_[k] + d, -g[d] * load[2 * k + 1]});
    }
}

void Beam::add_force(System& system, int node, Vector3 newtons) const {
  for (int d = 0; d < dim_; ++d)
    if (newtons[d] != 0.0) system.add(Weight{dim_ * position_[node] + d, -newtons[d]});
}

void Beam::add_force(System& system, int node, std::function<Vector3(double)> newtons) const {
  if (dim_ == 2)
    system.add(PointForce<2>{position_[node], std::move(newtons)});
  else
    system.add(PointForce<3>{position_[node], std::move(newtons)});
}

void Beam::add_follower(System& system, int node, double along_it, double across) const {
  require(dim_ == 2 || across == 0.0,
          "Beam '{}': in space a follower force acts along the tangent only; a beam without torsion has no normal.",
          options_.name);
  if (dim_ == 2)
    system.add(FollowerForce<2>{position_[node], tangent_[node], along_it, across});
  else
    system.add(FollowerForce<3>{position_[node], tangent_[node], along_it, 0.0});
}

template <int Dim> void Beam::add_load_in(System& system, const Load& load, bool follower) const {
  const Quadrature five = gauss(5);
  const auto fill = [&](auto& term, int e) {
    const double h = s_[e + 1] - s_[e];
    term.at = shapes(e);
    term.load = load;
    for (int k = 0; k < 5; ++k)
      term.points[k] = {s_[e] + five.xi[k] * h, five.weight[k] * h, hermite(five.xi[k], h, 0), hermite(five.xi[k], h, 1)};
  };
  for (int e = 0; e + 1 < nodes(); ++e) {
    if (follower) {
      ElementLoad<Dim, true> term;
      fill(term, e);
      system.add(std::move(term));
    } else {
      ElementLoad<Dim, false> term;
      fill(term, e);
      system.add(std::move(term));
    }
  }
}

void Beam::add_load(System& system, Load load) const {
  dim_ == 2 ? add_load_in<2>(system, load, false) : add_load_in<3>(system, load, false);
}

void Beam::add_follower_load(System& system, Load load) const {
  const Quadrature five = gauss(5);
  for (int e = 0; is_rod() && e + 1 < nodes(); ++e) {
    DirectorLoad term{.at = rod_element(e).at, .points = {}, .shears = options_.rod->shear[0] > 0.0, .load = load};
    const double h = s_[e + 1] - s_[e];
    for (std::size_t k = 0; k < 5; ++k)
      term.points[k] = {s_[e] + five.xi[k] * h, five.xi[k], five.weight[k] * h, hermite(five.xi[k], h, 0),
                        hermite(five.xi[k], h, 1)};
    system.add(std::move(term));
  }
  if (is_rod()) return;
  dim_ == 2 ? add_load_in<2>(system, load, true) : add_load_in<3>(system, load, true);
}

void Beam::place(const Curve& curve, Vector& q) const {
  for (int k = 0; k < nodes(); ++k) {
    const Frame frame = curve(s_[k]);
    for (int d = 0; d < dim_; ++d) {
      q[dim_ * position_[k] + d] = frame.x[d];
      q[dim_ * tangent_[k] + d] = frame.tangent[d];
    }
  }
}

int Beam::element_at(double s) const {
  require(s >= -1e-12 * options_.length && s <= options_.length * (1.0 + 1e-12),
          "Beam '{}': s must lie between 0 and {}, got {}.", options_.name, options_.length, s);
  const int k = int(std::upper_bound(s_.begin(), s_.end(), s) - s_.begin()) - 1;
  return std::clamp(k, 0, nodes() - 2);
}

std::vector<std::pair<int, double>> Beam::weights(double s, int derivative) const {
  const int e = element_at(s);
  const double h = s_[e + 1] - s_[e];
  const auto N = hermite((s - s_[e]) / h, h, derivative);
  const auto first = shapes(e);
  std::vector<std::pair<int, double>> out;
  for (int k = 0; k < 4; ++k) out.emplace_back(first[k], N[k]);
  return out;
}

Vector3 Beam::at(const double* q, double s, int derivative) const {
  Vector3 out{};
  for (const auto& [first, weight] : weights(s, derivative))
    for (int d = 0; d < dim_; ++d) out[d] += weight * q[first + d];
  return out;
}

double Beam::curvature(const double* q, double s) const { return norm(at(q, s, 2)); }

std::vector<std::pair<double, double>> Beam::tension(const System& system, const Vector& lambda) const {
  // Rows are found by name of the type and coordinates, because other beams share the blocks.
  std::vector<std::pair<double, double>> out;
  const auto collect = [&](auto tag) {
    constexpr int Dim = decltype(tag)::value;
    int first = 0;
    for (const auto& block : system.constraints()) {
      const auto take = [&](const auto* same, auto matches) {
        if (same == nullptr) return;
        for (int k = 0; k < same->terms(); ++k)
          if (matches(same->stencils()[std::size_t(k) * same->width()]))
            out.emplace_back(same->term(k).s, lambda[first + k]);
      };
      const auto mine = [&](const std::vector<int>& points) {
        return [&](int coordinate) { return std::binary_search(points.begin(), points.end(), coordinate / Dim); };
      };
      std::vector<int> tangents = tangent_, places = position_;
      std::sort(tangents.begin(), tangents.end());
      places.pop_back();
      std::sort(places.begin(), places.end());
      take(dynamic_cast<const ConstraintTerms<Stretch<1, Dim>>*>(block.get()), mine(tangents));
      take(dynamic_cast<const ConstraintTerms<Stretch<4, Dim>>*>(block.get()), mine(places));
      first += block->terms() * block->rows();
    }
  };
  if (dim_ == 2)
    collect(std::integral_constant<int, 2>{});
  else
    collect(std::integral_constant<int, 3>{});
  std::sort(out.begin(), out.end());
  return out;
}

double Beam::stretch(const double* q) const {
  double worst = 0.0;
  for (const Row& row : rows()) worst = std::max(worst, std::abs(norm(at(q, row.s, 1)) - 1.0));
  return worst;
}

double Beam::stretch_between(const double* q) const {
  double worst = 0.0;
  const int samples = 10 * nodes();
  for (int k = 0; k <= samples; ++k) worst = std::max(worst, std::abs(norm(at(q, options_.length * k / samples, 1)) - 1.0));
  return worst;
}

}  // namespace taut
