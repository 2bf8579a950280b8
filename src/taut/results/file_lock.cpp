#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <taut/base/real_path.hpp>
#include <taut/base/require.hpp>
#include <taut/results/file_lock.hpp>

namespace taut {
namespace {

/// One file, one lock, whatever links lead to it.
std::string lock_of(const std::string& path) { return real_path(path).string() + ".lock"; }

struct flock whole(short type) {
  struct flock out {};
  out.l_type = type;
  out.l_whence = SEEK_SET;
  return out;
}

std::string holder(int file) {
  std::array<char, 256> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  const std::string all(text.data(), size > 0 ? std::size_t(size) : 0);
  return all.empty() ? "another process" : all.substr(0, all.find('\n'));
}

void sign(int file) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string text = message("process {} on {}\n", getpid(), host.data());
  // A name that cannot be written is missed by the message to the other one only.
  if (ftruncate(file, 0) != 0 || pwrite(file, text.data(), text.size(), 0) < 0) return;
}

/// False where the holder before removed the file between our opening and locking it.
bool still_there(int file, const std::string& path) {
  struct stat ours {
  }, there{};
  return fstat(file, &ours) == 0 && stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(const std::string& path) : path_(lock_of(path)) {
  for (;;) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    require(file_ >= 0, "results: '{}' cannot be written: {}.", path, std::strerror(errno));
    struct flock lock = whole(F_WRLCK);
    const int locked = fcntl(file_, F_OFD_SETLK, &lock), why = errno;
    if (locked != 0 && (why == EAGAIN || why == EACCES)) {
      const std::string who = holder(file_);
      close(file_);
      throw InputError(
          message("results: '{}' is being written by {}; wait for it, or write elsewhere with --out.", path, who));
    }
    // Some file systems know no locks; there a run has to do without.
    if (still_there(file_, path_)) break;
    close(file_);
  }
  sign(file_);
}

FileLock::~FileLock() {
  unlink(path_.c_str());  // before the lock goes, so that nobody else's is removed
  close(file_);
}

bool FileLock::held(const std::string& path) {
  const int file = open(lock_of(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct flock lock = whole(F_WRLCK);
  const bool held = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(file);
  return held;
}

}  // namespace taut
