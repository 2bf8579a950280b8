#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>

namespace taut {
namespace {

/// x, y, z mean the coordinates of a mass for a while.
class ShortNames {
 public:
  ShortNames(const Spot& spot, Draft& draft) : symbols_(draft.scope.symbols) {
    for (int k = 0; k < draft.dim; ++k) {
      const std::string name(1, "xyz"[k]);
      if (const auto found = symbols_.find(name); found != symbols_.end()) before_.emplace_back(name, found->second);
      symbols_[name] = spot.x[k];
      set_.push_back(name);
    }
  }
  ~ShortNames() {
    for (const std::string& name : set_) symbols_.erase(name);
    for (const auto& [name, node] : before_) symbols_[name] = node;
  }
  ShortNames(const ShortNames&) = delete;
  ShortNames& operator=(const ShortNames&) = delete;

 private:
  decltype(Scope::symbols)& symbols_;
  std::vector<std::string> set_;
  std::vector<std::pair<std::string, Graph::Node>> before_;
};

}  // namespace

void read_pin(const Item& item, Draft& draft) {
  std::optional<Item> who, at;
  if (item.is_word()) {
    who = item;
  } else {
    for (const auto& [key, one] : item.entries(forms().pin.keys)) (key == "mass" ? who : at) = one;
    if (!who) item.fail("needs a `mass`");
  }
  const Spot& held = draft.mass(*who);
  const std::vector<Item> places = at ? draft.axes(*at) : std::vector<Item>{};
  for (int k = 0; k < draft.dim; ++k) {
    const int i = held.point * draft.dim + k;
    if (!at && held.point >= 0 && !draft.given_q[std::size_t(i)]) item.fail("needs a place `at`, because the mass has none");
    const Graph::Node place = at ? draft.of_time(places[k]) : draft.graph->constant(draft.at_start(held.x[k]));
    const std::string name = "pin " + who->word() + "." + "xyz"[k];
    const std::size_t number = draft.add_constraint(item, draft.graph->subtract(held.x[k], place), Set::zero, name);
    std::array<double, 3> along{};
    along[std::size_t(k)] = 1.0;
    draw_reaction(draft, "pin " + who->word(), held.in_scene, -1, along, number);
  }
}

void read_curve(const Item& item, Draft& draft) {
  std::optional<Item> who, on;
  for (const auto& [key, one] : item.entries(forms().curve.keys)) (key == "mass" ? who : on) = one;
  if (!who || !on) item.fail("needs a `mass` and the curve it is `on`: an equation in x, y");
  const Spot& held = draft.mass(*who);
  const Relation relation = [&] {
    const ShortNames names(held, draft);
    return draft.relation(*on);
  }();
  draft.add_constraint(*on, relation.difference, relation.set, who->word() + " on " + on->word());
  draw_surface(draft, *on, held.in_scene);
}

void read_constraint(const Item& item, Draft& draft) {
  Item expression = item;
  std::string name;
  bool holds = true;
  if (item.is_table()) {
    bool found = false;
    for (const auto& [key, one] : item.entries(forms().constraint.keys)) {
      if (key == "name") name = one.word();
      if (key == "holds") holds = Draft::truth(one);
      if (key != "expression") continue;
      expression = one;
      found = true;
    }
    if (!found) item.fail("needs an `expression`");
    if (!name.empty()) draft.name_row(item, name);
  }
  const Relation relation = draft.relation(expression);
  const std::size_t number =
      draft.add_constraint(expression, relation.difference, relation.set, name.empty() ? excerpt(expression.word()) : name);
  if (!holds) draft.loose.push_back(number);
}

}  // namespace taut
