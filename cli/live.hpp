#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace taut::cli {

/// Serves the page of a run while it goes on, from a process of its own: results files are read as they grow, and HDF5 knows no threads.
///
/// It listens on 127.0.0.1 alone, on a port that was free, and answers requests that name it by that address and know a random word. It serves the page and
/// the data of this one run, and ends with it.
class LiveServer {
 public:
  /// Throws std::runtime_error where it cannot listen.
  explicit LiveServer(const std::string& results);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  const std::string& address() const { return address_; }

  /// The run is over: waits until somebody who watches has got the end of it, a few seconds at most.
  void finish();

 private:
  std::string address_;
  pid_t child_ = -1;
  std::atomic<bool>* watched_ = nullptr;  // shared with the child: somebody has the page
};

}  // namespace taut::cli
