#pragma once

/// Everything: constrained motion, from the system to the certificate.
#include <taut/diagnostics/certificate.hpp>
#include <taut/diagnostics/symmetry.hpp>
#include <taut/integrators/catalog.hpp>
#include <taut/models/beam.hpp>
#include <taut/models/chain.hpp>
#include <taut/models/double_compound_pendulum.hpp>
#include <taut/models/double_spherical_pendulum.hpp>
#include <taut/models/seven_body.hpp>
#include <taut/models/vibrating_string.hpp>
#include <taut/simulate/choose.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/inertia.hpp>
#include <taut/simulate/simulate.hpp>
#include <taut/simulate/start.hpp>
#include <taut/system/constraints/distance.hpp>
#include <taut/system/constraints/half_space.hpp>
#include <taut/system/constraints/hold.hpp>
#include <taut/system/constraints/knife_edge.hpp>
#include <taut/system/constraints/pin.hpp>
#include <taut/system/constraints/rolling.hpp>
#include <taut/system/reduced.hpp>
#include <taut/system/system.hpp>
#include <taut/system/terms/gravity.hpp>
#include <taut/system/terms/point_mass.hpp>
#include <taut/system/terms/spring.hpp>
