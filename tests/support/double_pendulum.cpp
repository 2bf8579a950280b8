#include "double_pendulum.hpp"

namespace taut {
template System reduced(const System&, const testing::PlaneAngles&, const Vector&);
template void lift(const testing::PlaneAngles&, const Vector&, const Vector&, Vector&, Vector&);
}  // namespace taut
