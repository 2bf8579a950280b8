#pragma once

#include <string>

namespace taut {

/// The right to write a file, for one process at a time: a lock of the operating system on FILE.lock beside it, which holds the holder's name.
///
/// The lock dies with its process, so that what a killed one leaves blocks nobody. It lies beside the file and not on it: the file is
/// replaced by another when a run is resumed, and HDF5 has locks of its own on it.
class FileLock {
 public:
  /// Throws InputError that names the holder if there is one, or if nothing can be written there.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Whether a living process holds it.
  static bool held(const std::string& path);

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace taut
