#include <cstdio>

/// Debian compiles asmjit for programs: it takes the address of stderr as none may in a shared library. Here it finds one of our own, by the linker's --wrap.
extern "C" {
extern FILE* __real_stderr;                                             // NOLINT: names that the linker makes
__attribute__((visibility("hidden"))) FILE* __wrap_stderr = nullptr;  // NOLINT
}

namespace {

[[maybe_unused]] const bool known = [] {
  __wrap_stderr = __real_stderr;
  return true;
}();

}  // namespace
