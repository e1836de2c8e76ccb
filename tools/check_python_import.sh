#!/usr/bin/env bash
# Run the reference Python package on this library: copy the package, replace its library, import it.
#
#   check_python_import.sh [PYTHON] [LIBRARY] [STATEMENTS]
#
# PYTHON     an interpreter that has mujoco 3.5.0 installed (default: that of the virtual environment which holds
#            MUJOCO_REFERENCE_LIB, else python3)
# LIBRARY    what replaces libmujoco.so.3.5.0 (default: build/libmujoco.so.3.5.0)
# STATEMENTS run after `import mujoco`; `mujoco.mj_versionString()` is printed in any case
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-}
if [ -z "$python" ] && [ -n "${MUJOCO_REFERENCE_LIB:-}" ]; then
  python=$(dirname "$MUJOCO_REFERENCE_LIB")/../../../../bin/python
fi
[ -n "$python" ] && [ -x "$(command -v "$python")" ] || python=python3
library=$(realpath "${2:-$top/build/libmujoco.so.3.5.0}")
statements=${3:-}

package=$("$python" -c 'import importlib.util as u; s = u.find_spec("mujoco"); print(s.submodule_search_locations[0] if s else "")')
if [ -z "$package" ] || [ ! -f "$package/libmujoco.so.3.5.0" ]; then
  echo "skipped: $python has no mujoco 3.5.0 package"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$package" "$work/mujoco"
cp "$library" "$work/mujoco/libmujoco.so.3.5.0"

cd "$work"
PYTHONPATH="$work" "$python" - <<PYTHON
import ctypes
import os
import mujoco

assert os.path.dirname(mujoco.__file__) == "$work/mujoco", mujoco.__file__
own = ctypes.CDLL("$work/mujoco/libmujoco.so.3.5.0").cf_versionString
own.restype = ctypes.c_char_p
print("mujoco", mujoco.mj_versionString(), "on CortenForge", own().decode())
$statements
PYTHON
