#include <hdf5.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <taut/base/require.hpp>
#include <taut/io/results.hpp>

namespace taut {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto flush_after = std::chrono::milliseconds(500);
constexpr std::size_t largest_buffer = 1u << 20;  // numbers
constexpr int most_states = 6;                    // of the past in a checkpoint
constexpr int front = 10;                         // numbers before the states of a checkpoint
constexpr std::size_t message_size = 2048;

/// An HDF5 handle that closes itself.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    reset();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
    return *this;
  }
  ~Handle() { reset(); }
  herr_t reset() {
    const hid_t id = std::exchange(id_, -1);
    return id >= 0 ? close_(id) : 0;
  }
  operator hid_t() const { return id_; }  // NOLINT: as HDF5 has it
  bool good() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// HDF5 must say nothing, and must not close at exit what was left open on purpose.
void quiet() {
  static const bool once = [] {
    H5dont_atexit();
    return true;
  }();
  (void)once;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle text_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/// Words as one dataset of strings of one length.
bool write_texts(hid_t file, const char* name, const std::vector<std::string>& words) {
  std::size_t length = 1;
  for (const std::string& word : words) length = std::max(length, word.size());
  std::string all(length * words.size(), '\0');
  for (std::size_t k = 0; k < words.size(); ++k)
    std::copy(words[k].begin(), words[k].end(), all.begin() + std::ptrdiff_t(k * length));
  const hsize_t size = words.size();
  const Handle type = text_type(length), space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  return set.good() && (words.empty() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0);
}

std::vector<std::string> read_texts(hid_t file, const char* name) {
  const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  require(set.good(), "no '{}' in it", name);
  const Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  const std::size_t length = H5Tget_size(type);
  const auto count = std::size_t(H5Sget_simple_extent_npoints(space));
  std::string all(length * count, '\0');
  if (count > 0) require(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0, "'{}' cannot be read", name);
  std::vector<std::string> words;
  for (std::size_t k = 0; k < count; ++k) {
    std::string word = all.substr(k * length, length);
    word.resize(std::strlen(word.c_str()));
    words.push_back(std::move(word));
  }
  return words;
}

/// Rows that grow: a dataset, and what was not written to it yet.
template <class Number> class Column {
 public:
  Column() = default;
  Column(hid_t file, const char* name, int width) : width_(width) {
    const hsize_t none[2] = {0, hsize_t(width)}, most[2] = {H5S_UNLIMITED, hsize_t(width)};
    const hsize_t chunk[2] = {std::clamp<hsize_t>(8192 / hsize_t(std::max(width, 1)), 1, 1024), hsize_t(std::max(width, 1))};
    const Handle space(H5Screate_simple(2, none, width > 0 ? most : most), H5Sclose);
    const Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(plan, 2, chunk);
    set_ = Handle(H5Dcreate2(file, name, type(), space, H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose);
  }
  bool good() const { return set_.good(); }
  std::size_t waiting() const { return rows_.size(); }
  void push(const Number* row) { rows_.insert(rows_.end(), row, row + width_); }

  bool write() {
    if (width_ == 0 || rows_.empty()) return true;
    const hsize_t count = rows_.size() / std::size_t(width_), w = hsize_t(width_);
    const hsize_t size[2] = {written_ + count, w}, from[2] = {written_, 0}, part[2] = {count, w};
    if (H5Dset_extent(set_, size) < 0) return false;
    const Handle file_space(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(2, part, nullptr), H5Sclose);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, from, nullptr, part, nullptr);
    if (H5Dwrite(set_, type(), memory, file_space, H5P_DEFAULT, rows_.data()) < 0) return false;
    if (H5Dflush(set_) < 0) return false;
    written_ += count;
    rows_.clear();
    return true;
  }
  hsize_t written() const { return written_; }

 private:
  static hid_t type() { return std::is_same_v<Number, int> ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE; }
  int width_ = 0;
  Handle set_;
  hsize_t written_ = 0;
  std::vector<Number> rows_;
};

template <class Number> std::vector<Number> read_column(hid_t file, const char* name, long rows, int width) {
  const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  require(set.good(), "no '{}' in it", name);
  const Handle space(H5Dget_space(set), H5Sclose);
  hsize_t size[2] = {0, 0};
  require(H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, nullptr) == 2 &&
              size[1] == hsize_t(width) && (rows < 0 || width == 0 || size[0] >= hsize_t(rows)),
          "'{}' has not the size it should have", name);
  const hsize_t part[2] = {width == 0 ? 0 : (rows < 0 ? size[0] : hsize_t(rows)), hsize_t(width)}, from[2] = {0, 0};
  const std::size_t numbers = std::size_t(part[0]) * std::size_t(width);
  std::vector<Number> out(numbers);
  if (out.empty()) return out;
  const Handle memory(H5Screate_simple(2, part, nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, part, nullptr);
  const hid_t type = std::is_same_v<Number, int> ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
  require(H5Dread(set, type, memory, space, H5P_DEFAULT, out.data()) >= 0, "'{}' cannot be read", name);
  return out;
}

/// A sum over the bytes, so that a half-written checkpoint is not taken for a whole one. FNV-1a.
double checksum(const std::vector<double>& numbers) {
  std::uint64_t sum = 1469598103934665603ull;
  for (const double number : numbers) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    sum = (sum ^ bits) * 1099511628211ull;
  }
  return double(sum >> 12);
}

struct Sizes {
  int n, m;
  int state() const { return 3 + 3 * n + m + 2 * n; }  // t, lengths of p and carried; q v p, lambda, carried
  int checkpoint() const { return front + most_states * state() + 1; }
};

void pack(const State& state, const Sizes& sizes, std::vector<double>& out) {
  const std::size_t end = out.size() + std::size_t(sizes.state());
  require(state.carried.size() <= 2 * sizes.n, "results: the scheme carries {} numbers, more than a checkpoint holds.",
          state.carried.size());
  out.push_back(state.t);
  out.push_back(double(state.p.size()));
  out.push_back(double(state.carried.size()));
  for (const Vector* part : {&state.q, &state.v, &state.p, &state.lambda, &state.carried})
    out.insert(out.end(), part->begin(), part->end());
  out.resize(end, 0.0);
}

State unpack(const double* from, const Sizes& sizes) {
  State state;
  state.t = from[0];
  const auto p = Eigen::Index(from[1]), carried = Eigen::Index(from[2]);
  from += 3;
  const auto take = [&](Vector& part, Eigen::Index size) {
    part = Eigen::Map<const Vector>(from, size);
    from += size;
  };
  take(state.q, sizes.n);
  take(state.v, sizes.n);
  take(state.p, p);
  take(state.lambda, sizes.m);
  take(state.carried, carried);
  return state;
}

Handle scalar_set(hid_t file, const char* name, hid_t type) {
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  return {H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose};
}

}  // namespace

struct ResultsWriter::File {
  std::string path;
  Sizes sizes{};
  Handle file;
  Column<double> t, q, v, lambda, outputs, energy, residual, events;
  Column<int> newton;
  Handle records, verdict, finished, message, checkpoint;
  long count = 0, event_count = 0, sequence = 0;
  Clock::time_point flushed = Clock::now();
  bool failed = false;

  void check(bool good) {
    failed = failed || !good;
    if (!good) throw std::runtime_error(taut::message("'{}' could not be written; is the disk full?", path));
  }
  /// Rows first, then their number: what the number promises is there.
  void write_rows() {
    check(t.write() && q.write() && v.write() && lambda.write() && outputs.write() && energy.write() && residual.write() &&
          newton.write() && events.write());
    check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    const long long number = count;
    check(H5Dwrite(records, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number) >= 0);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    flushed = Clock::now();
  }
};

ResultsWriter::ResultsWriter(const std::string& path, const ResultsHeader& header) : file_(std::make_unique<File>()) {
  quiet();
  File& f = *file_;
  f.path = path;
  f.sizes = {int(header.coordinates.size()), int(header.constraints.size())};
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  f.file = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  require(f.file.good(), "results: '{}' cannot be written.", path);
  const int n = f.sizes.n, m = f.sizes.m, k = int(header.outputs.size());
  bool good =
      write_texts(f.file, "model", {header.model_text}) &&
      write_texts(f.file, "header",
                  {header.version, header.model_path, header.name, header.integrator, header.solver, header.options}) &&
      write_texts(f.file, "coordinates", header.coordinates) && write_texts(f.file, "constraints", header.constraints) &&
      write_texts(f.file, "output_names", header.outputs);
  f.t = Column<double>(f.file, "t", 1);
  f.q = Column<double>(f.file, "q", n);
  f.v = Column<double>(f.file, "v", n);
  f.lambda = Column<double>(f.file, "lambda", m);
  f.outputs = Column<double>(f.file, "outputs", k);
  f.energy = Column<double>(f.file, "energy", 2);
  f.residual = Column<double>(f.file, "residual", 2);
  f.newton = Column<int>(f.file, "newton", 1);
  f.events = Column<double>(f.file, "events", 2 + 2 * n);
  f.records = scalar_set(f.file, "records", H5T_NATIVE_LLONG);
  f.verdict = scalar_set(f.file, "verdict", H5T_NATIVE_INT);
  f.finished = scalar_set(f.file, "finished", H5T_NATIVE_INT);
  const Handle type = text_type(message_size);
  f.message = scalar_set(f.file, "message", type);
  const hsize_t slots[2] = {2, hsize_t(f.sizes.checkpoint())};
  const Handle space(H5Screate_simple(2, slots, nullptr), H5Sclose);
  f.checkpoint =
      Handle(H5Dcreate2(f.file, "checkpoint", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  good = good && f.t.good() && f.q.good() && f.v.good() && f.events.good() && f.records.good() && f.verdict.good() &&
         f.finished.good() && f.message.good() && f.checkpoint.good();
  const std::vector<double> nothing(2 * std::size_t(f.sizes.checkpoint()), 0.0);
  const long long zero = 0;
  const int no = 0;
  const std::string running = [] {
    std::string text = "the run did not end";
    text.resize(message_size, '\0');
    return text;
  }();
  good = good && H5Dwrite(f.checkpoint, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, nothing.data()) >= 0 &&
         H5Dwrite(f.records, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &zero) >= 0 &&
         H5Dwrite(f.verdict, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &no) >= 0 &&
         H5Dwrite(f.finished, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &no) >= 0 &&
         H5Dwrite(f.message, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, running.data()) >= 0;
  good = good && H5Fflush(f.file, H5F_SCOPE_GLOBAL) >= 0 && H5Fstart_swmr_write(f.file) >= 0;
  f.check(good);
}

// After a failed write the file is left as it is: what was flushed can be read, while closing would write more, promise rows that are
// not there, and crash in HDF5.
ResultsWriter::~ResultsWriter() {
  if (file_->failed) static_cast<void>(file_.release());
}

void ResultsWriter::append(const Row& row) {
  File& f = *file_;
  f.t.push(&row.t);
  f.q.push(row.q);
  f.v.push(row.v);
  f.lambda.push(row.lambda);
  f.outputs.push(row.outputs);
  const std::array<double, 2> energy{row.kinetic, row.potential}, residual{row.position_residual, row.velocity_residual};
  f.energy.push(energy.data());
  f.residual.push(residual.data());
  f.newton.push(&row.newton);
  ++f.count;
  if (f.q.waiting() >= largest_buffer || f.t.waiting() >= 4096 || Clock::now() - f.flushed >= flush_after) f.write_rows();
}

void ResultsWriter::event(int which, double t, const Vector& q, const Vector& v) {
  std::vector<double> row{double(which), t};
  row.insert(row.end(), q.begin(), q.end());
  row.insert(row.end(), v.begin(), v.end());
  file_->events.push(row.data());
  ++file_->event_count;
}

void ResultsWriter::checkpoint(const Checkpoint& point, const std::vector<double>&) {
  File& f = *file_;
  f.write_rows();
  const int size = f.sizes.checkpoint();
  require(int(point.earlier.size()) < most_states,
          "results: the scheme needs {} states of the past, more than a checkpoint holds.", point.earlier.size());
  std::vector<double> row{double(++f.sequence),
                          double(point.step),
                          double(f.count),
                          double(f.event_count),
                          0.0,
                          0.0,
                          0.0,
                          0.0,
                          double(point.earlier.size()),
                          0.0};
  std::copy_n(point.control.begin(), std::min<std::size_t>(point.control.size(), 4), row.begin() + 4);
  for (const State& state : point.earlier) pack(state, f.sizes, row);
  pack(point.last, f.sizes, row);
  row.resize(std::size_t(size) - 1, 0.0);
  row.push_back(checksum(row));
  // The two slots take turns: one of them is always whole.
  const hsize_t from[2] = {hsize_t(f.sequence % 2), 0}, part[2] = {1, hsize_t(size)};
  const Handle space(H5Dget_space(f.checkpoint), H5Sclose), memory(H5Screate_simple(2, part, nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, part, nullptr);
  f.check(H5Dwrite(f.checkpoint, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row.data()) >= 0);
  f.check(H5Fflush(f.file, H5F_SCOPE_GLOBAL) >= 0);
}

void ResultsWriter::flush() { file_->write_rows(); }

void ResultsWriter::finish(Verdict verdict, const std::string& message) {
  File& f = *file_;
  f.write_rows();
  std::string text = message.substr(0, message_size - 1);
  text.resize(message_size, '\0');
  const int code = 1 + int(verdict), yes = good(verdict) ? 1 : 0;
  const Handle type = text_type(message_size);
  f.check(H5Dwrite(f.message, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0 &&
          H5Dwrite(f.verdict, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &code) >= 0 &&
          H5Dwrite(f.finished, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &yes) >= 0 &&
          H5Fflush(f.file, H5F_SCOPE_GLOBAL) >= 0);
  const std::string path = f.path;
  File closed;
  closed.path = path;
  Handle file = std::move(f.file);
  file_ = std::make_unique<File>();  // closes the datasets, which the file waits for
  closed.check(file.reset() >= 0);
}

Results read_results(const std::string& path) {
  quiet();
  std::error_code trouble;
  require(std::filesystem::exists(path, trouble), "{}: there is no such file.", path);
  // A file whose writer was killed still says that it is being written.
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT), H5Fclose);
  if (!file.good()) file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require(file.good(), "{}: is not an HDF5 file, or a broken one.", path);
  try {
    Results out;
    const std::vector<std::string> words = read_texts(file, "header"), model = read_texts(file, "model");
    require(words.size() == 6 && model.size() == 1, "its header is not that of a results file");
    out.header = {words[0],
                  words[1],
                  model[0],
                  words[2],
                  words[3],
                  words[4],
                  words[5],
                  read_texts(file, "coordinates"),
                  read_texts(file, "constraints"),
                  read_texts(file, "output_names")};
    const auto scalar = [&](const char* name, hid_t type, void* into) {
      const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
      require(set.good() && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into) >= 0, "no '{}' in it", name);
    };
    long long records = 0;
    int verdict = 0;
    scalar("records", H5T_NATIVE_LLONG, &records);
    scalar("verdict", H5T_NATIVE_INT, &verdict);
    out.records = long(records);
    if (verdict >= 1 && verdict <= 4) out.verdict = Verdict(verdict - 1);
    out.message = read_texts(file, "message").at(0);
    const Sizes sizes{int(out.header.coordinates.size()), int(out.header.constraints.size())};
    out.t = read_column<double>(file, "t", out.records, 1);
    out.q = read_column<double>(file, "q", out.records, sizes.n);
    out.v = read_column<double>(file, "v", out.records, sizes.n);
    out.lambda = read_column<double>(file, "lambda", out.records, sizes.m);
    out.outputs = read_column<double>(file, "outputs", out.records, int(out.header.outputs.size()));
    out.energy = read_column<double>(file, "energy", out.records, 2);
    out.residual = read_column<double>(file, "residual", out.records, 2);
    out.newton = read_column<int>(file, "newton", out.records, 1);
    out.events = read_column<double>(file, "events", -1, 2 + 2 * sizes.n);

    const Handle set(H5Dopen2(file, "checkpoint", H5P_DEFAULT), H5Dclose);
    const std::size_t width = std::size_t(sizes.checkpoint());
    std::vector<double> slots(2 * width);
    require(set.good() && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, slots.data()) >= 0,
            "no 'checkpoint' in it");
    double newest = 0.0;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::vector<double> row(slots.begin() + std::ptrdiff_t(k * width),
                                    slots.begin() + std::ptrdiff_t((k + 1) * width) - 1);
      if (!(row[0] > newest) || checksum(row) != slots[(k + 1) * width - 1] || row[2] > double(out.records)) continue;
      newest = row[0];
      Checkpoint point{.step = long(row[1]), .last = {}, .earlier = {}, .control = {row[4], row[5], row[6], row[7]}};
      const auto states = std::size_t(row[8]);
      for (std::size_t i = 0; i < states; ++i)
        point.earlier.push_back(unpack(row.data() + front + i * std::size_t(sizes.state()), sizes));
      point.last = unpack(row.data() + front + states * std::size_t(sizes.state()), sizes);
      out.checkpoint = std::move(point);
      out.checkpoint_records = long(row[2]);
      out.checkpoint_events = long(row[3]);
    }
    return out;
  } catch (const InputError& error) {
    throw InputError(message("{}: {}.", path, error.what()));
  }
}

}  // namespace taut
