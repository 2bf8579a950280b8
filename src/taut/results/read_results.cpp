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
    if (!rows) return out;
    read_rows(out, now);
    read_checkpoint(out);
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
    return {.version = words[0],
            .model_path = words[1],
            .model_text = model[0],
            .name = words[2],
            .integrator = words[3],
            .solver = words[4],
            .options = words[5],
            .until = std::strtod(words[6].c_str(), nullptr),
            .coordinates = texts("coordinates"),
            .constraints = texts("constraints"),
            .outputs = texts("output_names"),
            .scene = scene()};
  }
  /// Files of earlier versions have none.
  Scene scene() const {
    Scene out;
    if (H5Lexists(file_, "scene_places", H5P_DEFAULT) <= 0) return out;
    for (const std::string& text : texts("scene_places")) {
      std::istringstream words(text);
      Scene::Place place;
      words >> place.coordinate[0] >> place.coordinate[1] >> place.coordinate[2] >> place.name;
      require(bool(words), "'scene_places' is not what was written");
      out.places.push_back(std::move(place));
    }
    for (const std::string& text : texts("scene_lines")) {
      std::istringstream words(text);
      std::pair<int, int> line{-1, -1};
      words >> line.first >> line.second;
      const auto inside = [&](int k) { return k >= 0 && k < int(out.places.size()); };
      require(inside(line.first) && inside(line.second), "'scene_lines' is not what was written");
      out.lines.push_back(line);
    }
    return out;
  }

  FileState state() const {
    FileState out;
    cell<state_words>("state", H5T_NATIVE_UINT64, &out);
    require(out.sum == out.own_sum(), "'state' is not what was written: a byte has changed");
    return out;
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
  std::vector<Number> column(const char* name, hid_t type, std::uint64_t rows, std::uint64_t width) const {
    if (rows == 0 || width == 0) return {};
    const Handle set = open(name), space(H5Dget_space(set), H5Sclose);
    hsize_t size[2] = {0, 0};
    require(H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, nullptr) == 2 &&
                size[1] == width && size[0] >= rows,
            "'{}' has not the size it should have", name);
    check_size(name, rows, width * sizeof(Number));
    const hsize_t part[2] = {rows, width}, from[2] = {0, 0};
    std::vector<Number> out(rows * width);
    const Handle memory(H5Screate_simple(2, part, nullptr), H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, part, nullptr);
    require(H5Dread(set, type, memory, space, H5P_DEFAULT, out.data()) >= 0, "'{}' cannot be read", name);
    return out;
  }
  std::vector<double> column(const char* name, std::uint64_t rows, std::uint64_t width) const {
    return column<double>(name, H5T_NATIVE_DOUBLE, rows, width);
  }

  void read_rows(Results& out, const FileState& now) const {
    const std::uint64_t rows = now.records;
    const RecordSizes sizes{out.header.coordinates.size(), out.header.constraints.size(), out.header.outputs.size()};
    const std::size_t n = sizes.coordinates, m = sizes.constraints, k = sizes.outputs, wide = 2 + 2 * n;
    out.t = column("t", rows, 1);
    out.q = column("q", rows, n);
    out.v = column("v", rows, n);
    out.lambda = column("lambda", rows, m);
    out.outputs = column("outputs", rows, k);
    out.energy = column("energy", rows, 2);
    out.residual = column("residual", rows, 2);
    out.newton = column<int>("newton", H5T_NATIVE_INT, rows, 1);
    out.events = column("events", now.events, wide);
    const auto sums = column<std::uint64_t>("record_sums", H5T_NATIVE_UINT64, rows, 1);
    const auto event_sums = column<std::uint64_t>("event_sums", H5T_NATIVE_UINT64, now.events, 1);
    for (std::size_t r = 0; r < rows; ++r)
      require(
          sums[r] == record_sum(r, sizes, &out.t[r], out.q.data() + r * n, out.v.data() + r * n, out.lambda.data() + r * m,
                                out.outputs.data() + r * k, &out.energy[2 * r], &out.residual[2 * r], out.newton[r]),
          "record {} (from 0) is not what was written: a byte has changed", r);
    for (std::size_t e = 0; e < now.events; ++e)
      require(event_sums[e] == event_sum(e, out.events.data() + e * wide, wide),
              "event {} (from 0) is not what was written: a byte has changed", e);
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

Results read(const std::string& path, bool rows) {
  quiet_hdf5();
  std::error_code trouble;
  require(std::filesystem::exists(path, trouble), "{}: there is no such file.", path);
  require(std::filesystem::is_regular_file(path, trouble), "{}: is not a file.", path);
  for (int attempt = 1;; ++attempt) {
    const bool written = FileLock::held(path);
    try {
      return Reader(path, written).read(rows);
    } catch (const InputError& error) {
      // What is being written may be caught half-way.
      if (!written || attempt == 3) throw InputError(message("{}: {}.", path, error.what()));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

}  // namespace

Results read_results(const std::string& path) { return read(path, true); }

Results read_results_summary(const std::string& path) { return read(path, false); }

}  // namespace taut
