#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <taut/base/require.hpp>
#include <taut/results/checkpoint_numbers.hpp>
#include <taut/results/file_lock.hpp>
#include <taut/results/hdf5_handle.hpp>
#include <taut/results/results.hpp>
#include <taut/results/scene_text.hpp>
#include <thread>

namespace taut {
namespace {

/// While somebody writes, metadata may be caught half-way: HDF5 then tries again, after 1, 2, 4, … ns, together a quarter of a second. Its own hundred
/// attempts on a broken file would end after the universe does.
constexpr unsigned attempts_while_written = 28;

Handle open_file(const std::string& path, bool written) {
  const auto open = [&](unsigned mode, unsigned attempts) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_metadata_read_attempts(access, attempts);
    return Handle(H5Fopen(path.c_str(), mode, access), H5Fclose);
  };
  if (written) return open(H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, attempts_while_written);
  Handle file = open(H5F_ACC_RDONLY, 1);
  // A file whose writer was killed still says that it is being written.
  return file.good() ? std::move(file) : open(H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, 1);
}

class Reader {
 public:
  Reader(const std::string& path, bool written) : file_(open_file(path, written)) {
    require(file_.good(), "is not an HDF5 file, or a broken one");
    hsize_t size = 0;
    H5Fget_filesize(file_, &size);
    size_ = size;
  }

  Results read(bool rows) const {
    Results out;
    out.header = header();
    const FileState now = state();
    if (now.verdict >= 1 && now.verdict <= 4) out.verdict = Verdict(now.verdict - 1);
    out.finished = now.finished == 1;
    out.message = cell_text("message");
    out.records = long(now.records);
    if (out.verdict) check_end(out, now);
    out.certificate = certificate();
    if (!rows) return out;
    read_rows(out, sizes(out.header), 0, now.records);
    read_events(out, now);
    read_checkpoint(out);
    return out;
  }

  RecordSizes sizes(const RunHeader& header) const {
    return {header.coordinates.size(), header.constraints.size(), header.outputs.size(), header.scene.track_numbers(),
            has("step")};
  }
  std::vector<double> times(std::uint64_t rows) const { return column("t", 0, rows, 1); }

  /// Records from one on.
  void read_rows(Recording& out, const RecordSizes& sizes, std::uint64_t from, std::uint64_t rows) const {
    const std::size_t n = sizes.coordinates, m = sizes.constraints, k = sizes.outputs;
    out.t = column("t", from, rows, 1);
    out.q = column("q", from, rows, n);
    out.v = column("v", from, rows, n);
    out.lambda = column("lambda", from, rows, m);
    out.outputs = column("outputs", from, rows, k);
    out.energy = column("energy", from, rows, 2);
    out.residual = column("residual", from, rows, 2);
    out.newton = column<int>("newton", H5T_NATIVE_INT, from, rows, 1);
    out.tracks = column("tracks", from, rows, sizes.tracks);
    out.step = column("step", from, sizes.steps ? rows : 0, 1);
    const auto sums = column<std::uint64_t>("record_sums", H5T_NATIVE_UINT64, from, rows, 1);
    for (std::size_t r = 0; r < rows; ++r)
      require(sums[r] == record_sum(from + r, sizes, &out.t[r], out.q.data() + r * n, out.v.data() + r * n,
                                    out.lambda.data() + r * m, out.outputs.data() + r * k, &out.energy[2 * r],
                                    &out.residual[2 * r], out.newton[r], out.tracks.data() + r * sizes.tracks,
                                    out.step.data() + (sizes.steps ? r : 0)),
              "record {} (from 0) is not what was written: a byte has changed", from + r);
  }
  void read_events(Results& out, const FileState& now) const {
    const std::size_t wide = 2 + 2 * out.header.coordinates.size();
    out.events = column("events", 0, now.events, wide);
    const auto sums = column<std::uint64_t>("event_sums", H5T_NATIVE_UINT64, 0, now.events, 1);
    for (std::size_t e = 0; e < now.events; ++e)
      require(sums[e] == event_sum(e, out.events.data() + e * wide, wide),
              "event {} (from 0) is not what was written: a byte has changed", e);
  }
  FileState state() const {
    FileState out;
    cell<state_words>("state", H5T_NATIVE_UINT64, &out);
    require(out.sum == out.own_sum(), "'state' is not what was written: a byte has changed");
    return out;
  }

 private:
  Handle open(const char* name) const {
    Handle set(H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose);
    require(set.good(), "no '{}' in it, or it cannot be read", name);
    return set;
  }
  /// No dataset is larger than its file, whatever a broken head says.
  void check_size(const char* name, hsize_t count, hsize_t bytes) const {
    require(bytes == 0 || count <= size_ / bytes, "'{}' has not the size it should have", name);
  }

  std::vector<std::string> texts(const char* name, bool summed = true) const {
    const Handle set = open(name), type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
    require(type.good() && space.good() && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0,
            "'{}' is not a text", name);
    const std::size_t length = H5Tget_size(type);
    const auto count = std::size_t(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
    check_size(name, count, length);
    std::string all(length * count, '\0');
    if (count > 0) require(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0, "'{}' cannot be read", name);
    if (summed) check_sum(set, name, all);
    std::vector<std::string> words;
    for (std::size_t k = 0; k < count; ++k) {
      std::string word = all.substr(k * length, length);
      word.resize(std::strlen(word.c_str()));
      words.push_back(std::move(word));
    }
    return words;
  }
  static void check_sum(hid_t set, const char* name, const std::string& all) {
    std::uint64_t sum = 0;
    const Handle attribute(H5Aopen(set, sum_name, H5P_DEFAULT), H5Aclose);
    require(attribute.good() && H5Aread(attribute, H5T_NATIVE_UINT64, &sum) >= 0, "'{}' has no {}", name, sum_name);
    require(sum == Checksum().add(all).value(), "'{}' is not what was written: a byte has changed", name);
  }
  std::string cell_text(const char* name) const {
    const std::vector<std::string> words = texts(name, false);
    require(words.size() == 1, "'{}' is not one text", name);
    return words[0];
  }
  template <std::size_t count> void cell(const char* name, hid_t type, void* into) const {
    const Handle set = open(name), space(H5Dget_space(set), H5Sclose);
    require(H5Sget_simple_extent_npoints(space) == hssize_t(count) &&
                H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into) >= 0,
            "'{}' cannot be read", name);
  }

  RunHeader header() const {
    const std::vector<std::string> words = texts("header"), model = texts("model");
    require(words.size() == 7 && model.size() == 1, "its header is not that of a results file");
    std::vector<std::string> coordinates = texts("coordinates"), constraints = texts("constraints");
    Scene scene;  // files of earlier versions have none
    if (has("scene")) {
      const std::vector<std::string> text = texts("scene");
      require(text.size() == 1, "'scene' is not one text");
      scene = scene_from(text[0], coordinates.size(), constraints.size());
    }
    return {.version = words[0],
            .model_path = words[1],
            .model_text = model[0],
            .name = words[2],
            .integrator = words[3],
            .solver = words[4],
            .options = words[5],
            .until = std::strtod(words[6].c_str(), nullptr),
            .coordinates = std::move(coordinates),
            .constraints = std::move(constraints),
            .outputs = texts("output_names"),
            .scene = std::move(scene),
            .events = has("event_names") ? texts("event_names") : std::vector<std::string>{}};
  }
  bool has(const char* name) const { return H5Lexists(file_, name, H5P_DEFAULT) > 0; }
  std::string certificate() const {
    if (!has("certificate")) return {};  // files of earlier versions
    constexpr std::size_t digits = 16;
    const Handle set = open("certificate"), space(H5Dget_space(set), H5Sclose);
    const auto count = std::size_t(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
    check_size("certificate", count, 1);
    std::string text(count, '\0');
    if (count < digits) return {};
    require(H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0, "'certificate' cannot be read");
    const std::string sum = text.substr(count - digits);
    text.resize(count - digits);
    require(std::strtoull(sum.c_str(), nullptr, 16) == Checksum().add(text).value(),
            "'certificate' is not what was written: a byte has changed");
    return text;
  }

  /// What other readers see of a run that is over must be the same.
  void check_end(const Results& out, const FileState& now) const {
    long long records = -1;
    int finished = -1;
    cell<1>("records", H5T_NATIVE_LLONG, &records);
    cell<1>("finished", H5T_NATIVE_INT, &finished);
    require(std::uint64_t(records) == now.records && std::uint64_t(finished) == now.finished &&
                cell_text("verdict") == name_of(*out.verdict) && Checksum().add(out.message).value() == now.message,
            "'records', 'finished', 'verdict' or 'message' is not what was written: a byte has changed");
  }

  template <class Number>
  std::vector<Number> column(const char* name, hid_t type, std::uint64_t start, std::uint64_t rows,
                             std::uint64_t width) const {
    if (rows == 0 || width == 0) return {};
    const Handle set = open(name), space(H5Dget_space(set), H5Sclose);
    hsize_t size[2] = {0, 0};
    require(H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, nullptr) == 2 &&
                size[1] == width && size[0] >= start + rows,
            "'{}' has not the size it should have", name);
    check_size(name, rows, width * sizeof(Number));
    const hsize_t part[2] = {rows, width}, from[2] = {start, 0};
    std::vector<Number> out(rows * width);
    const Handle memory(H5Screate_simple(2, part, nullptr), H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, part, nullptr);
    require(H5Dread(set, type, memory, space, H5P_DEFAULT, out.data()) >= 0, "'{}' cannot be read", name);
    return out;
  }
  std::vector<double> column(const char* name, std::uint64_t from, std::uint64_t rows, std::uint64_t width) const {
    return column<double>(name, H5T_NATIVE_DOUBLE, from, rows, width);
  }

  std::vector<double> slot(const char* name) const {
    const Handle set = open(name), space(H5Dget_space(set), H5Sclose);
    hsize_t size = 0;
    require(H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, nullptr) == 1,
            "'{}' has not the size it should have", name);
    check_size(name, size, sizeof(double));
    std::vector<double> out(size);
    if (size > 0)
      require(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) >= 0, "'{}' cannot be read", name);
    return out;
  }
  /// The newest slot that is whole: one of them may have been half-way when the run was killed.
  void read_checkpoint(Results& out) const {
    constexpr std::size_t front = 5;
    double newest = 0.0;
    for (const char* name : {"checkpoint_0", "checkpoint_1"}) {
      const std::vector<double> row = slot(name);
      if (row.size() <= front || !(row[0] > front && row[0] <= double(row.size())) || !(row[1] > newest)) continue;
      const auto size = std::size_t(row[0]);
      const auto sum = Checksum().add(row.data(), size - 1).value();
      if (sum != std::bit_cast<std::uint64_t>(row[size - 1]) || row[2] > double(out.records)) continue;
      newest = row[1];
      const auto certificate = std::size_t(row[4]);
      require(certificate < size - front, "'{}' has not the size it should have", name);
      const std::span<const double> numbers(row.data() + front, size - front - 1);
      const auto begin = numbers.begin(), middle = begin + std::ptrdiff_t(certificate);
      out.checkpoint_certificate.assign(begin, middle);
      out.checkpoint = to_checkpoint(numbers.subspan(certificate));
      out.checkpoint_records = long(row[2]);
      out.checkpoint_events = long(row[3]);
    }
  }

  Handle file_;
  hsize_t size_ = 0;
};

/// What action makes of an open file. What is being written may be caught half-way: then once more.
template <class Action> auto with_reader(const std::string& path, const Action& action) {
  quiet_hdf5();
  std::error_code trouble;
  require(std::filesystem::exists(path, trouble), "{}: there is no such file.", path);
  require(std::filesystem::is_regular_file(path, trouble), "{}: is not a file.", path);
  for (int attempt = 1;; ++attempt) {
    const bool written = FileLock::held(path);
    try {
      return action(std::make_unique<Reader>(path, written));
    } catch (const InputError& error) {
      if (!written || attempt == 3) throw InputError(message("{}: {}.", path, error.what()));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

}  // namespace

Results read_results(const std::string& path) {
  return with_reader(path, [](const auto& reader) { return reader->read(true); });
}

Results read_results_summary(const std::string& path) {
  return with_reader(path, [](const auto& reader) { return reader->read(false); });
}

struct ResultsParts::Impl {
  std::string path;
  std::unique_ptr<Reader> reader;
  Results summary;
};

ResultsParts::ResultsParts(const std::string& path) {
  impl_ = with_reader(path, [&](std::unique_ptr<Reader> reader) {
    Results summary = reader->read(false);
    reader->read_events(summary, reader->state());
    return std::make_unique<Impl>(Impl{path, std::move(reader), std::move(summary)});
  });
}

ResultsParts::~ResultsParts() = default;

const Results& ResultsParts::summary() const { return impl_->summary; }

std::vector<double> ResultsParts::times() const { return impl_->reader->times(std::uint64_t(impl_->summary.records)); }

void ResultsParts::each(const std::function<void(const Recording& part, long first)>& action) const {
  constexpr std::size_t numbers = 1u << 20;  // in a part
  const RunHeader& header = impl_->summary.header;
  const RecordSizes sizes = impl_->reader->sizes(header);
  const std::size_t wide = 8 + 2 * sizes.coordinates + sizes.constraints + sizes.outputs + sizes.tracks;
  const auto records = std::uint64_t(impl_->summary.records), most = std::uint64_t(std::max<std::size_t>(1, numbers / wide));
  Recording part;
  for (std::uint64_t first = 0; first < records; first += most) {
    part.records = long(std::min(most, records - first));
    try {
      impl_->reader->read_rows(part, sizes, first, std::uint64_t(part.records));
    } catch (const InputError& error) {
      throw InputError(message("{}: {}.", impl_->path, error.what()));
    }
    action(part, long(first));
  }
}

}  // namespace taut
