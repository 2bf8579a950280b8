#pragma once

#include <string>
#include <vector>

namespace taut::cli {

/// Runs a program by its name, without a shell; its standard output goes to a file, or stays ours if there is none; what it says besides is dropped where
/// `quiet`. Returns its exit code, 127 where there is no such program.
int run_child(const std::vector<std::string>& command, const std::string& output = {}, bool quiet = true);

/// A folder of our own for a while.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace taut::cli
