#include <algorithm>
#include <cmath>
#include <taut/expression/parse.hpp>
#include <taut/study/sweep_plan.hpp>

namespace taut {
namespace {

/// Parts between separators that stand in no brackets, without blanks around them.
std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && depth == 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  for (std::string& part : out) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    part = first == std::string::npos ? "" : part.substr(first, last + 1 - first);
  }
  return out;
}

/// How many, as a whole number that a list may have.
long count_in(const std::string& text, const std::string& of) {
  const double count = number_in(text, of);
  require(count >= 1.0 && count == std::floor(count),
          "{}: an empty grid: how many must be a whole number of at least 1, got {}.", of, count);
  require(count <= double(SweepPlan::most_runs), "{}: {} values are more than {}; take fewer.", of, count,
          double(SweepPlan::most_runs));
  return long(count);
}

std::vector<double> range_in(const std::vector<std::string>& parts, const std::string& of) {
  require(parts.size() == 3 || (parts.size() == 4 && parts[3] == "log"),
          "{}: a range must read FROM:TO:HOW MANY, or FROM:TO:HOW MANY:log, got {} parts.", of, parts.size());
  const double from = number_in(parts[0], of), to = number_in(parts[1], of);
  const long count = count_in(parts[2], of);
  const bool ratios = parts.size() == 4;
  require(!ratios || from * to > 0.0, "{}: equal ratios need both ends of one sign and not zero, got {} and {}.", of, from,
          to);
  std::vector<double> out(std::size_t(count), from);
  for (long k = 1; k < count; ++k) {
    const double part = double(k) / double(count - 1);
    out[std::size_t(k)] = k == count - 1 ? to : ratios ? from * std::pow(to / from, part) : from + (to - from) * part;
  }
  return out;
}

std::vector<std::string> names_to_vary(const ModelFile& model) {
  std::vector<std::string> out;
  for (const auto& [name, value] : model.parameters) out.push_back(name);
  for (const ModelInput& one : model.inputs) out.push_back(one.name);
  return out;
}

}  // namespace

std::vector<double> values_in(const std::string& text, const std::string& of) {
  require(text.find_first_not_of(' ') != std::string::npos,
          "{}: an empty grid; give values such as {}=1,2,5 or {}=0.5:2:50.", of, of.substr(of.find_last_of(' ') + 1),
          of.substr(of.find_last_of(' ') + 1));
  if (const auto parts = split_at(text, ':'); parts.size() > 1) return range_in(parts, of);
  std::vector<double> out;
  for (const std::string& part : split_at(text, ',')) out.push_back(number_in(part, of));
  return out;
}

SweepPlan::SweepPlan(const SweepSection& asked, const ModelFile& model) {
  require(!asked.vary.empty() || !asked.sample.empty(),
          "sweep: nothing differs between the runs; give --vary NAME=FROM:TO:HOW MANY or --sample \"NAME=normal(MEAN, "
          "DEVIATION)\", or a section `sweep`.");
  require(asked.sample.empty() || asked.samples <= most_runs, "--samples {}: more than {} runs; take fewer.", asked.samples,
          double(most_runs));
  require(!asked.sample.empty() || (asked.samples <= 1 && asked.sampling.empty()),
          "--samples and --sampling go with --sample NAME=DISTRIBUTION, of which there is none.");
  for (const auto& [name, text] : asked.vary) {
    add_name(name, model);
    lists_.push_back({values_in(text, "--vary " + name)});
  }
  for (const auto& [name, text] : asked.sample) {
    add_name(name, model);
    spread_.push_back(distribution_named(text, "--sample " + name));
  }
  if (!spread_.empty()) samples_ = asked.samples > 0 ? asked.samples : 100;
  count_grid(asked.zip);
  if (!spread_.empty())
    sampling_.emplace(sampling_named(asked.sampling), int(spread_.size()), samples_,
                      std::uint64_t(std::max(asked.seed, 0L)));
}

std::pair<std::string, bool> coordinate_and_rate(const std::string& name) {
  if (name.ends_with('\'')) return {name.substr(0, name.size() - 1), true};
  const std::size_t dot_at = name.rfind('.');
  const bool of_mass = dot_at != std::string::npos && name.size() == dot_at + 3 && name[dot_at + 1] == 'v';
  return {of_mass ? name.substr(0, dot_at + 1) + name.back() : name, of_mass};
}

void SweepPlan::add_name(const std::string& name, const ModelFile& model) {
  require(std::find(names_.begin(), names_.end(), name) == names_.end(),
          "sweep: '{}' is given twice; each name takes one --vary or --sample.", name);
  std::vector<std::string> known = names_to_vary(model);
  const bool parameter = std::find(known.begin(), known.end(), name) != known.end();
  const std::string coordinate = coordinate_and_rate(name).first;
  bool initial = false;
  for (int i = 0; i < model.system.size() && !parameter; ++i) {
    initial = initial || model.system.coordinate_name(i) == coordinate;
    known.push_back(model.system.coordinate_name(i));
  }
  if (!parameter && !initial) {
    const std::string near = nearest(coordinate, known);
    throw InputError(message(
        "sweep: the model has no parameter, coordinate or velocity '{}'{}; parameters stand in the section `parameters`.",
        name, near.empty() ? "" : message("; did you mean '{}'?", near)));
  }
  names_.push_back(name);
  initial_.push_back(initial ? 1 : 0);
}

void SweepPlan::count_grid(bool zip) {
  require(!zip || lists_.size() > 1, "--zip puts several lists side by side, and there is {}.",
          lists_.empty() ? "none" : "one only");
  double all = double(samples_);
  if (zip) {
    for (std::size_t k = 0; k < lists_.size(); ++k)
      require(lists_[k].values.size() == lists_[0].values.size(),
              "--zip: '{}' has {} values and '{}' has {}; side by side they need as many.", names_[0],
              lists_[0].values.size(), names_[k], lists_[k].values.size());
    all *= double(lists_[0].values.size());
  } else {
    for (const List& one : lists_) all *= double(one.values.size());
  }
  require(all <= double(most_runs),
          "sweep: {} runs are too many, the limit is {}; take fewer values of each name, values side by side with --zip, or "
          "--sample with --samples.",
          all, double(most_runs));
  grid_ = zip ? long(lists_[0].values.size()) : 1;
  if (zip) return;
  for (auto one = lists_.rbegin(); one != lists_.rend(); ++one) {
    one->stride = grid_;
    grid_ *= long(one->values.size());
  }
}

std::vector<double> SweepPlan::values(long run) const {
  std::vector<double> out;
  const long place = run / samples_, sample = run % samples_;
  for (const List& one : lists_) out.push_back(one.values[std::size_t(place / one.stride) % one.values.size()]);
  for (std::size_t d = 0; d < spread_.size(); ++d) out.push_back(spread_[d].at(sampling_->at(sample, int(d))));
  return out;
}

ModelNumbers SweepPlan::numbers(long run) const {
  ModelNumbers out;
  const std::vector<double> all = values(run);
  for (std::size_t k = 0; k < all.size(); ++k)
    (initial_[k] != 0 ? out.initial : out.parameters).emplace_back(names_[k], all[k]);
  return out;
}

}  // namespace taut
