#pragma once

#include <taut/model/form.hpp>

namespace taut {

// Forms of what bodies and joints do to each other beside the joints themselves.
Form gear_form();
Form touch_form();

}  // namespace taut
