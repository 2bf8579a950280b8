#pragma once

#include <Eigen/QR>
#include <algorithm>
#include <taut/base/vector.hpp>

namespace taut {

/// Type-II Anderson acceleration of z ← T(z): the combination of the last z whose residuals f = T(z) − z cancel best.
/// D. G. Anderson, J. ACM 12 (1965) 547–560; H. F. Walker and P. Ni, SIAM J. Numer. Anal. 49 (2011) 1715–1735.
class Anderson {
 public:
  Anderson(int depth, Eigen::Index size) : depth_(depth), dz_(size, depth), df_(size, depth) {}

  /// From z and f = T(z) − z to the next z.
  void next(Vector& z, const Vector& f) {
    if (depth_ == 0) {
      z += f;
      return;
    }
    if (have_) {
      dz_.col(next_) = z - z_last_;
      df_.col(next_) = f - f_last_;
      next_ = (next_ + 1) % depth_;
      count_ = std::min(count_ + 1, depth_);
    }
    z_last_ = z;
    f_last_ = f;
    have_ = true;
    z += f;
    if (count_ == 0) return;
    const auto F = df_.leftCols(count_);
    const Vector gamma = F.colPivHouseholderQr().solve(f);
    z -= (dz_.leftCols(count_) + F) * gamma;
  }
  void restart() {
    count_ = next_ = 0;
    have_ = false;
  }

 private:
  int depth_, count_ = 0, next_ = 0;
  bool have_ = false;
  Eigen::MatrixXd dz_, df_;
  Vector z_last_, f_last_;
};

}  // namespace taut
