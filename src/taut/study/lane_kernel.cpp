#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <taut/base/require.hpp>
#include <taut/study/lane_kernel.hpp>
#include <vector>

extern char** environ;

namespace taut {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> compile_options{"-std=c++17",         "-O3", "-march=native", "-fno-math-errno",
                                               "-fno-trapping-math", "-w",  "-fPIC",         "-shared"};

/// What the processor is: code for one is not code for another.
std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  return {};
}

/// Runs a program with its words into a file; returns its exit code, or 127 where there is none such.
int run_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int trouble = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (trouble != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::vector<std::string> compilers() {
  if (const char* given = std::getenv("CXX"); given != nullptr && *given != '\0') return {given};
  return {"g++", "c++", "clang++"};
}

void compile(const std::string& code, const fs::path& library) {
  const fs::path work = library.string() + "." + std::to_string(getpid());
  const std::string source = work.string() + ".cpp", made = work.string() + ".so", words = work.string() + ".txt";
  const auto clean = [&] {
    std::error_code none;
    for (const std::string& one : {source, made, words}) fs::remove(one, none);
  };
  std::ofstream(source) << code;
  int exit_code = 127;
  std::string last;
  for (const std::string& compiler : compilers()) {
    std::vector<std::string> command{compiler};
    command.insert(command.end(), compile_options.begin(), compile_options.end());
    for (const char* word : {"-o"}) command.emplace_back(word);
    command.insert(command.end(), {made, source, "-lmvec", "-lm"});
    exit_code = run_program(command, words);
    last = compiler;
    if (exit_code != 127) break;
  }
  std::error_code trouble;
  if (exit_code == 0) fs::rename(made, library, trouble);
  std::ifstream in(words);
  const std::string said(std::istreambuf_iterator<char>(in), {});
  clean();
  require(exit_code != 127,
          "there is no compiler: neither g++ nor clang++ was found (nor $CXX); install one, or take --engine general");
  const std::size_t error = said.find("error: ");
  const std::string first = said.substr(error == std::string::npos ? 0 : error);
  require(exit_code == 0 && !trouble, "{} did not take the code of the lanes: {}", last,
          first.substr(0, std::min<std::size_t>(first.find('\n'), 300)));
}

}  // namespace

std::string content_name(const std::string& text) {
  std::uint64_t a = 1469598103934665603ull, b = 0x9e3779b97f4a7c15ull;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    b = (b + static_cast<unsigned char>(c)) * 0xd6e8feb86659fd93ull;
    b ^= b >> 32;
  }
  std::array<char, 40> name;
  std::snprintf(name.data(), name.size(), "%016llx%016llx", static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b));
  return name.data();
}

std::string LaneKernel::folder() {
  const auto variable = [](const char* name) {
    const char* found = std::getenv(name);
    return std::string(found != nullptr ? found : "");
  };
  if (const std::string own = variable("TAUT_CACHE"); !own.empty()) return own;
  if (const std::string all = variable("XDG_CACHE_HOME"); !all.empty()) return all + "/taut";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/taut";
  return (fs::temp_directory_path() / ("taut-" + std::to_string(getuid()))).string();
}

LaneKernel::LaneKernel(const std::string& code) {
  std::string key = code + processor();
  for (const std::string& option : compile_options) key += option;
  std::error_code trouble;
  fs::create_directories(folder(), trouble);
  require(!trouble, "the folder '{}' for compiled code cannot be made; set TAUT_CACHE to another", folder());
  const fs::path library = fs::path(folder()) / (content_name(key) + ".so");
  if (!fs::exists(library, trouble)) {
    const auto begin = std::chrono::steady_clock::now();
    compile(code, library);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  require(library_ != nullptr, "the compiled code '{}' cannot be loaded; remove it", library.string());
  run_ = reinterpret_cast<Function>(dlsym(library_, "taut_lanes"));
  const auto count = reinterpret_cast<int (*)()>(dlsym(library_, "taut_lane_count"));
  require(run_ != nullptr && count != nullptr, "the compiled code '{}' is not what it should be; remove it",
          library.string());
  lanes_ = count();
}

LaneKernel::~LaneKernel() {
  if (library_ != nullptr) dlclose(library_);
}

}  // namespace taut
