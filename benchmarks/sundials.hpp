#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>

#include <cstdio>
#include <sundials/sundials_context.hpp>

#include "measure.hpp"

namespace benchmark {

/// Some packages of SUNDIALS are compiled without optimisation; its vector sum against a loop here tells.
inline void print_sundials() {
  char version[64] = {};
  SUNDIALSGetVersion(version, sizeof version);
  sundials::Context context;
  const int n = 4000, rounds = 1000;
  N_Vector x = N_VNew_Serial(n, context), z = N_VNew_Serial(n, context);
  N_VConst(1.0, x), N_VConst(1.0, z);
  const double theirs = best_seconds([&] {
    for (int k = 0; k < rounds; ++k) N_VLinearSum(0.3, x, 0.7, z, z);
  });
  const double here = best_seconds([&] {
    double *to = N_VGetArrayPointer(z), *from = N_VGetArrayPointer(x);
    for (int k = 0; k < rounds; ++k)
      for (int i = 0; i < n; ++i) to[i] = 0.3 * from[i] + 0.7 * to[i];
  });
  std::printf(
      "SUNDIALS %s; its vector sum takes %.1f times that of a loop here%s\n", version, theirs / here,
      theirs > 3.0 * here ? ": compiled without optimisation, its times say little (tools/sundials.sh builds another)" : "");
  N_VDestroy(x), N_VDestroy(z);
}

}  // namespace benchmark
