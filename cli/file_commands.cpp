#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <taut/results/export.hpp>
#include <taut/results/results.hpp>

#include "command_tools.hpp"

namespace taut::cli {

int convert(const std::string& from, const std::string& to) {
  export_results(read_results(from), to);
  return ok;
}

int init(const std::string& path) {
  require(!std::filesystem::exists(path), "init: '{}' exists already; it is not overwritten.", path);
  write_starter(path);
  fmt::print("{} is written; try: taut run {}\n", path, path);
  return ok;
}

std::vector<std::pair<std::string, std::string>> cases() {
  namespace fs = std::filesystem;
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code trouble;
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  for (const fs::path& folder : {fs::path("cases"), program.parent_path() / ".." / "share" / "taut" / "cases"}) {
    if (!fs::is_directory(folder, trouble)) continue;
    for (const auto& entry : fs::directory_iterator(folder, trouble)) {
      if (entry.path().extension() != ".yaml") continue;
      try {
        found.emplace_back(entry.path().lexically_normal().string(), read_model(entry.path().string(), {}, false).name);
      } catch (const InputError& error) {
        found.emplace_back(entry.path().lexically_normal().string(), error.what());
      }
    }
    break;
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace taut::cli
