#pragma once

#include <array>
#include <memory>
#include <string>
#include <taut/system/system.hpp>
#include <utility>
#include <vector>

namespace taut {

struct Obstacle;

/// A straight piece of a tube, between two nodes of a beam.
struct ContactPiece {
  std::array<int, 2> at;  ///< first coordinates of both ends; twice the same: a point
  double radius;          ///< of the tube, m
  double s, length;       ///< of the beam: arc length where it begins, and its own
  std::shared_ptr<const std::string> curve;
};

/// Tubes that do not go through each other, nor through themselves: any piece against any other that is not its neighbour. Or against an obstacle that stands
/// still, and not each other; inside of a hollow one points stay, the nodes, and with them the straight pieces between them where its axis is straight.
///
/// As a constraint it has one row, the smallest of all gaps, which tells how deep pieces are in each other and touches no coordinate: so the certificate measures it
/// and smooth schemes refuse it. What acts are the rows that find() names, one for each two pieces that may meet within a step; a scheme with a law of impact holds them
/// for the length of that step (integrators/contact_stepper.hpp).
///
/// Pieces that are less than πr from each other along the tubes are neighbours: a tube cannot touch itself sooner, since its axis does not bend more than by 1/r.
class ContactBlock final : public ConstraintBlock {
 public:
  /// In dim = 2 or 3 dimensions.
  ContactBlock(std::vector<ContactPiece> pieces, int dim, std::string name);
  ContactBlock(std::vector<ContactPiece> pieces, Obstacle obstacle, int dim, std::string name);

  /// Two pieces, a < b, that may meet; the obstacle is the one after the last piece.
  struct Meeting {
    int a, b;
    double gap;  ///< at the end of the step, over the sum of their radii, or over the clearance in a hollow obstacle
    bool operator==(const Meeting& other) const { return a == other.a && b == other.b; }
    bool operator<(const Meeting& other) const { return std::pair(a, b) < std::pair(other.a, other.b); }
  };
  struct Found {
    std::vector<Meeting> meetings;  ///< by a and b
    double travel = 0.0;  ///< the most that two of them moved against each other, over the same; none in a hollow obstacle
  };

  /// Those which may meet, or come closer than `slack` times the sum of their radii, while coordinates go from q0 to q1. Of pieces that follow each other and would touch at their common node only the nearer one
  /// counts, so that no contact is there twice. O(N log N): cells of a grid, sorted; against an obstacle O(N).
  Found find(const double* q0, const double* q1, double slack) const;
  void add_to(System& system, const std::vector<Meeting>& meetings) const;  ///< their rows

  double least_gap(
      const double* q) const;  ///< of all pieces that are no neighbours or of the obstacle, or `sight` where it is more
  double sight() const { return sight_; }

  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<ContactBlock>(*this); }
  int terms() const override { return 1; }
  int width() const override { return 0; }
  int rows() const override { return 1; }
  std::string name(int) const override { return name_; }
  Set set(int) const override { return Set::nonnegative; }
  void values(double, const double* q, double* g) const override { g[0] = least_gap(q); }
  void rates(const Instant& at, double* rate) const override;
  void accelerations(const Instant&, double* acceleration) const override { acceleration[0] = 0.0; }
  void add_forces(double, const double*, const double*, double, double*) const override {}
  void add_gradient(double, const double*, double, const double*, const int*, double*) const override {}
  void add_curvature(double, const double*, const double*, double, const int*, double*) const override {}
  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override;  ///< against an obstacle only

 private:
  using Place = std::array<double, 3>;
  struct Box {
    Place low, high;
  };
  struct Closest {
    double gap, s, t;
  };
  bool is_obstacle(int piece) const { return piece == int(pieces_.size()); }
  double scale(int a, int b) const;
  Place place(const double* q, int piece, int end) const;
  Closest closest(const double* q, int a, int b) const;
  double travel(const double* q0, const double* q1, int a, int b) const;
  bool neighbours(int a, int b) const;
  void find_neighbours();
  template <class Visit> void each_near(const std::vector<Box>& boxes, const Visit& visit) const;
  template <class Visit>
  void each_pair(const double* q0, const double* q1, double part, double more, const Visit& visit) const;
  std::string label(const ContactPiece& piece) const;
  template <class Use> void with_gap(const ContactPiece& piece, const Use& use) const;
  void keep_nearest(const double* q, std::vector<Meeting>& meetings) const;

  std::vector<ContactPiece> pieces_;
  std::shared_ptr<const Obstacle> obstacle_;
  int dim_;
  std::string name_;
  double sight_ = 0.0;
  std::vector<std::vector<int>> neighbours_;      // of each piece, sorted
  std::vector<std::array<int, 2>> continuation_;  // the piece beyond each end, or −1
};

/// The contacts of a system.
std::vector<const ContactBlock*> contacts_of(const System& system);

}  // namespace taut
