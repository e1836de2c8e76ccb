#!/usr/bin/env bash
# examples.sh LIBRARY BATCH: examples/batch.c runs and heavier humanoids are told apart; the arrays of examples/batch_torch.py are
# the memory of the worlds (NumPy takes them by from_dlpack).
set -eu
"$2" models/humanoid.xml 20 0.1 > /dev/null
[ "$("$2" models/humanoid.xml 20 0.1 | grep -c '^masses .*:    4 worlds, mean height [0-9.]* m$')" = 5 ]
"$2" models/humanoid.xml 20 0.1 | grep -q '^20 worlds, 0.100 s, 0 lost$'
! "$2" models/nowhere.xml 2> /dev/null
python=
for candidate in build/refenv/bin/python "$(dirname "${MUJOCO_REFERENCE_LIB:-/}")/../../../../bin/python" python3; do
  if "$candidate" -c 'import numpy; numpy.from_dlpack' 2> /dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "no python with numpy"; exit 77; }
PYTHONPATH=examples PYTHONDONTWRITEBYTECODE=1 "$python" - "$1" <<'PYTHON'
import ctypes, sys
import numpy
from batch_torch import Array, Batch
batch = Batch(ctypes.CDLL(sys.argv[1]), 'models/robots/cartpole.xml', 8, 0)
qpos, ctrl = numpy.from_dlpack(Array(batch, 'qpos')), numpy.from_dlpack(Array(batch, 'ctrl'))
assert qpos.shape == (8, 2) and ctrl.shape == (8, 1) and qpos.dtype == numpy.float64, (qpos.shape, ctrl.shape)
start = qpos.copy()
if not ctrl.flags.writeable:  # what NumPy before 2 thinks of every such array
    ctrl = numpy.lib.stride_tricks.as_strided(
        numpy.ctypeslib.as_array((ctypes.c_double * (ctrl.strides[0] // 8 * 8)).from_address(ctrl.ctypes.data)), ctrl.shape, ctrl.strides)
ctrl[:, 0] = numpy.arange(8) * 0.1
batch.step(20)
moved = qpos[:, 0] - start[:, 0]
assert (numpy.diff(moved) > 0).all(), moved
try:
    Array(batch, 'nothing').__dlpack__()
    raise SystemExit('a field that is not there gave an array')
except RuntimeError as reason:
    assert 'nothing' in str(reason), reason
PYTHON
