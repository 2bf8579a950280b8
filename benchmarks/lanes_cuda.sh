#!/bin/bash
# Lanes on a GPU: four models by RK4 with equal steps and both projections, each run with its certificate. Prints the time of the kernel, steps per second, and the share
# of the double precision that the GPU could do (PEAK, in 1e12 operations per second; 34 for an H100 or H200: a product with a sum counted as two).
#
#   TAUT_NVRTC=…/libnvrtc.so.12 benchmarks/lanes_cuda.sh [TAUT]        from the root; TAUT: the program, build/release/cli/taut unless given
set -u
taut=${1:-build/release/cli/taut}
peak=${PEAK:-34}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-42s %9s %7s %9s %12s %14s %7s %9s\n' model runs steps kernel/s "steps per s" operations/step share compile/s

# NAME RUNS STEPS, then the words of `taut sweep`.
measure() {
  local name=$1 runs=$2 steps=$3
  shift 3
  local said
  said=$("$taut" sweep "$@" --engine cuda --integrator rk4 --keep certificate --out "$work/out.h5" --force 2>&1)
  local kernel operations compiled
  kernel=$(sed -n 's/.*: \([0-9.e+-]*\) s in the kernel.*/\1/p' <<< "$said")
  operations=$(sed -n 's/.* \([0-9]*\) operations per step.*/\1/p' <<< "$said")
  compiled=$(sed -n 's/.*compiled in \([0-9.e+-]*\) s.*/\1/p' <<< "$said")
  if [ -z "$kernel" ]; then
    printf '%-42s %s\n' "$name" "$said"
    return
  fi
  awk -v name="$name" -v n="$runs" -v s="$steps" -v k="$kernel" -v o="$operations" -v p="$peak" -v c="${compiled:-0}" 'BEGIN {
    rate = n * s / k
    printf "%-42s %9d %7d %9.4g %12.3g %14d %6.1f%% %9s\n", name, n, s, k, rate, o, 100 * rate * o / (p * 1e12), c }'
  grep -E '^(energy_relative|gap) ' <<< "$said" | sed 's/^/    /'
}

measure "double pendulum by rods" 1000000 5000 cases/double_pendulum_ensemble.yaml --step 0.002 --until 10 \
  --vary a1=0.1:3:1000 --vary a2=0.1:3:1000
measure "heavy top (directors)" 1000000 2000 cases/lagrange_top.yaml --step 2e-4 --until 0.4 \
  --vary tilt=0.1:1:1000 --vary turns=100:200:1000
measure "chain of ten links" 100000 5000 cases/chain.yaml --step 0.001 --until 5 --vary "P10.y'=-1:1:100000"
measure "seven-body mechanism (angles)" 100000 3000 cases/andrews.yaml --step 1e-5 --until 0.03 \
  --vary m1=0.04:0.05:100 --vary torque=0.03:0.035:1000
measure "seven-body mechanism (bodies and hinges)" 100000 3000 cases/seven_bodies.yaml --step 1e-5 --until 0.03 \
  --vary drive=0.03:0.035:100000
