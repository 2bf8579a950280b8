#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <taut/base/require.hpp>
#include <taut/results/hdf5_handle.hpp>
#include <taut/results/sweep_file.hpp>

namespace taut {
namespace {

constexpr std::size_t reason_size = 240;
constexpr const char *magic = "taut sweep 1", *not_a_sweep = "is no file of a sweep that can be read";
constexpr std::size_t rows_at_once = 4096;

Handle word_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, size);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/// A dataset whose place in the file is settled at once, without the time of its making.
Handle fixed_set(hid_t file, const std::string& name, hid_t type, const std::vector<hsize_t>& sizes) {
  const Handle space(H5Screate_simple(int(sizes.size()), sizes.data(), nullptr), H5Sclose);
  const Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_layout(plan, H5D_CONTIGUOUS);
  H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plan, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(plan, false);
  return {H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose};
}

bool write_words(hid_t file, const std::string& name, const std::vector<std::string>& words) {
  std::size_t length = 1;
  for (const std::string& word : words) length = std::max(length, word.size());
  std::string all(length * words.size(), '\0');
  for (std::size_t k = 0; k < words.size(); ++k)
    std::copy(words[k].begin(), words[k].end(), all.begin() + std::ptrdiff_t(k * length));
  const Handle type = word_type(length), set = fixed_set(file, name, type, {words.size()});
  return set.good() && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0;
}

std::vector<hsize_t> sizes_of(hid_t set) {
  const Handle space(H5Dget_space(set), H5Sclose);
  std::vector<hsize_t> out(std::size_t(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!out.empty()) H5Sget_simple_extent_dims(space, out.data(), nullptr);
  return out;
}

std::vector<std::string> read_words(hid_t file, const std::string& name, const std::string& path) {
  const Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const std::vector<hsize_t> sizes = set.good() ? sizes_of(set) : std::vector<hsize_t>{};
  require(sizes.size() == 1 && sizes[0] < 100'000'000, "'{}' {}.", path, not_a_sweep);
  const Handle type(H5Dget_type(set), H5Tclose);
  const std::size_t length = H5Tget_size(type);
  require(H5Tget_class(type) == H5T_STRING && length < 1'000'000'000, "'{}' {}.", path, not_a_sweep);
  std::string all(length * sizes[0], '\0');
  require(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0, "'{}' {}.", path, not_a_sweep);
  std::vector<std::string> out;
  for (hsize_t k = 0; k < sizes[0]; ++k) {
    const std::string one = all.substr(std::size_t(k) * length, length);
    out.push_back(one.substr(0, one.find('\0')));
  }
  return out;
}

/// Cut to what the file holds, between two characters.
std::string kept_reason(const std::string& text) {
  if (text.size() <= reason_size) return text;
  std::size_t end = reason_size - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end) + "…";
}

std::uint64_t row_sum(const SweepRow& row) {
  return Checksum()
      .add(std::uint64_t(row.run))
      .add(1 + std::uint64_t(row.verdict))
      .add(row.reason)
      .add(row.numbers.data(), row.numbers.size())
      .value();
}

/// The numbers of a group that belong to some rows, one of them after the other.
struct Slab {
  Handle file, memory;
  Slab(hid_t set, const std::vector<hsize_t>& sizes, std::size_t first, std::size_t count)
      : file(H5Dget_space(set), H5Sclose) {
    std::vector<hsize_t> from(sizes.size(), 0), part = sizes;
    from[0] = first;
    part[0] = count;
    H5Sselect_hyperslab(file, H5S_SELECT_SET, from.data(), nullptr, part.data(), nullptr);
    memory = Handle(H5Screate_simple(int(part.size()), part.data(), nullptr), H5Sclose);
  }
};

}  // namespace

struct SweepReader::File {
  std::string path;
  SweepHeader header;
  Handle file, verdict, reason, sums, reason_type;
  std::vector<Handle> groups;
  std::vector<std::uint8_t> verdicts;  // 0: not there, otherwise 1 + it
  long done = 0;

  void check(bool good) const {
    if (!good) throw std::runtime_error(message("'{}' could not be written; is the disk full?", path));
  }

  static std::vector<hsize_t> shape(const SweepHeader& header, const SweepGroup& group) {
    std::vector<hsize_t> out{hsize_t(header.runs)};
    out.insert(out.end(), group.shape.begin(), group.shape.end());
    return out;
  }

  void open(const std::string& from, bool to_write) {
    quiet_hdf5();
    path = from;
    file = Handle(H5Fopen(from.c_str(), to_write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    require(file.good(), "'{}' {}.", path, not_a_sweep);
    read_header();
    const auto set = [&](const char* name) { return Handle(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose); };
    verdict = set("verdict");
    reason = set("reason");
    sums = set("sums");
    reason_type = word_type(reason_size);
    for (const SweepGroup& group : header.groups) {
      groups.push_back(set(group.name.c_str()));
      require(groups.back().good() && sizes_of(groups.back()) == shape(header, group), "'{}' {}.", path, not_a_sweep);
    }
    for (const Handle* one : {&verdict, &reason, &sums})
      require(one->good() && sizes_of(*one) == std::vector<hsize_t>{hsize_t(header.runs)}, "'{}' {}.", path, not_a_sweep);
    find_done();
  }

  void read_header() {
    const std::vector<std::string> head = read_words(file, "header", path);
    require(head.size() == 6 && head[0] == magic, "'{}' {}.", path, not_a_sweep);
    header.version = head[1];
    header.model_path = head[2];
    header.name = head[3];
    header.settings = head[4];
    header.runs = std::strtol(head[5].c_str(), nullptr, 10);
    const std::vector<std::string> text = read_words(file, "model", path);
    if (!text.empty()) header.model_text = text[0];
    for (const std::string& name : read_words(file, "groups", path)) {
      SweepGroup group{name, read_words(file, name + "_names", path), {}};
      const Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
      require(set.good(), "'{}' {}.", path, not_a_sweep);
      const std::vector<hsize_t> sizes = sizes_of(set);
      std::size_t product = 1;
      for (std::size_t k = 1; k < sizes.size(); ++k) {
        group.shape.push_back(sizes[k]);
        product *= sizes[k];
      }
      require(sizes.size() > 1 && product == group.columns.size(), "'{}' {}.", path, not_a_sweep);
      header.groups.push_back(std::move(group));
    }
    const Handle times(H5Dopen2(file, "times", H5P_DEFAULT), H5Dclose);
    if (!times.good()) return;
    header.times.resize(sizes_of(times).at(0));
    H5Dread(times, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, header.times.data());
  }

  /// Rows as they stand there, with the sums that they should have.
  std::vector<SweepRow> read_rows(std::size_t first, std::size_t count, std::vector<std::uint64_t>* found_sums) const {
    std::vector<SweepRow> rows(count);
    std::vector<std::uint8_t> words(count);
    std::string reasons(count * reason_size, '\0');
    found_sums->resize(count);
    const std::vector<hsize_t> flat{hsize_t(header.runs)};
    const Slab one(verdict, flat, first, count);
    bool good = H5Dread(verdict, H5T_NATIVE_UINT8, one.memory, one.file, H5P_DEFAULT, words.data()) >= 0 &&
                H5Dread(sums, H5T_NATIVE_UINT64, one.memory, one.file, H5P_DEFAULT, found_sums->data()) >= 0 &&
                H5Dread(reason, reason_type, one.memory, one.file, H5P_DEFAULT, reasons.data()) >= 0;
    for (std::size_t k = 0; k < count; ++k) {
      rows[k].run = long(first + k);
      const std::string text = reasons.substr(k * reason_size, reason_size);
      rows[k].reason = text.substr(0, text.find('\0'));
      rows[k].verdict = Verdict(std::max(0, int(words[k]) - 1));
    }
    for (std::size_t g = 0; g < groups.size() && good; ++g) {
      const std::size_t width = header.groups[g].columns.size();
      std::vector<double> numbers(count * width);
      const Slab slab(groups[g], shape(header, header.groups[g]), first, count);
      good = H5Dread(groups[g], H5T_NATIVE_DOUBLE, slab.memory, slab.file, H5P_DEFAULT, numbers.data()) >= 0;
      for (std::size_t k = 0; k < count; ++k)
        rows[k].numbers.insert(rows[k].numbers.end(), numbers.begin() + std::ptrdiff_t(k * width),
                               numbers.begin() + std::ptrdiff_t((k + 1) * width));
    }
    require(good, "'{}' {}.", path, not_a_sweep);
    return rows;
  }

  void find_done() {
    verdicts.assign(std::size_t(header.runs), 0);
    std::vector<std::uint64_t> all(verdicts.size()), found;
    require(H5Dread(sums, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0, "'{}' {}.", path, not_a_sweep);
    for (std::size_t first = 0; first < verdicts.size(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, verdicts.size() - first);
      const auto from = all.begin() + std::ptrdiff_t(first);
      if (std::all_of(from, from + std::ptrdiff_t(count), [](std::uint64_t sum) { return sum == 0; })) continue;
      const std::vector<SweepRow> rows = read_rows(first, count, &found);
      for (std::size_t k = 0; k < count; ++k)
        if (found[k] != 0 && found[k] == row_sum(rows[k])) {
          verdicts[first + k] = std::uint8_t(1 + int(rows[k].verdict));
          ++done;
        }
    }
  }

  /// Rows with numbers that follow each other: first what they hold, then their sums.
  void write_rows(const SweepRow* rows, std::size_t count) {
    const auto first = std::size_t(rows[0].run);
    std::size_t offset = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::size_t width = header.groups[g].columns.size();
      std::vector<double> numbers;
      numbers.reserve(count * width);
      for (std::size_t k = 0; k < count; ++k)
        numbers.insert(numbers.end(), rows[k].numbers.begin() + std::ptrdiff_t(offset),
                       rows[k].numbers.begin() + std::ptrdiff_t(offset + width));
      offset += width;
      const Slab slab(groups[g], shape(header, header.groups[g]), first, count);
      check(H5Dwrite(groups[g], H5T_NATIVE_DOUBLE, slab.memory, slab.file, H5P_DEFAULT, numbers.data()) >= 0);
    }
    std::string reasons(count * reason_size, '\0');
    std::vector<std::uint8_t> words(count);
    std::vector<std::uint64_t> own(count);
    for (std::size_t k = 0; k < count; ++k) {
      std::copy(rows[k].reason.begin(), rows[k].reason.end(), reasons.begin() + std::ptrdiff_t(k * reason_size));
      words[k] = std::uint8_t(1 + int(rows[k].verdict));
      own[k] = row_sum(rows[k]);
    }
    const Slab one(verdict, {hsize_t(header.runs)}, first, count);
    const bool any = std::any_of(rows, rows + count, [](const SweepRow& row) { return !row.reason.empty(); });
    check(!any || H5Dwrite(reason, reason_type, one.memory, one.file, H5P_DEFAULT, reasons.data()) >= 0);
    check(H5Dwrite(verdict, H5T_NATIVE_UINT8, one.memory, one.file, H5P_DEFAULT, words.data()) >= 0);
    check(H5Dwrite(sums, H5T_NATIVE_UINT64, one.memory, one.file, H5P_DEFAULT, own.data()) >= 0);
  }

  static void make(const std::string& path, const SweepHeader& header) {
    quiet_hdf5();
    const std::string part = path + ".part";
    {
      const Handle plan(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
      H5Pset_obj_track_times(plan, false);
      const Handle file(H5Fcreate(part.c_str(), H5F_ACC_TRUNC, plan, H5P_DEFAULT), H5Fclose);
      require(file.good(), "results: '{}' cannot be written.", path);
      std::vector<std::string> names;
      for (const SweepGroup& group : header.groups) names.push_back(group.name);
      const hsize_t runs = hsize_t(header.runs);
      bool good = write_words(file, "model", {header.model_text}) &&
                  write_words(file, "header",
                              {magic, header.version, header.model_path, header.name, header.settings,
                               std::to_string(header.runs)}) &&
                  write_words(file, "groups", names) &&
                  write_words(file, "verdict_names", {"not run", "reached", "stopped", "failed", "diverged"}) &&
                  write_words(file, "grade_names", {"good", "fair", "poor", "unverified", "bad"});
      for (const SweepGroup& group : header.groups)
        good = good && write_words(file, group.name + "_names", group.columns) &&
               fixed_set(file, group.name, H5T_NATIVE_DOUBLE, shape(header, group)).good();
      if (!header.times.empty()) {
        const Handle times = fixed_set(file, "times", H5T_NATIVE_DOUBLE, {header.times.size()});
        good = good && H5Dwrite(times, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, header.times.data()) >= 0;
      }
      good = good && fixed_set(file, "verdict", H5T_NATIVE_UINT8, {runs}).good() &&
             fixed_set(file, "reason", word_type(reason_size), {runs}).good() &&
             fixed_set(file, "sums", H5T_NATIVE_UINT64, {runs}).good() && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
      if (!good) throw std::runtime_error(message("'{}' could not be written; is the disk full?", path));
    }
    std::filesystem::rename(part, path);
  }
};

SweepReader::SweepReader() : file_(std::make_unique<File>()) {}
SweepReader::SweepReader(const std::string& path) : file_(std::make_unique<File>()) {
  std::error_code trouble;
  require(std::filesystem::exists(path, trouble), "'{}' is not there.", path);
  file_->open(path, false);
}
SweepReader::~SweepReader() = default;
SweepReader::SweepReader(SweepReader&&) noexcept = default;
SweepReader& SweepReader::operator=(SweepReader&&) noexcept = default;

const SweepHeader& SweepReader::header() const { return file_->header; }
bool SweepReader::done(long run) const { return file_->verdicts[std::size_t(run)] != 0; }
long SweepReader::done_count() const { return file_->done; }

std::vector<char> SweepReader::good() const {
  std::vector<char> out;
  for (const std::uint8_t one : file_->verdicts) out.push_back(one != 0 && taut::good(Verdict(one - 1)) ? 1 : 0);
  return out;
}

SweepRow SweepReader::row(long run) const {
  std::vector<std::uint64_t> sums;
  return file_->read_rows(std::size_t(run), 1, &sums)[0];
}

std::vector<double> SweepReader::column(std::size_t group, std::size_t number) const {
  const SweepGroup& of = file_->header.groups.at(group);
  const std::vector<hsize_t> sizes = File::shape(file_->header, of);
  std::vector<hsize_t> from(sizes.size(), 0), part(sizes.size(), 1);
  part[0] = sizes[0];
  std::size_t rest = number;
  for (std::size_t k = sizes.size(); k-- > 1;) {
    from[k] = rest % sizes[k];
    rest /= sizes[k];
  }
  std::vector<double> out(sizes[0]);
  const hid_t set = file_->groups[group];
  const Handle space(H5Dget_space(set), H5Sclose), memory(H5Screate_simple(1, sizes.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, part.data(), nullptr);
  require(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out.data()) >= 0, "'{}' {}.", file_->path,
          not_a_sweep);
  return out;
}

bool is_sweep(const std::string& path) {
  quiet_hdf5();
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.good()) return false;
  try {
    const std::vector<std::string> head = read_words(file, "header", path);
    return !head.empty() && head[0] == magic;
  } catch (const InputError&) {
    return false;
  }
}

namespace {

/// The first entry of the settings that differs, or what else does; nothing where it is the same sweep.
std::string differing(const SweepHeader& before, const SweepHeader& now) {
  if (before.model_text != now.model_text) return "has another model";
  const auto a = nlohmann::json::parse(before.settings, nullptr, false),
             b = nlohmann::json::parse(now.settings, nullptr, false);
  if (before.settings != now.settings && a.is_object() && b.is_object())
    for (const auto& [key, value] : b.items())
      if (!a.contains(key) || a[key] != value)
        return message("was begun with {} {}, now it is {}", key, a.contains(key) ? a[key].dump() : "none", value.dump());
  if (before.settings != now.settings || before.runs != now.runs) return "was begun with other settings";
  for (std::size_t g = 0; g < std::max(before.groups.size(), now.groups.size()); ++g)
    if (g >= before.groups.size() || g >= now.groups.size() || before.groups[g].name != now.groups[g].name ||
        before.groups[g].columns != now.groups[g].columns)
      return "keeps other numbers";
  return {};
}

/// Whether what is there may be gone on with; throws where it must stay.
bool goes_on(const SweepFileOptions& asked, const SweepHeader& header) {
  std::error_code trouble;
  if (asked.force || !std::filesystem::exists(asked.path, trouble)) return false;
  std::optional<SweepReader> there;
  try {
    there.emplace(asked.path);
  } catch (const InputError& error) {
    throw InputError(message(
        "results: '{}' is there and would be overwritten, but {}; write elsewhere with --out, or overwrite it with --force.",
        asked.path, not_a_sweep));
  }
  const std::string other = differing(there->header(), header);
  if (asked.resume) {
    require(other.empty(),
            "--resume: '{}' {}; give the same again, write elsewhere with --out, or overwrite it with --force.", asked.path,
            other);
    return true;
  }
  require(there->header().model_path == header.model_path || there->header().model_text == header.model_text,
          "results: '{}' holds a sweep of another model, '{}'; write elsewhere with --out, or overwrite it with --force.",
          asked.path, there->header().model_path);
  require(
      there->done_count() == there->header().runs,
      "results: '{}' holds a sweep that is not finished; go on with --resume, write elsewhere with --out, or overwrite it "
      "with --force.",
      asked.path);
  return false;
}

}  // namespace

SweepFile::SweepFile(const SweepFileOptions& asked, const SweepHeader& header)
    : lock_(asked.path), path_(asked.path), reader_([&] {
        if (!goes_on(asked, header)) SweepReader::File::make(asked.path, header);
        SweepReader out;
        out.file_->open(asked.path, true);
        return out;
      }()) {}

SweepFile::~SweepFile() {
  try {
    flush();
  } catch (const std::exception&) {  // who wants to know has flushed before
    static_cast<void>(reader_.file_.release());
  }
}

void SweepFile::take(const SweepRow& row) {
  SweepRow& kept = waiting_.emplace_back(row);
  kept.reason = kept_reason(kept.reason);
  kept.numbers.resize(reader_.header().width(), std::numeric_limits<double>::quiet_NaN());
  if (waiting_.size() * kept.numbers.size() > 4'000'000) flush();
}

void SweepFile::flush_now_and_then() {
  if (std::chrono::steady_clock::now() - flushed_ > std::chrono::milliseconds(500)) flush();
}

void SweepFile::flush() {
  flushed_ = std::chrono::steady_clock::now();
  if (waiting_.empty()) return;
  std::sort(waiting_.begin(), waiting_.end(), [](const SweepRow& a, const SweepRow& b) { return a.run < b.run; });
  for (std::size_t first = 0, next = 0; first < waiting_.size(); first = next) {
    for (next = first + 1; next < waiting_.size() && waiting_[next].run == waiting_[next - 1].run + 1;) ++next;
    reader_.file_->write_rows(&waiting_[first], next - first);
  }
  reader_.file_->check(H5Fflush(reader_.file_->file, H5F_SCOPE_GLOBAL) >= 0);
  waiting_.clear();
}

long merge_sweeps(const std::vector<std::string>& from, const SweepFileOptions& to) {
  require(!from.empty(), "sweep merge: give the files of the shards.");
  std::vector<SweepReader> shards;
  for (const std::string& path : from) {
    shards.emplace_back(path);
    std::error_code none;
    require(!std::filesystem::equivalent(path, to.path, none),
            "sweep merge: '{}' would be overwritten; name another file first.", path);
    const std::string other = differing(shards[0].header(), shards.back().header());
    require(other.empty(), "sweep merge: '{}' {} than '{}': they are not shards of one sweep.", path, other, from[0]);
  }
  SweepFile file(to, shards[0].header());
  long missing = 0;
  for (long run = 0; run < shards[0].header().runs; ++run) {
    const auto found = std::find_if(shards.begin(), shards.end(), [&](const SweepReader& one) { return one.done(run); });
    if (found != shards.end()) file.take(found->row(run));
    if (found == shards.end() && !file.done(run)) ++missing;
  }
  file.flush();
  return missing;
}

}  // namespace taut
