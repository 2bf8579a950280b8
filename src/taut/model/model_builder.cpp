#include <algorithm>
#include <map>
#include <mutex>
#include <taut/expression/kinks.hpp>
#include <taut/model/draw.hpp>
#include <taut/model/model_builder.hpp>
#include <taut/model/section.hpp>

namespace taut {
namespace {

void read_stage(Section::Stage stage, Draft& draft) {
  for (const auto& [section, texts] : draft.contents.filled) {
    if (section->stage != stage || section->read == nullptr) continue;
    draft.each(section->name, *texts, [&, section = section](const Item& item) {
      if (!section->one_by_one) return section->read(item, draft);
      for (const Item& one : item.list()) section->read(one, draft);
    });
  }
}

/// Times at which expressions jump by time alone.
std::function<std::vector<double>(double, double)> jumps_of(const Draft& draft) {
  return [graph = draft.graph, along = draft.along_jumps, time = draft.numbering.time(), moving = draft.moving](double from,
                                                                                                                double to) {
    std::vector<double> all = kinks_in_time(*graph, time, from, to, moving);
    for (const auto& more : along) {
      const std::vector<double> found = more(from, to);
      all.insert(all.end(), found.begin(), found.end());
    }
    return all;
  };
}

/// What readings of one model have to do with each other.
struct Before {
  std::shared_ptr<const Formulas> formulas{};
  bool look = false;  ///< this one is to find them
};

/// Through all sections. `with_start`: initial values are found; otherwise it is the system that is asked for.
ModelFile read_all(const Contents& contents, const ModelOverrides& overrides, const std::shared_ptr<Shapes>& shapes,
                   const std::shared_ptr<Draft::Cells>& cells, bool assemble, bool with_start, Before* before = nullptr) {
  Draft draft(contents, overrides, shapes);
  draft.cells = cells;
  Formulas::Seen seen;
  if (before != nullptr) {
    draft.formulas = before->formulas;
    if (before->look) draft.seen = &seen;
  }
  read_stage(Section::Stage::title, draft);
  read_parameters(draft);
  read_stage(Section::Stage::values, draft);
  draft.scope.symbols["t"] = draft.graph->variable(draft.numbering.time());
  draft.each("coordinates", [&](const Item&) { draft.defines = true; });
  draft.each("let", [&](const Item&) { draft.defines = true; });
  read_stage(Section::Stage::bodies, draft);
  draft.each("joints", [&](const Item& item) { name_joint_coordinates(item, draft); });
  draft.scope.also = [&draft](std::string_view name) { return named(name, draft); };
  draft.scope.more_names = [&draft](std::vector<std::string>& names) { add_names(draft, names); };
  make_system(draft);
  read_stage(Section::Stage::start, draft);
  override_initial(draft);
  read_stage(Section::Stage::places, draft);
  resolve_definitions(draft);
  read_stage(Section::Stage::terms, draft);
  add_lagrangian(draft);
  place_start(draft);
  draft.finish_terms();
  for (const auto& [item, name, epsilon] : draft.soft)
    for (const int row : draft.rows_named(item, name)) draft.model.soft[row] = epsilon;
  for (const std::size_t one : draft.supports) draft.model.supports.push_back(draft.row_of(one));
  std::sort(draft.model.supports.begin(), draft.model.supports.end());
  draft.model.exact = draft.model.supports;
  for (const std::size_t one : draft.exact) draft.model.exact.push_back(draft.row_of(one));
  std::sort(draft.model.exact.begin(), draft.model.exact.end());
  for (const std::string& name : draft.joint_coordinates) draft.model.carried.insert(draft.coordinate_index.at(name));
  draft.moving = draft.graph->entries().size();
  draft.model.sudden = bends_by_place(*draft.graph, draft.numbering.time());
  draft.watched = true;
  for (const JointPlace& one : draft.joint_places)
    if (one.angle >= 0) draft.model.halves.push_back(draft.expression(draft.names[std::size_t(one.angle)], one.same));
  read_stage(Section::Stage::watched, draft);
  check_inertia(draft);
  read_stage(Section::Stage::run, draft);
  override_run(draft);
  if (with_start) find_start(draft, assemble);
  add_switches(draft);
  finish_scene(draft);
  ModelFile model = std::move(draft.model);
  for (const auto& [name, node] : draft.parameters) draft.graph->is_constant(node, &model.parameters[name]);
  if (draft.seen != nullptr) {
    std::vector<std::pair<std::string, double>> parameters;
    for (const auto& [name, node] : draft.parameters) parameters.emplace_back(name, model.parameters[name]);
    before->formulas = std::make_shared<const Formulas>(draft.scope, parameters, seen);
  }
  model.jumps = jumps_of(draft);
  model.pulses = [graph = draft.graph, time = draft.numbering.time(), moving = draft.moving](double from, double to) {
    return pulses_in_time(*graph, time, from, to, moving);
  };
  model.system = std::move(*draft.system);
  return model;
}

}  // namespace

/// The second of many readings, by whichever thread, finds what the others need not parse.
struct ModelReader::Memory {
  std::mutex mutex;
  long readings = 0;
  std::shared_ptr<const Formulas> formulas;
};

ModelReader::ModelReader(std::shared_ptr<const std::vector<Document>> documents, std::string file, std::string text,
                         ModelOverrides overrides)
    : contents_(std::make_shared<const Contents>(std::move(documents))),
      file_(std::move(file)),
      text_(std::move(text)),
      overrides_(std::move(overrides)),
      shapes_(std::make_shared<Shapes>()),
      memory_(std::make_shared<Memory>()) {}

ModelFile ModelReader::read(const ModelNumbers& numbers, bool assemble) const {
  try {
    ModelOverrides overrides = overrides_;
    for (const auto& [name, value] : numbers.parameters) overrides.parameters.emplace_back(name, Tree(value).word);
    for (const auto& [name, value] : numbers.initial) overrides.initial.emplace_back(name, Tree(value).word);
    const auto cells = std::make_shared<Draft::Cells>();
    Before before;
    {
      const std::lock_guard<std::mutex> guard(memory_->mutex);
      before = {memory_->formulas, memory_->readings++ == 1};
    }
    ModelFile model = read_all(*contents_, overrides, shapes_, cells, assemble, true, &before);
    if (before.look) {
      const std::lock_guard<std::mutex> guard(memory_->mutex);
      memory_->formulas = before.formulas;
    }
    model.text = text_;
    model.with = [contents = contents_, overrides, shapes = shapes_, cells](const std::map<std::string, double>& values) {
      ModelOverrides other = overrides;
      for (const auto& [name, value] : values) other.parameters.emplace_back(name, Tree(value).word);
      return read_all(*contents, other, shapes, cells, false, false);
    };
    return model;
  } catch (const LocatedError&) {
    throw;
  } catch (const InputError& error) {
    throw InputError(file_ + ": " + error.what());  // found deeper down, where the file is not known
  }
}

ModelBuilder::ModelBuilder(const std::string& name) {
  if (!name.empty()) tree_.entry("name") = name;
}

ModelBuilder ModelBuilder::from(Tree tree, std::string called) {
  ModelBuilder out;
  out.tree_ = std::move(tree);
  out.called_ = std::move(called);
  return out;
}

ModelBuilder& ModelBuilder::entry(const std::string& section, const std::string& name, Tree value) {
  Tree& there = tree_.entry(section);
  if (there.kind == Tree::Kind::nothing) there = Tree::table();
  there.keys.push_back(name);
  there.items.push_back(std::move(value));
  return *this;
}

ModelBuilder& ModelBuilder::set(const std::string& section, const std::string& name, Tree value) {
  Tree& there = tree_.entry(section);
  if (there.kind == Tree::Kind::nothing) there = Tree::table();
  there.entry(name) = std::move(value);
  return *this;
}

ModelBuilder& ModelBuilder::item(const std::string& section, Tree value) {
  Tree& there = tree_.entry(section);
  if (there.kind == Tree::Kind::nothing) there = std::vector<Tree>{};
  if (there.kind == Tree::Kind::word) there = std::vector<Tree>{there};  // a sum of one
  there.append(std::move(value));
  return *this;
}

ModelBuilder& ModelBuilder::add(const std::string& section, const Tree& content) {
  Tree& there = tree_.entry(section);
  if (there.kind != content.kind || content.kind == Tree::Kind::word) {
    there = content;
    return *this;
  }
  there.items.insert(there.items.end(), content.items.begin(), content.items.end());
  there.keys.insert(there.keys.end(), content.keys.begin(), content.keys.end());
  return *this;
}

ModelReader ModelBuilder::reader(const ModelOverrides& overrides) const {
  auto documents = std::make_shared<std::vector<Document>>();
  documents->push_back({called_, tree_});
  Item(documents->front()).entries(section_names());
  return {documents, called_, {}, overrides};
}

ModelFile ModelBuilder::build(const ModelOverrides& overrides, bool assemble) const {
  return reader(overrides).read({}, assemble);
}

}  // namespace taut
