#!/usr/bin/env bash
# mujoco.Renderer on our library: python_renderer.sh LIBRARY MODEL...; the interpreter is that of the reference
set -u
python=
[ -n "${MUJOCO_REFERENCE_LIB:-}" ] && python=$(dirname "$MUJOCO_REFERENCE_LIB")/../../../../bin/python
if [ ! -x "$python" ]; then
  echo "skipped: no interpreter beside MUJOCO_REFERENCE_LIB"
  exit 77
fi
"$python" "$(dirname "$0")/python_renderer.py" "$@"
