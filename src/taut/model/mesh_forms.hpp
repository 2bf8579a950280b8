#pragma once

#include <taut/model/form.hpp>

namespace taut {

// Forms of what bodies and joints do to each other beside the joints themselves.
Form gear_form();
Form touch_form();
Form tube_form();  ///< contact of beams with each other and themselves
Form wall_form();
Form sphere_form();    ///< that is a wall
Form cylinder_form();  ///< likewise
Form turning_form();   ///< of the ground on one side of a joint

}  // namespace taut
