# Sourced by ./taut and ./check: installs missing Debian packages, configures and builds a preset.

say() { printf 'taut: %s\n' "$*" >&2; }

# need PACKAGE...: makes sure the packages are there; asks the package manager only for those that are not.
need() {
  command -v dpkg-query >/dev/null || return 0 # not Debian: CMake will say what it misses
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null || { command -v sudo >/dev/null && [ -t 0 ]; }; then
      as=(sudo)
    else
      say "these packages are missing and cannot be installed without root or sudo: ${missing[*]}"
      say "ask your administrator for: apt-get install ${missing[*]}"
      exit 2
    fi
  fi
  say "installing ${missing[*]}"
  "${as[@]}" apt-get update -q >&2
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 || {
    say "installing failed; the packages needed are: ${missing[*]}"
    exit 2
  }
}

# What `build` gives to CMake besides the preset.
options=()

# without NAME OPTION REASON: a part is left out of the build, and its tests with it, where what it needs cannot be had here.
without() {
  say "$1 left out: $3"
  options+=("-D$2=OFF")
}

# python_packages: a Python of the project's own in build/env, with what the Python package and its tests need.
python_packages() {
  local list=tools/python-packages.txt
  [ -f build/env/installed ] && [ ! "$list" -nt build/env/installed ] && return 0
  say "installing Python packages in build/env"
  python3 -m venv build/env && build/env/bin/python -m pip install -q --disable-pip-version-check -r "$list" >&2 || return 1
  touch build/env/installed
}

# viewer_packages: whether the packages of the viewer can be had.
viewer_packages() {
  local folder
  folder=$(mktemp -d)
  cp viewer/package.json viewer/package-lock.json viewer/.npmrc "$folder"
  (cd "$folder" && npm ci --loglevel=error --prefer-offline >&2)
  local done=$?
  rm -rf "$folder"
  return $done
}

# build PRESET [TARGET...]: configures once, then builds what changed; quiet unless something is built or fails.
build() {
  local preset=$1 log
  shift
  local targets=()
  [ $# -gt 0 ] && targets=(--target "$@")
  log=$(mktemp)
  if [ ! -f "build/$preset/build.ninja" ] || [ CMakePresets.json -nt "build/$preset/build.ninja" ]; then
    say "configuring ($preset)"
    cmake --fresh --preset "$preset" "${options[@]}" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  fi
  # A dry run costs milliseconds and tells whether there is anything to say.
  if ninja -C "build/$preset" -n "$@" 2>/dev/null | grep -q 'no work to do'; then
    rm -f "$log"
    return 0
  fi
  say "building ($preset)"
  if [ -t 2 ]; then
    cmake --build --preset "$preset" "${targets[@]}" >&2 || { rm -f "$log"; exit 1; }
  else
    cmake --build --preset "$preset" "${targets[@]}" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  fi
  rm -f "$log"
}

toolchain=(g++ cmake ninja-build libasmjit-dev libeigen3-dev liblapack-dev libspectra-dev libsuitesparse-dev libyaml-cpp-dev libhdf5-dev)
program=(libfmt-dev libcli11-dev libjemalloc-dev nlohmann-json3-dev gnuplot-nox)
# Node may come from elsewhere than Debian, and npm with it.
command -v node >/dev/null && command -v npm >/dev/null || program+=(nodejs npm)
