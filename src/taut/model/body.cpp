#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <taut/model/body.hpp>
#include <taut/model/draft.hpp>

namespace taut {

using Eigen::Matrix3d, Eigen::Vector3d;

MassDistribution MassDistribution::placed(const Matrix3d& R, const Vector3d& by) const {
  return {mass, by + R * center, R * tensor * R.transpose()};
}

/// Steiner's theorem, twice.
MassDistribution MassDistribution::operator+(const MassDistribution& other) const {
  MassDistribution sum;
  sum.mass = mass + other.mass;
  if (sum.mass <= 0.0) return sum;
  sum.center = (mass * center + other.mass * other.center) / sum.mass;
  for (const MassDistribution* one : {this, &other}) {
    const Vector3d d = one->center - sum.center;
    sum.tensor += one->tensor + one->mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
  }
  return sum;
}

int SolidShape::sizes(const std::string& kind, int dim) {
  if (kind == "box") return dim;
  if (kind == "rod") return 1;
  if (dim == 2) return kind == "disk" ? 1 : 0;
  if (kind == "sphere") return 1;
  return kind == "cylinder" || kind == "capsule" || kind == "plate" ? 2 : 0;
}

std::vector<std::string> SolidShape::kinds(int dim) {
  if (dim == 2) return {"box", "disk", "rod"};
  return {"box", "sphere", "cylinder", "capsule", "plate", "rod"};
}

MassDistribution SolidShape::mass() const {
  const double pi = std::numbers::pi;
  MassDistribution out;
  const auto moments = [&](double x, double y, double z) { out.tensor.diagonal() = out.mass * Vector3d(x, y, z); };
  if (kind == "box" || kind == "plate") {
    const double a = size[0], b = size[1], c = size.size() > 2 ? size[2] : 0.0;
    out.mass = a * b * (size.size() > 2 ? c : 1.0);
    moments((b * b + c * c) / 12.0, (a * a + c * c) / 12.0, (a * a + b * b) / 12.0);
  } else if (kind == "rod") {
    out.mass = size[0];
    moments(0.0, size[0] * size[0] / 12.0, size[0] * size[0] / 12.0);
  } else if (kind == "disk") {
    const double r2 = size[0] * size[0];
    out.mass = pi * r2;
    moments(r2 / 4.0, r2 / 4.0, r2 / 2.0);
  } else if (kind == "sphere") {
    const double r2 = size[0] * size[0];
    out.mass = 4.0 / 3.0 * pi * r2 * size[0];
    moments(0.4 * r2, 0.4 * r2, 0.4 * r2);
  } else if (kind == "cylinder") {
    const double r2 = size[0] * size[0], l2 = size[1] * size[1];
    out.mass = pi * r2 * size[1];
    moments(r2 / 4.0 + l2 / 12.0, r2 / 4.0 + l2 / 12.0, r2 / 2.0);
  } else {  // a capsule: a cylinder, and half a ball at each end, whose centre is 3/8 r from its flat side
    const double r = size[0], l = size[1];
    out = SolidShape{"cylinder", {r, l}}.mass();
    const MassDistribution ball = SolidShape{"sphere", {r}}.mass();
    for (const double side : {1.0, -1.0}) {
      MassDistribution half{0.5 * ball.mass, {0.0, 0.0, side * (0.5 * l + 0.375 * r)}, 0.5 * ball.tensor};
      const double off = 0.375 * r;
      half.tensor(0, 0) -= half.mass * off * off;  // from the centre of the ball to its own
      half.tensor(1, 1) -= half.mass * off * off;
      out = out + half;
    }
  }
  return out.placed(rotation, at);
}

Matrix3d frame_along(const Vector3d& direction) {
  const Vector3d last = direction.normalized();
  int least = 0;
  last.cwiseAbs().minCoeff(&least);
  Matrix3d frame;
  frame.col(2) = last;
  frame.col(0) = (Vector3d::Unit(least) - last[least] * last).normalized();  // x for a direction along z
  frame.col(1) = last.cross(Vector3d(frame.col(0)));
  return frame;
}

Matrix3d turn(const Vector3d& axis, double angle) { return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(); }

Matrix3d turn_between(const Vector3d& from, const Vector3d& to) {
  const Vector3d a = from.normalized(), b = to.normalized(), axis = a.cross(b);
  const double angle = std::atan2(axis.norm(), a.dot(b));
  return axis.norm() > 0.0 ? turn(axis, angle) : turn(frame_along(a).col(0), angle);  // parallel: about anything across
}

const Vector3d& BodyEntry::axis(const Item& asked, const std::string& word) const {
  std::vector<std::string> known;
  for (const auto& [one, direction] : axes) {
    if (one == word) return direction;
    known.push_back(one);
  }
  asked.fail(unknown("axis of " + name, word, known));
}

}  // namespace taut
