#include <taut/model/readers.hpp>

namespace taut {
namespace {

/// A list in the words of the command line: 1, 2, 3.
std::string joined(const Item& item) {
  if (item.is_word()) return item.word();
  std::string out;
  for (const Item& one : item.list()) out += (out.empty() ? "" : ", ") + one.word();
  return out;
}

long counted(const Item& item, Draft& draft, long least) {
  const int value = draft.whole(item);
  if (value < least) item.fail(message("must be at least {}, got {}", least, value));
  return value;
}

}  // namespace

Form sweep_form() {
  const Form value = values("value"), text = defined("text", form(Form::Kind::text));
  const Form name = defined("coordinateOrVelocity", form(Form::Kind::coordinate_or_velocity));
  return table_of({
      {"vary", names_of(name, any_of({text, list_of(value, 1)})),
       "Parameters and initial values (x, x'): from:to:how many, with :log in equal ratios, or a list of values."},
      {"zip", defined("truth", form(Form::Kind::truth)), "Lists side by side; otherwise all combinations.", "false"},
      {"sample", names_of(name, text),
       "The same by chance: uniform(from, to), normal(mean, deviation), lognormal(mu, sigma) with those of the logarithm."},
      {"samples", whole("1"), "How many.", "100"},
      {"sampling", one_of({"random", "latin", "sobol"}), "How: at random, Latin hypercube, Sobol's sequence.", "random"},
      {"seed", whole("0"), "Of the samples.", "0"},
      {"keep", any_of({text, list_of(text, 1)}),
       "Of each run: outputs, extremes, final, certificate, single outputs or coordinates by name, and "
       "times=from:to:how many at which outputs are kept; motion=how many: of so many runs the whole motion.",
       "outputs, extremes, certificate; without outputs: final"},
  });
}

void read_sweep(const Item& item, Draft& draft) {
  static const std::vector<std::string> keys = sweep_form().keys;
  SweepSection& sweep = draft.model.sweep;
  for (const auto& [key, one] : item.entries(keys)) {
    if (key == "vary" || key == "sample")
      for (const auto& [name, what] : one.entries())
        (key == "vary" ? sweep.vary : sweep.sample).emplace_back(name, joined(what));
    if (key == "zip") sweep.zip = Draft::truth(one);
    if (key == "samples") sweep.samples = counted(one, draft, 1);
    if (key == "seed") sweep.seed = counted(one, draft, 0);
    if (key == "sampling") sweep.sampling = one.word();
    if (key != "keep") continue;
    if (one.is_word()) sweep.keep.push_back(one.word());
    if (one.is_list())
      for (const Item& what : one.list()) sweep.keep.push_back(what.word());
  }
}

}  // namespace taut
