#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <taut/base/decimal.hpp>
#include <taut/base/require.hpp>

namespace taut {

/// The shortest text that reads back as the same number.
inline std::string exact(double value) {
  std::array<char, 32> text;
  return {text.data(), to_decimal(text.data(), text.data() + text.size(), value).ptr};
}

/// A file that must be whole in the end: written beside its place and moved there.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)), part_(path_ + ".part"), out_(part_, std::ios::binary) {
    require(out_.good(), "'{}' cannot be written.", path_);
  }
  ~OutputFile() {
    std::error_code none;
    if (!finished_) std::filesystem::remove(part_, none);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ofstream& stream() { return out_; }
  void finish() {
    out_.close();
    std::error_code trouble;
    if (out_.good()) std::filesystem::rename(part_, path_, trouble);
    if (!out_.good() || trouble) throw std::runtime_error(message("'{}' could not be written; is the disk full?", path_));
    finished_ = true;
  }

 private:
  std::string path_, part_;
  std::ofstream out_;
  bool finished_ = false;
};

}  // namespace taut
