#include "sweep_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/study/lane_kernel.hpp>
#include <thread>
#include <tuple>

#include "command_tools.hpp"

namespace taut::cli {
namespace {

namespace fs = std::filesystem;

std::string stem_of(const std::string& path) {
  const fs::path whole(path);
  return (whole.parent_path() / whole.stem()).string();
}

/// Files beside the results with this beginning and end.
std::vector<std::string> beside(const std::string& path, const std::string& end) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string begin = fs::path(stem_of(path)).filename().string() + ".";
  std::vector<std::string> out;
  std::error_code none;
  for (const fs::directory_entry& one : fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    const std::string name = one.path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) out.push_back((folder / name).string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool same_sweep(const SweepHeader& a, const SweepHeader& b) {
  return a.settings == b.settings && a.model_text == b.model_text && a.runs == b.runs;
}

/// Adds the runs that a file holds; false where there is no such file of this sweep.
bool add_done(const std::string& path, const SweepHeader& header, std::vector<char>& done) {
  try {
    const SweepReader file(path);
    if (!same_sweep(file.header(), header)) return false;
    for (long run = 0; run < header.runs; ++run)
      if (file.done(run)) done[std::size_t(run)] = 1;
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Parts of this sweep, of whatever number of processes.
std::vector<std::string> parts_there(const std::string& path) {
  std::vector<std::string> out;
  for (const std::string& one : beside(path, ".h5"))
    if (one.find("-of-", stem_of(path).size()) != std::string::npos) out.push_back(one);
  return out;
}

}  // namespace

Shard shard_of_rank() {
  for (const auto& [rank, size] :
       {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), std::pair("PMI_RANK", "PMI_SIZE")}) {
    const char *own = std::getenv(rank), *all = std::getenv(size);
    if (own == nullptr || all == nullptr) continue;
    // They look into each other's files, of which each has one writer: locks of HDF5 would only be in the way. FileLock is ours.
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    return {std::atol(own) + 1, std::max(1L, std::atol(all))};
  }
  return {};
}

std::string part_name(const std::string& path, const Shard& shard) {
  return stem_of(path) + fmt::format(".{}-of-{}", shard.number, shard.of) + ".h5";
}

std::string RunClaims::launch() {
  std::string out;
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports", "PMI_JOBID", "PMI_KVSNAME",
                           "SLURM_JOB_ID", "SLURM_STEP_ID"})
    if (const char* found = std::getenv(name); found != nullptr) out += std::string(found) + "/";
  return out;
}

RunClaims::RunClaims(const std::string& path, const std::string& launch, long runs, long ranks, long least)
    : runs_(runs), ranks_(ranks), least_(std::max(1L, least)) {
  const std::string name = stem_of(path) + "." + content_name(launch) + ".claims";
  file_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  require(file_ >= 0, "results: '{}' cannot be written.", name);
}

RunClaims::~RunClaims() { close(file_); }

std::pair<long, long> RunClaims::next() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  require(fcntl(file_, F_SETLKW, &lock) == 0,
          "the runs could not be divided among processes: no locks on this disk; use --shard.");
  long from = 0;
  if (pread(file_, &from, sizeof from, 0) != ssize_t(sizeof from)) from = 0;
  const long to = std::min(runs_, from + std::max(least_, (runs_ - from) / (2 * ranks_)));
  const bool written = pwrite(file_, &to, sizeof to, 0) == ssize_t(sizeof to);
  lock.l_type = F_UNLCK;
  fcntl(file_, F_SETLK, &lock);
  require(written, "the runs could not be divided among processes; is the disk full?");
  return {std::min(from, runs_), to};
}

SweepOutcome divided(const std::string& path, long runs, const Shard& shard, const Shard& rank, const std::string& launch,
                     long least, const std::function<SweepOutcome(const std::vector<long>&)>& some) {
  std::vector<long> portion;
  if (launch.empty()) {
    for (long run = shard.number - 1; run < runs; run += shard.of) portion.push_back(run);
    return some(portion);
  }
  SweepOutcome out;
  std::map<std::string, long> choices;
  RunClaims claims(path, launch, runs, rank.of, least);
  for (auto [from, to] = claims.next(); from < to && !out.interrupted; std::tie(from, to) = claims.next()) {
    portion.resize(std::size_t(to - from));
    std::iota(portion.begin(), portion.end(), from);
    const SweepOutcome more = some(portion);
    out.done += more.done;
    out.interrupted = more.interrupted;
    for (const auto& [choice, count] : more.choices) choices[choice] += count;
  }
  out.choices.assign(choices.begin(), choices.end());
  return out;
}

std::vector<char> done_before(const std::string& path, const SweepHeader& header) {
  std::vector<char> out(std::size_t(header.runs), 0);
  add_done(path, header, out);
  for (const std::string& one : parts_there(path)) add_done(one, header, out);
  return out;
}

bool join_parts(const SweepFileOptions& to, long parts, const SweepHeader& header, const std::vector<char>& before,
                bool claimed) {
  std::vector<std::string> files;
  for (long k = 1; k <= parts; ++k) files.push_back(part_name(to.path, {k, parts}));
  for (;;) {
    // Who has left has written everything.
    const bool busy = std::any_of(files.begin(), files.end(), [](const std::string& one) { return FileLock::held(one); });
    if (!busy) {
      std::vector<char> done = before;
      const bool there = std::ranges::all_of(files, [&](const std::string& one) { return add_done(one, header, done); });
      const long missing = std::count(done.begin(), done.end(), 0);
      if (there && missing == 0) break;
      require(!there || !claimed,
              "{} runs are missing: a process ended before its time; the same command with --resume does them.", missing);
    }
    if (interrupted) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (to.resume)
    for (const std::string& one : parts_there(to.path))
      if (std::vector<char> none(std::size_t(header.runs));
          add_done(one, header, none) && std::ranges::count(files, one) == 0)
        files.push_back(one);
  merge_sweeps(files, to);
  std::error_code none;
  for (const std::string& one : beside(to.path, ".claims")) files.push_back(one);
  for (const std::string& one : files) fs::remove(one, none);
  return true;
}

}  // namespace taut::cli
