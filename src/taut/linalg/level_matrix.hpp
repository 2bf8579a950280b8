#pragma once

#include <taut/linalg/levels.hpp>
#include <taut/linalg/matrix.hpp>
#include <vector>

namespace taut {

/// A matrix in levels (see Levels), by elimination of what each level owns, then by blocks from level to level.
///
/// Of a level the coordinates are x, the own multipliers λ, with rows C x = r and columns B:
///
///     x = N z + Y r,    C N = 0,  C Y = 1;        LᵀB = 0,  XᵀB = 1        both by pivoting over the coordinates touched
///     LᵀA(N z + Y r) = Lᵀb for z,                 λ = Xᵀ(b − A x)
///
/// with A between this level and its neighbours. LᵀAN is block tridiagonal: a node of a rod, 19 unknowns with its multipliers, leaves 7. Its blocks are
/// inverted with pivoting inside each of them only, which is as good as everywhere while A is not far from positive definite; a solution of the first
/// factor, and of each whose pivots are small, is put to the test, and where it fails, or where own multipliers have an entry on the diagonal (soft rows), the whole matrix is
/// factored with pivoting as a band. A row of zeros but for the diagonal, a constraint at rest, gives its λ at once.
class LevelMatrix final : public Matrix {
 public:
  explicit LevelMatrix(std::shared_ptr<const Layout> layout);  ///< of the kind `levels`

  bool factor() override;
  void solve(const double* b, double* x, int columns) override;
  using Matrix::solve;

  bool whole() const { return whole_now_; }  ///< whether the last factor is that of the whole matrix

 private:
  /// Numbers of a level, and where its factors lie.
  struct Part {
    int plain, touched, own, acting;                 // acting: of the own, those that hold now
    int first;                                       // of its unknowns
    std::ptrdiff_t diagonal, upper, lower, C, B, D;  // in the values
    std::ptrdiff_t right, given, left;               // N, Y and [L X]ᵀ, without the rows of what is free
    std::ptrdiff_t at_diagonal, at_upper,
        at_lower;  // the columns of A that Y reaches: of this level, the next, the one before
    std::ptrdiff_t block, above, below,
        under;  // [L X]ᵀAN with this level, its upper part inverted, and with the next; of the next with this one: LᵀAN times that inverse, XᵀAN
    bool regular, among;  // of the shape compiled for; and so are its neighbours
    int inner() const { return plain + touched; }
    int free() const { return touched - acting; }
    int kept() const { return plain + touched - acting; }
  };
  template <int U, int T, int M> struct Shape;
  template <class Action> auto shaped(bool regular, const Action& action);

  bool arrange();
  bool find_acting(Part& part);
  bool factor_levels();
  template <class S> bool condense(Part& part);
  template <class S> void transform(const double* A, const Part& rows, const Part& columns, double* held, double* out);
  template <class S> void couple(Part& part, const Part& next);
  template <class S> bool invert(Part& part, const Part* before);
  template <class S> void forward(std::size_t k);
  template <class S> void backward(std::size_t k);
  template <class S> void start(const Part& part);
  bool passes();
  bool factor_whole();
  void solve_levels(const double* b, double* x);
  double* room(std::ptrdiff_t at) { return factors_.data() + at; }

  int plain_ = 0;  // of the shape compiled for; 0: none
  std::vector<Part> parts_;
  std::vector<char> resting_;  // of each unknown in the order of levels: a multiplier that its row gives
  std::vector<unsigned char> rows_,
      columns_;  // of what is touched, those that are free and then those that own rows are eliminated with: for B, for C
  LargeVector<double> factors_;      // at the offsets of the parts
  LargeVector<double> y_, own_, z_;  // right side and solution in the order of levels; Y r; what is left of each level
  std::unique_ptr<Matrix> whole_;
  std::vector<std::pair<int, int>> whole_slots_;  // of each entry, here and there
  bool whole_now_ = false, tested_ = false;
  int rounds_whole_ = 0;
};

}  // namespace taut
