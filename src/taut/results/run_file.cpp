#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <taut/base/decimal.hpp>
#include <taut/base/real_path.hpp>
#include <taut/base/require.hpp>
#include <taut/results/checksum.hpp>
#include <taut/results/run_file.hpp>
#include <taut/results/scene_text.hpp>

namespace taut {
namespace {

std::optional<double> as_number(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  if (first == std::string::npos) return {};
  const char *begin = text.data() + first, *end = text.data() + last + 1;
  double value = 0.0;
  const auto [stop, trouble] = from_decimal(begin, end, value);
  if (trouble != std::errc{} || stop != end) return {};
  return value;
}

/// 1e-4 and 0.0001 are one number.
bool same_value(const std::string& a, const std::string& b) {
  const std::optional<double> x = as_number(a), y = as_number(b);
  return a == b || (x && y && *x == *y);
}

/// Numbers in one spelling, the shortest; everything else as it is.
std::string spelled(const std::string& value) {
  const std::optional<double> number = as_number(value);
  if (!number) return value;
  std::array<char, 32> text;
  return {text.data(), to_decimal(text.data(), text.data() + text.size(), *number).ptr};
}

bool fits_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._=+-").find(c) != std::string_view::npos;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 80;
  return text.size() <= most ? text : text.substr(0, most) + "…";
}

// What differs between two runs.

/// Options of the command line by name; of one that is given twice the last counts. `until` may differ: it extends a run.
std::map<std::string, std::string> options_of(const std::string& json) {
  std::map<std::string, std::string> out;
  const nlohmann::json all = nlohmann::json::parse(json, nullptr, false);
  if (!all.is_object()) return out;
  const auto text = [](const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
  if (all.contains("set"))
    for (const auto& one : all["set"]) out["--set " + text(one.at(0))] = text(one.at(1));
  if (all.contains("run"))
    for (const auto& [name, value] : all["run"].items())
      if (name != "until") out["--" + name] = text(value);
  return out;
}

std::string given(const std::string& name, const std::string* value) {
  if (value == nullptr) return "without " + name;
  const bool parameter = name.rfind("--set ", 0) == 0;
  return "with " + name + (parameter ? "=" : " ") + shortened(*value);
}

/// "with --step 0.1, now with --step 0.2": the first option that differs, or nothing.
std::string differing_option(const std::string& before, const std::string& now) {
  const auto old_options = options_of(before), new_options = options_of(now);
  std::map<std::string, std::string> names = old_options;
  names.insert(new_options.begin(), new_options.end());
  for (const auto& [name, unused] : names) {
    const auto a = old_options.find(name), b = new_options.find(name);
    const std::string *x = a == old_options.end() ? nullptr : &a->second, *y = b == new_options.end() ? nullptr : &b->second;
    if (x != nullptr && y != nullptr && same_value(*x, *y)) continue;
    return message("was begun {}, now it is {}", given(name, x), given(name, y));
  }
  return {};
}

/// The first line that differs, or nothing.
std::string differing_line(const std::string& before, const std::string& now) {
  std::istringstream a(before), b(now);
  for (int line = 1;; ++line) {
    std::string x, y;
    const bool more_a = bool(std::getline(a, x)), more_b = bool(std::getline(b, y));
    if (!more_a && !more_b) return {};
    if (more_a && more_b && x == y) continue;
    return message("has another model: line {} (with what it includes) read \"{}\", now it reads \"{}\"", line,
                   more_a ? shortened(x) : "", more_b ? shortened(y) : "");
  }
}

// Whether a file may be overwritten, or resumed.

bool same_model(const RunHeader& a, const RunHeader& b) {
  return a.model_path == b.model_path || a.model_text == b.model_text;
}

void check_overwriting(const RunFileOptions& asked, const RunHeader& header) {
  std::error_code trouble;
  if (asked.force || !std::filesystem::exists(asked.path, trouble)) return;
  Results there;
  try {
    there = read_results_summary(asked.path);
  } catch (const InputError& error) {
    throw InputError(
        message("results: '{}' is there and would be overwritten, but is no results file that can be read; "
                "write elsewhere with --out, or overwrite it with --force. ({})",
                asked.path, error.what()));
  }
  require(same_model(there.header, header),
          "results: '{}' holds a run of another model, '{}'; write elsewhere with --out, or overwrite it with --force.",
          asked.path, there.header.model_path);
  const bool over = there.finished || (there.verdict && !good(*there.verdict));
  require(over,
          "results: '{}' holds a run that is not finished; go on with --resume, write elsewhere with --out, or overwrite it "
          "with --force.",
          asked.path);
}

/// Equal steps are counted from the start to the end; another end must not change them.
void check_extension(const Results& old, const RunFileOptions& asked, const RunHeader& header) {
  const double until = header.until, start = header.start, step = header.step;
  const auto whole = [&](double end) {
    const double steps = std::abs(end - start) / step;
    return std::abs(steps - std::round(steps)) < 1e-6;
  };
  require(
      step == 0.0 || (whole(old.header.until) && whole(until)),
      "--resume: '{}' was to end at t = {}, now at {}; with equal steps both must be whole numbers of steps of {} from the "
      "start.",
      asked.path, old.header.until, until, step);
  const double direction = until < start ? -1.0 : 1.0;
  const double reached = old.records > 0 ? old.t.back() : start;
  require(direction * (until - reached) > 0.0,
          "--resume: the run in '{}' is at t = {} already; give a later --until than {}.", asked.path, reached, until);
}

Results read_to_resume(const RunFileOptions& asked, const RunHeader& header) {
  Results old = read_results(asked.path);
  const std::string line = differing_line(old.header.model_text, header.model_text);
  const std::string option = differing_option(old.header.options, header.options);
  require(line.empty() && option.empty(), "--resume: '{}' {}; give what it was begun with, or begin anew with --force.",
          asked.path, line.empty() ? option : line);
  require(old.header.coordinates == header.coordinates && old.header.constraints == header.constraints &&
              old.header.outputs == header.outputs && old.header.scene.tracks == header.scene.tracks &&
              old.header.integrator == header.integrator,
          "--resume: '{}' was written by taut {}, which made another system of this model; begin anew with --force.",
          asked.path, old.header.version);
  const bool extended = old.header.until != header.until;
  require(extended || !old.finished, "--resume: the run in '{}' is finished; a later --until extends it.", asked.path);
  if (extended) check_extension(old, asked, header);
  return old;
}

void check_place(const RunFileOptions& asked) {
  std::error_code trouble;
  require(!std::filesystem::is_directory(asked.path, trouble), "results: '{}' cannot be written: it is a folder.",
          asked.path);
  const std::filesystem::path folder = std::filesystem::path(asked.path).parent_path();
  require(folder.empty() || std::filesystem::is_directory(folder, trouble),
          "results: '{}' cannot be written: there is no such folder.", asked.path);
  require(!asked.resume || std::filesystem::exists(asked.path, trouble), "{}: there is no such file, nothing to resume.",
          asked.path);
}

/// Checked before the lock, which would leave its file in strange places.
const std::string& checked_place(const RunFileOptions& asked) {
  check_place(asked);
  return asked.path;
}

}  // namespace

RunFile::RunFile(const RunFileOptions& asked, const RunHeader& header)
    : lock_(checked_place(asked)), checkpoint_after_(asked.checkpoint_seconds) {
  if (asked.resume) {
    old_ = read_to_resume(asked, header);
  } else {
    check_overwriting(asked, header);
  }
  begin(asked, header);
}

void RunFile::begin(const RunFileOptions& asked, const RunHeader& header) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  const fs::path place = real_path(asked.path), beside = place.string() + ".new";
  try {
    writer_ = std::make_unique<ResultsWriter>(beside.string(), header, asked.path);
    if (old_) copy_old();
    fs::rename(beside, place, trouble);
    require(!trouble, "results: '{}' cannot be written: {}.", asked.path, trouble.message());
  } catch (...) {
    fs::remove(beside, trouble);
    throw;
  }
}

void RunFile::copy_old() {
  if (!old_->checkpoint) return;
  const Results& old = *old_;
  const std::size_t n = old.header.coordinates.size(), m = old.header.constraints.size(), k = old.header.outputs.size(),
                    tracks = old.header.scene.track_numbers();
  for (std::size_t r = 0; r < std::size_t(old.checkpoint_records); ++r)
    writer_->append({old.t[r], old.q.data() + r * n, old.v.data() + r * n, old.lambda.data() + r * m,
                     old.outputs.data() + r * k, old.energy[2 * r], old.energy[2 * r + 1], old.residual[2 * r],
                     old.residual[2 * r + 1], old.newton[r], old.tracks.data() + r * tracks,
                     old.step.empty() ? 0.0 : old.step[r]});
  for (std::size_t e = 0; e < std::size_t(old.checkpoint_events); ++e) {
    const double* row = old.events.data() + e * (2 + 2 * n);
    using View = Eigen::Map<const Vector>;
    const auto size = Eigen::Index(n);
    writer_->event(int(row[0]), row[1], View(row + 2, size), View(row + 2 + n, size));
  }
  writer_->checkpoint(*old.checkpoint, old.checkpoint_certificate);
  written_ = std::chrono::steady_clock::now();
}

void RunFile::checkpoint(const Checkpoint& point, const std::vector<double>& certificate) {
  const auto now = std::chrono::steady_clock::now();
  if (written_ && std::chrono::duration<double>(now - *written_).count() < checkpoint_after_) {
    pending_ = {point, certificate, writer_->place()};
    return;
  }
  writer_->checkpoint(point, certificate);
  pending_.reset();
  written_ = now;
}

void RunFile::finish(Verdict verdict, const std::string& message, bool interrupted) {
  if (pending_) writer_->checkpoint(pending_->point, pending_->certificate, pending_->at);
  pending_.reset();
  writer_->finish(verdict, message, verdict == Verdict::reached || (verdict == Verdict::stopped && !interrupted));
}

std::optional<Resumption> FileRecorder::begin(const RunHeader& header) {
  file_.emplace(options_, header);
  const Results* old = file_->old();
  if (old == nullptr) return {};
  Resumption out;
  if (!old->checkpoint) return out;
  out.checkpoint = &*old->checkpoint;
  out.certificate = &old->checkpoint_certificate;
  const std::size_t width = 2 + 2 * old->header.coordinates.size();
  for (std::size_t e = 0; e < std::size_t(old->checkpoint_events); ++e)
    out.events.emplace_back(std::size_t(old->events[e * width]), old->events[e * width + 1]);
  if (old->checkpoint_records > 0) out.last_record = old->t[std::size_t(old->checkpoint_records) - 1];
  return out;
}

void FileRecorder::certify(const Certificate& certificate) { file_->writer().certify(certificate_text(certificate, true)); }

std::string default_results_name(const std::string& model_path,
                                 const std::vector<std::pair<std::string, std::string>>& parameters) {
  constexpr std::size_t most = 100;
  std::map<std::string, std::string> last;  // in one order, whatever was that of the command line
  for (const auto& [name, value] : parameters) last[name] = value;
  std::string exact, plain;
  for (const auto& [name, value] : last) exact += "." + name + "=" + spelled(value);
  for (const char c : exact) plain += fits_a_name(c) ? c : '_';
  // What had to be changed or cut is told apart by a number that depends on all of it.
  if (plain != exact || plain.size() > most) {
    std::ostringstream mark;
    mark << std::hex << (Checksum().add(exact).value() >> 40);
    plain = plain.substr(0, most) + "-" + mark.str();
  }
  return std::filesystem::path(model_path).stem().string() + plain + ".h5";
}

}  // namespace taut
