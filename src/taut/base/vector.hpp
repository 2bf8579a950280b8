#pragma once

#include <Eigen/Core>

namespace taut {

using Vector = Eigen::VectorXd;
using VectorView = Eigen::Ref<const Vector>;

}  // namespace taut
