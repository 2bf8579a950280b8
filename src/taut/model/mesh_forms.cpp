#include <taut/model/mesh_forms.hpp>

namespace taut {

Form gear_form() {
  const Form number = values("value"), words = defined("text", form(Form::Kind::text)),
             joint_coordinate = defined("name", form(Form::Kind::name));
  Form out = table_of({
      required({"between", list_of(joint_coordinate, 2, 2), "Angles or travels of joints."}),
      {"ratio", number, "The second moves so many times as far as the first."},
      {"teeth", list_of(number, 2, 2),
       "Of the two wheels, which turn against each other; negative for one that lies inside the other."},
      {"radius", number, "Of a pinion whose angle is the first [m]; the second is the travel of its rack."},
      {"name", words, "In messages and results: NAME.lambda."},
  });
  out.some = {"ratio", "teeth", "radius"};
  out.never = {{"ratio", "teeth"}, {"ratio", "radius"}, {"teeth", "radius"}};
  return defined("gear", out);
}

Form turning_form() {
  Form out = table_of({
      {"axis", list_of(values("value"), 1, 3), "In space: what it turns about.", "the last axis"},
      required({"angle", values("value"), "[rad], a function of t."}),
  });
  return defined("turning", out);
}

Form touch_form() {
  const Form size = values("nonnegative"), words = defined("text", form(Form::Kind::text)),
             direction = list_of(values("value"), 1, 3);
  Form places = list_of(defined("spot", form(Form::Kind::spot),
                                "A mass, a point, a body or one of its points (arm.tip), or a place on a beam (pipe.end)."),
                        2, 2);
  places.unique = true;
  Form out = table_of({
      required({"between", places, "Places, at least one of them with a mass."}),
      {"radius", any_of({size, list_of(size, 1, 2)}), "Of balls around them [m]: of the first, or of both.", "0"},
      {"normal", any_of({words, direction}),
       "Of a plane through the first place, towards the second: a direction, or an axis of a body (table.up)."},
      {"inside", defined("truth", form(Form::Kind::truth)), "The smaller ball stays inside the larger one.", "false"},
      {"name", words, "In messages and results."},
  });
  out.some = {"radius", "normal"};
  return out;
}

Form sphere_form() {
  return table_of({
      required({"at", defined("place", list_of(values("value"), 1, 3)), "Its middle [m]."}),
      required({"radius", values("positive"), "[m]"}),
  });
}

Form cylinder_form() {
  return table_of({
      required({"along", list_of(defined("place", list_of(values("value"), 1, 3)), 2),
                "Places of its axis [m]: two, or more where it is bent. Its ends are round."}),
      required({"radius", values("positive"), "[m]"}),
  });
}

Form wall_form() {
  Form out = table_of({
      {"normal", defined("place", list_of(values("value"), 1, 3)), "Of a plane, into the allowed side."},
      {"mass", defined("spot", form(Form::Kind::spot))},
      {"beam", defined("name", form(Form::Kind::name)), "Instead of a mass: a beam or rod."},
      {"offset", values("value"), "Of the plane: normal.x >= offset [m].", "0"},
      {"sphere", sphere_form(), "Instead of a plane."},
      {"cylinder", cylinder_form(), "Instead of a plane."},
      {"inside", defined("truth", form(Form::Kind::truth)), "The sphere or cylinder is hollow.", "false"},
      {"radius", values("nonnegative"), "Of a ball around the place, or of the beam [m].", "0"},
      {"name", defined("text", form(Form::Kind::text)), "In messages and results."},
  });
  out.some = {"normal", "sphere", "cylinder"};
  out.never = {{"mass", "beam"},     {"normal", "sphere"}, {"normal", "cylinder"}, {"sphere", "cylinder"},
               {"normal", "inside"}, {"offset", "sphere"}, {"offset", "cylinder"}};
  return out;
}

Form tube_form() {
  const Form beam = defined("name", form(Form::Kind::name)), size = values("positive");
  Form several = list_of(beam, 1);
  several.unique = true;
  return table_of({
      required({"beams", any_of({beam, several}), "One beam, or several: none goes through another or itself."}),
      required({"radius", any_of({size, list_of(size, 1)}), "Of all of them, or of each [m]."}),
      {"name", defined("text", form(Form::Kind::text)), "In messages and results."},
  });
}

}  // namespace taut
