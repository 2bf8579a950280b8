#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <taut/base/require.hpp>
#include <taut/results/checkpoint_numbers.hpp>
#include <taut/results/hdf5_handle.hpp>
#include <taut/results/output_file.hpp>
#include <taut/results/results.hpp>
#include <taut/results/scene_text.hpp>

namespace taut {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto flush_after = std::chrono::milliseconds(500);
constexpr std::size_t largest_buffer = 1u << 20;  // numbers

Handle text_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool write_sum(hid_t set, std::uint64_t sum) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(set, sum_name, H5T_NATIVE_UINT64, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.good() && H5Awrite(attribute, H5T_NATIVE_UINT64, &sum) >= 0;
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
  return set.good() && (words.empty() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0) &&
         write_sum(set, Checksum().add(all).value());
}

template <class Number> hid_t native() {
  if constexpr (std::is_same_v<Number, int>) return H5T_NATIVE_INT;
  if constexpr (std::is_same_v<Number, std::uint64_t>) return H5T_NATIVE_UINT64;
  return H5T_NATIVE_DOUBLE;
}

/// Rows that grow: a dataset, and what was not written to it yet.
///
/// Without HDF5's own sums (Fletcher32): those are of chunks, and a run that is killed while it writes a chunk again would take the rows before
/// with it. Ours are of rows.
template <class Number> class Column {
 public:
  Column() = default;
  Column(hid_t file, const char* name, int width) : width_(width) {
    const hsize_t none[2] = {0, hsize_t(width)}, most[2] = {H5S_UNLIMITED, hsize_t(width)};
    const hsize_t chunk[2] = {std::clamp<hsize_t>(8192 / hsize_t(std::max(width, 1)), 1, 1024), hsize_t(std::max(width, 1))};
    const Handle space(H5Screate_simple(2, none, most), H5Sclose);
    const Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(plan, 2, chunk);
    set_ = Handle(H5Dcreate2(file, name, native<Number>(), space, H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose);
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
    if (H5Dwrite(set_, native<Number>(), memory, file_space, H5P_DEFAULT, rows_.data()) < 0) return false;
    if (H5Dflush(set_) < 0) return false;
    written_ += count;
    rows_.clear();
    return true;
  }

 private:
  int width_ = 0;
  Handle set_;
  hsize_t written_ = 0;
  std::vector<Number> rows_;
};

/// A list of numbers that is replaced as a whole and may grow. It never shrinks; its first number says how many count.
class Slot {
 public:
  Slot() = default;
  Slot(hid_t file, const char* name, hsize_t chunk) {
    const hsize_t none = 0, most = H5S_UNLIMITED;
    const Handle space(H5Screate_simple(1, &none, &most), H5Sclose), plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(plan, 1, &chunk);
    set_ = Handle(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose);
  }
  bool good() const { return set_.good(); }

  bool write(const std::vector<double>& numbers) {
    const hsize_t count = numbers.size(), from = 0;
    if (count > size_ && H5Dset_extent(set_, &count) < 0) return false;
    size_ = std::max(size_, count);
    const Handle file_space(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &from, nullptr, &count, nullptr);
    return H5Dwrite(set_, H5T_NATIVE_DOUBLE, memory, file_space, H5P_DEFAULT, numbers.data()) >= 0 && H5Dflush(set_) >= 0;
  }

 private:
  Handle set_;
  hsize_t size_ = 0;
};

/// A text that is written once, at the end.
class Letters {
 public:
  Letters() = default;
  Letters(hid_t file, const char* name) {
    const hsize_t none = 0, most = H5S_UNLIMITED, chunk = 4096;
    const Handle space(H5Screate_simple(1, &none, &most), H5Sclose), plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(plan, 1, &chunk);
    set_ = Handle(H5Dcreate2(file, name, H5T_NATIVE_UCHAR, space, H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose);
  }
  bool good() const { return set_.good(); }
  bool write(const std::string& text) {
    const hsize_t count = text.size();
    return H5Dset_extent(set_, &count) >= 0 &&
           H5Dwrite(set_, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0 && H5Dflush(set_) >= 0;
  }

 private:
  Handle set_;
};

/// A dataset of one value, or a few, that are written at once.
class Cell {
 public:
  Cell() = default;
  Cell(hid_t file, const char* name, hid_t type, hsize_t count = 1) : type_(H5Tcopy(type), H5Tclose) {
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    set_ = Handle(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  }
  bool write(const void* value) { return set_.good() && H5Dwrite(set_, type_, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0; }
  bool write(std::string text, std::size_t size) {
    text.resize(size - 1);
    text.resize(size, '\0');
    return write(text.data());
  }

 private:
  Handle set_, type_;
};

}  // namespace

struct ResultsWriter::File {
  std::string path;
  RecordSizes sizes{};
  Handle file;
  Column<double> t, q, v, lambda, outputs, energy, residual, tracks, step, events;
  Column<int> newton;
  Column<std::uint64_t> record_sums, event_sums;
  Cell records, verdict, finished, message, state;
  std::array<Slot, 2> slots;
  Letters certificate;
  FileState now;
  long sequence = 0;
  Clock::time_point flushed = Clock::now();
  bool failed = false;

  void check(bool good) {
    failed = failed || !good;
    if (!good) throw std::runtime_error(taut::message("'{}' could not be written; is the disk full?", path));
  }
  bool flush() { return H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0; }
  bool write_state() {
    const auto number = static_cast<long long>(now.records);
    now.sum = now.own_sum();
    return records.write(&number) && state.write(&now);
  }
  bool write_message(const std::string& text) {
    const std::string kept = text.substr(0, message_size - 1);
    now.message = Checksum().add(kept).value();
    return message.write(kept, message_size);
  }
  /// Rows first, then their number: what the number promises is there.
  void write_rows() {
    check(t.write() && q.write() && v.write() && lambda.write() && outputs.write() && energy.write() && residual.write() &&
          newton.write() && tracks.write() && step.write() && events.write() && record_sums.write() && event_sums.write());
    check(flush() && write_state() && flush());
    flushed = Clock::now();
  }
  bool make_columns() {
    const int n = int(sizes.coordinates), m = int(sizes.constraints), k = int(sizes.outputs);
    t = Column<double>(file, "t", 1);
    q = Column<double>(file, "q", n);
    v = Column<double>(file, "v", n);
    lambda = Column<double>(file, "lambda", m);
    outputs = Column<double>(file, "outputs", k);
    energy = Column<double>(file, "energy", 2);
    residual = Column<double>(file, "residual", 2);
    newton = Column<int>(file, "newton", 1);
    tracks = Column<double>(file, "tracks", int(sizes.tracks));
    step = Column<double>(file, "step", 1);
    events = Column<double>(file, "events", 2 + 2 * n);
    record_sums = Column<std::uint64_t>(file, "record_sums", 1);
    event_sums = Column<std::uint64_t>(file, "event_sums", 1);
    return t.good() && q.good() && v.good() && lambda.good() && outputs.good() && energy.good() && residual.good() &&
           newton.good() && tracks.good() && step.good() && events.good() && record_sums.good() && event_sums.good();
  }
  bool make_cells() {
    const Handle message_type = text_type(message_size), verdict_type = text_type(verdict_size);
    records = Cell(file, "records", H5T_NATIVE_LLONG);
    verdict = Cell(file, "verdict", verdict_type);
    finished = Cell(file, "finished", H5T_NATIVE_INT);
    message = Cell(file, "message", message_type);
    state = Cell(file, "state", H5T_NATIVE_UINT64, state_words);
    // Most checkpoints fit into one chunk of this: a few states.
    const hsize_t chunk = std::clamp<hsize_t>(32 * sizes.coordinates, 256, 65'536);
    certificate = Letters(file, "certificate");
    slots = {Slot(file, "checkpoint_0", chunk), Slot(file, "checkpoint_1", chunk)};
    const int no = 0;
    return slots[0].good() && slots[1].good() && certificate.good() && verdict.write("running", verdict_size) &&
           finished.write(&no) && write_message("the run did not end") && write_state();
  }
};

ResultsWriter::ResultsWriter(const std::string& path, const RunHeader& header, const std::string& shown)
    : file_(std::make_unique<File>()) {
  quiet_hdf5();
  File& f = *file_;
  f.path = shown.empty() ? path : shown;
  f.sizes = {header.coordinates.size(), header.constraints.size(), header.outputs.size(), header.scene.track_numbers(),
             true};
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  f.file = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  require(f.file.good(), "results: '{}' cannot be written.", f.path);
  f.check(write_texts(f.file, "model", {header.model_text}) &&
          write_texts(f.file, "header",
                      {header.version, header.model_path, header.name, header.integrator, header.solver, header.options,
                       exact(header.until)}) &&
          write_texts(f.file, "coordinates", header.coordinates) && write_texts(f.file, "constraints", header.constraints) &&
          write_texts(f.file, "output_names", header.outputs) && write_texts(f.file, "event_names", header.events) &&
          write_texts(f.file, "scene", {scene_text(header.scene)}) && f.make_columns() && f.make_cells() && f.flush() &&
          H5Fstart_swmr_write(f.file) >= 0);
}

// After a failed write the file is left as it is: what was flushed can be read, while closing would write more, promise rows that are
// not there, and crash in HDF5.
ResultsWriter::~ResultsWriter() {
  if (file_->failed) static_cast<void>(file_.release());
}

void ResultsWriter::append(const Record& row) {
  File& f = *file_;
  const std::array<double, 2> energy{row.kinetic, row.potential}, residual{row.position_residual, row.velocity_residual};
  const std::uint64_t sum = record_sum(f.now.records, f.sizes, &row.t, row.q, row.v, row.lambda, row.outputs, energy.data(),
                                       residual.data(), row.newton, row.tracks, &row.step);
  f.t.push(&row.t);
  f.q.push(row.q);
  f.v.push(row.v);
  f.lambda.push(row.lambda);
  f.outputs.push(row.outputs);
  f.energy.push(energy.data());
  f.residual.push(residual.data());
  f.newton.push(&row.newton);
  f.tracks.push(row.tracks);
  f.step.push(&row.step);
  f.record_sums.push(&sum);
  ++f.now.records;
  if (f.q.waiting() >= largest_buffer || f.t.waiting() >= 4096 || Clock::now() - f.flushed >= flush_after) f.write_rows();
}

void ResultsWriter::event(int which, double t, const Vector& q, const Vector& v) {
  std::vector<double> row{double(which), t};
  row.insert(row.end(), q.begin(), q.end());
  row.insert(row.end(), v.begin(), v.end());
  const std::uint64_t sum = event_sum(file_->now.events, row.data(), row.size());
  file_->events.push(row.data());
  file_->event_sums.push(&sum);
  ++file_->now.events;
}

ResultsWriter::Place ResultsWriter::place() const { return {long(file_->now.records), long(file_->now.events)}; }

void ResultsWriter::checkpoint(const Checkpoint& point, const std::vector<double>& certificate, Place at) {
  File& f = *file_;
  f.write_rows();
  // Length, place, certificate, checkpoint, sum.
  std::vector<double> row{0.0, double(++f.sequence), double(at.records), double(at.events), double(certificate.size())};
  row.insert(row.end(), certificate.begin(), certificate.end());
  const std::vector<double> numbers = to_numbers(point);
  row.insert(row.end(), numbers.begin(), numbers.end());
  row[0] = double(row.size() + 1);
  row.push_back(std::bit_cast<double>(Checksum().add(row.data(), row.size()).value()));
  // The two slots take turns: one of them is always whole.
  f.check(f.slots[std::size_t(f.sequence % 2)].write(row) && f.flush());
}

void ResultsWriter::certify(const std::string& certificate) {
  File& f = *file_;
  std::array<char, 17> sum{};
  std::snprintf(sum.data(), sum.size(), "%016llx", static_cast<unsigned long long>(Checksum().add(certificate).value()));
  f.check(f.certificate.write(certificate + sum.data()) && f.flush());
}

void ResultsWriter::flush() { file_->write_rows(); }

void ResultsWriter::finish(Verdict verdict, const std::string& message, bool finished) {
  File& f = *file_;
  f.write_rows();
  const int yes = finished ? 1 : 0;
  f.now.verdict = 1 + std::uint64_t(verdict);
  f.now.finished = std::uint64_t(yes);
  f.check(f.write_message(message) && f.verdict.write(name_of(verdict), verdict_size) && f.finished.write(&yes) &&
          f.flush() && f.write_state() && f.flush());
  const std::string path = f.path;
  File closed;
  closed.path = path;
  Handle file = std::move(f.file);
  file_ = std::make_unique<File>();  // closes the datasets, which the file waits for
  closed.check(file.reset() >= 0);
}

}  // namespace taut
