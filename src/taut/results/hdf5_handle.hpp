#pragma once

#include <hdf5.h>

#include <taut/results/checksum.hpp>
#include <utility>

/// What the writer and the reader of results share.
namespace taut {

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
inline void quiet_hdf5() {
  static const bool once = [] {
    H5dont_atexit();
    return true;
  }();
  (void)once;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// The sum of one record; its number is in it, so that rows cannot change places.
struct RecordSizes {
  std::size_t coordinates, constraints, outputs, tracks = 0;
  bool steps = false;  ///< files of earlier versions have none
};
inline std::uint64_t record_sum(std::uint64_t number, const RecordSizes& sizes, const double* t, const double* q,
                                const double* v, const double* lambda, const double* outputs, const double* energy,
                                const double* residual, int newton, const double* tracks, const double* step) {
  return Checksum()
      .add(number)
      .add(t, 1)
      .add(q, sizes.coordinates)
      .add(v, sizes.coordinates)
      .add(lambda, sizes.constraints)
      .add(outputs, sizes.outputs)
      .add(energy, 2)
      .add(residual, 2)
      .add(std::uint64_t(std::int64_t(newton)))
      .add(tracks, sizes.tracks)
      .add(step, sizes.steps ? 1 : 0)
      .value();
}
inline std::uint64_t event_sum(std::uint64_t number, const double* row, std::size_t width) {
  return Checksum().add(number).add(row, width).value();
}

/// The dataset `state`: what is true of the file at the moment, in one piece that is written at once. The datasets `records`, `verdict`,
/// `finished` and `message` say the same for other readers and are written before it.
struct FileState {
  std::uint64_t records = 0, events = 0;
  std::uint64_t verdict = 0;  ///< 0: none yet, otherwise 1 + it
  std::uint64_t finished = 0;
  std::uint64_t message = 0;  ///< sum of the text
  std::uint64_t sum = 0;
  std::uint64_t own_sum() const {
    return Checksum().add(records).add(events).add(verdict).add(finished).add(message).value();
  }
};
static_assert(sizeof(FileState) == 48);
constexpr hsize_t state_words = 6;

constexpr std::size_t message_size = 2048, verdict_size = 16;
constexpr const char* sum_name = "checksum";  ///< attribute of texts, whose header HDF5 guards itself

}  // namespace taut
