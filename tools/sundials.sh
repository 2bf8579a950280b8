#!/usr/bin/env bash
# Builds SUNDIALS from Debian's source package with full optimisation in build/sundials, for the benchmarks: the one that Debian compiles is not optimised, and
# times against it say little. `cmake --fresh --preset benchmark` then finds it there.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
mkdir -p build/sundials/sources
cd build/sundials
here=$PWD
if ! compgen -G 'sundials_*.orig.tar.*' >/dev/null; then
  # The places that packages come from, asked for their sources, in lists apart from those of the machine.
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if [ -f "$file" ]; then sed -E 's/^Types:.*$/Types: deb-src/; s/^deb /deb-src /' "$file" >"sources/$(basename "$file")"; fi
  done
  mkdir -p lists
  own=(-q -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$here/sources" -o "Dir::State::lists=$here/lists")
  apt-get "${own[@]}" update >&2
  apt-get "${own[@]}" source --download-only sundials >&2
fi
tar xf sundials_*.orig.tar.*
cmake -S sundials-*/ -B work -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O3 -DNDEBUG" -DCMAKE_CXX_FLAGS_RELEASE="-O3 -DNDEBUG" -DCMAKE_INSTALL_PREFIX="$here" \
  -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_STATIC_LIBS=OFF -DEXAMPLES_ENABLE_C=OFF -DEXAMPLES_INSTALL=OFF -DBUILD_ARKODE=OFF -DBUILD_CVODES=OFF -DBUILD_IDAS=OFF \
  -DBUILD_KINSOL=OFF >&2
cmake --build work --target install >&2
ls "$here"/lib/cmake/sundials/SUNDIALSConfig.cmake
