#include <cstdio>
#include <cstring>

/// What libraries expect that Debian compiles for programs and that end up in a shared library here. They take the addresses of stdout and stderr as none may there,
/// and find ours by the linker's --wrap. Of Fortran's own library LAPACK needs one function, which joins words, besides the message about arguments that
/// are wrong; ours never are, and `info` says so. CHOLMOD knows orderings of METIS; ours are AMD's, and METIS would say that it found none.
#define TAUT_HIDDEN __attribute__((visibility("hidden")))

// NOLINTBEGIN: names that the linker and Fortran make
extern "C" {
extern FILE *__real_stdout, *__real_stderr;
TAUT_HIDDEN FILE *__wrap_stdout = nullptr, *__wrap_stderr = nullptr;

#ifdef TAUT_STATIC_LIBRARIES
TAUT_HIDDEN void xerbla_(const char*, const int*, std::size_t) {}
TAUT_HIDDEN void _gfortran_concat_string(std::size_t size, char* to, std::size_t first, const char* a, std::size_t second,
                                         const char* b) {
  const std::size_t from_a = first < size ? first : size, rest = size - from_a, from_b = second < rest ? second : rest;
  std::memcpy(to, a, from_a);
  std::memcpy(to + from_a, b, from_b);
  std::memset(to + from_a + from_b, ' ', rest - from_b);
}
TAUT_HIDDEN int METIS_NodeND(void*, void*, void*, void*, void*, void*, void*) { return -4; }
TAUT_HIDDEN int METIS_ComputeVertexSeparator(void*, void*, void*, void*, void*, void*, void*) { return -4; }
#endif
}
// NOLINTEND

namespace {

[[maybe_unused]] const bool known = [] {
  __wrap_stdout = __real_stdout;
  __wrap_stderr = __real_stderr;
  return true;
}();

}  // namespace
