#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <taut/model/sweep_record.hpp>
#include <taut/results/file_lock.hpp>

namespace taut {

/// A sweep in an HDF5 file.
///
/// Each group of numbers is one dataset with a row per run, all of the size that they will have from the beginning; rows are filled as runs finish. Its place is
/// decided when the file is made, so that files with the same numbers are equal byte for byte, whoever wrote them and in whatever order. Nothing but
/// numbers is written after that: a file whose writer was killed is whole, and the sum of each row says whether that row is. Rows that are not there yet take
/// no room on disk.
class SweepReader {
 public:
  /// Throws InputError if it is no file of a sweep, or damaged.
  explicit SweepReader(const std::string& path);
  ~SweepReader();
  SweepReader(SweepReader&&) noexcept;
  SweepReader& operator=(SweepReader&&) noexcept;

  const SweepHeader& header() const;
  bool done(long run) const;
  long done_count() const;
  std::vector<char> good() const;                                           ///< by run: there, and ended as was asked for
  SweepRow row(long run) const;                                             ///< of one that is done
  std::vector<double> column(std::size_t group, std::size_t number) const;  ///< by run

 private:
  friend class SweepFile;
  struct File;
  SweepReader();
  std::unique_ptr<File> file_;
};

/// Whether it is a file of a sweep; damaged or not.
bool is_sweep(const std::string& path);

struct SweepFileOptions {
  std::string path;
  bool resume = false;  ///< go on with what the file holds
  bool force = false;   ///< overwrite whatever is there
};

/// Writes one, alone: it holds the lock on it.
class SweepFile {
 public:
  /// Throws InputError if another process writes the file, if it holds something that must not be overwritten, or another sweep than the one to be resumed: the
  /// message says what differs.
  SweepFile(const SweepFileOptions& asked, const SweepHeader& header);
  ~SweepFile();
  SweepFile(const SweepFile&) = delete;
  SweepFile& operator=(const SweepFile&) = delete;

  bool done(long run) const { return reader_.done(run); }  ///< when it was opened
  void take(const SweepRow& row);                          ///< now or a little later
  void flush_now_and_then();                               ///< twice a second at most
  void flush();

 private:
  FileLock lock_;
  std::string path_;
  SweepReader reader_;
  std::vector<SweepRow> waiting_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

/// Joins shards of one sweep; returns how many runs are missing still.
long merge_sweeps(const std::vector<std::string>& from, const SweepFileOptions& to);

}  // namespace taut
