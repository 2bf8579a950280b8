// The ready terms, compiled once here instead of in every file that adds one.
#include <taut/system/constraints/distance.hpp>
#include <taut/system/constraints/gap.hpp>
#include <taut/system/constraints/half_space.hpp>
#include <taut/system/constraints/hold.hpp>
#include <taut/system/constraints/knife_edge.hpp>
#include <taut/system/constraints/pin.hpp>
#include <taut/system/constraints/rolling.hpp>
#include <taut/system/constraints/stretch.hpp>
#include <taut/system/terms/beam_load.hpp>
#include <taut/system/terms/element.hpp>
#include <taut/system/terms/gravity.hpp>
#include <taut/system/terms/point_mass.hpp>
#include <taut/system/terms/spring.hpp>

namespace taut {

template class DynamicsTerms<PointMass<1>>;
template class DynamicsTerms<PointMass<2>>;
template class DynamicsTerms<PointMass<3>>;
template class DynamicsTerms<Weight>;
template class DynamicsTerms<TetherIn<1>>;
template class DynamicsTerms<TetherIn<2>>;
template class DynamicsTerms<TetherIn<3>>;
template class DynamicsTerms<SpringIn<1>>;
template class DynamicsTerms<SpringIn<2>>;
template class DynamicsTerms<SpringIn<3>>;
template class DynamicsTerms<PointForce<2>>;
template class DynamicsTerms<PointForce<3>>;
template class DynamicsTerms<FollowerForce<2>>;
template class DynamicsTerms<FollowerForce<3>>;
template class DynamicsTerms<ElementLoad<2, false>>;
template class DynamicsTerms<ElementLoad<3, false>>;
template class DynamicsTerms<ElementLoad<2, true>>;
template class DynamicsTerms<ElementLoad<3, true>>;
template class DynamicsTerms<DirectorLoad>;
template class ConstraintTerms<Gap<1>>;
template class ConstraintTerms<Gap<2>>;
template class ElementBlock<1, 1>;
template class ElementBlock<2, 1>;
template class ElementBlock<4, 2>;
template class ElementBlock<4, 3>;
template class ConstraintTerms<Stretch<1, 2>>;
template class ConstraintTerms<Stretch<1, 3>>;
template class ConstraintTerms<Stretch<4, 2>>;
template class ConstraintTerms<Stretch<4, 3>>;
template class ConstraintTerms<DistanceIn<1>>;
template class ConstraintTerms<DistanceIn<2>>;
template class ConstraintTerms<DistanceIn<3>>;
template class ConstraintTerms<PinIn<1>>;
template class ConstraintTerms<PinIn<2>>;
template class ConstraintTerms<PinIn<3>>;
template class ConstraintTerms<HalfSpaceIn<1>>;
template class ConstraintTerms<HalfSpaceIn<2>>;
template class ConstraintTerms<HalfSpaceIn<3>>;
template class ConstraintTerms<HoldIn<1, Place>>;
template class ConstraintTerms<HoldIn<2, Place>>;
template class ConstraintTerms<HoldIn<3, Place>>;
template class ConstraintTerms<UnitQuaternion>;
template class VelocityTerms<KnifeEdge>;
template class VelocityTerms<RollingDisk>;
template class VelocityTerms<WheelPair>;
template class VelocityTerms<RollingBall>;

}  // namespace taut
