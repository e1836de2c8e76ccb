#!/usr/bin/env bash
# Where worlds spend their time, for the compiler of the kernels: build/gpu/worlds.profdata.
#
# The same sources as on a device, compiled for this CPU with counters, step robots under the name of a CUDA driver
# (tests/device/driver.c).  clang's counters stand at branches of the source, so they fit the code of the GPU.
set -eu
cd "$(dirname "$0")/../.."
room=build/gpu
bin=/usr/lib/llvm-19/bin
counted=$room/counted
mkdir -p $counted $room/include
python3 tools/gpu/sources.py headers $room/include
mapfile -t files < <(python3 tools/gpu/sources.py list)
files+=(src/worlds/device/bytes.c)

compile() {
  $bin/clang-19 -std=gnu11 -O1 -fPIC -fvisibility=hidden -fprofile-instr-generate -ffreestanding -ffp-contract=off \
    -fno-math-errno -DNDEBUG -D_GNU_SOURCE -DCF_DEVICE -nostdlibinc -isystem src/worlds/device/include -I$room/include \
    -Iinclude -Isrc -Isrc/engine -Isrc/worlds -include device/device.h -w -c "$1" -o "$counted/$(echo "$1" | tr / _).o" ||
    { echo "gpu: $1 does not compile with counters" >&2; exit 255; }
}
export -f compile
export bin room counted
rm -f $counted/*
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
$bin/clang-19 -std=gnu11 -O1 -fPIC -fprofile-instr-generate -fno-strict-aliasing -D_GNU_SOURCE -DNDEBUG -DCF_DEVICE -I$room/include -Iinclude \
  -Isrc -Isrc/engine -Isrc/worlds -Itests/device -w -shared -Wl,-Bsymbolic -Wl,--no-undefined tests/device/driver.c \
  $(grep -o "src/worlds/team/.*\.c" src/worlds/team/sources.cmake) $counted/*.o -lm -o $counted/driver.so

# the driver takes any kernels of these sources
echo kernels > $counted/any.ptx
python3 tools/gpu/pack.py $counted/any.kernels "$(python3 tools/gpu/sources.py hash)" 0 $counted/any.ptx
export CORTENFORGE_CUDA_DRIVER=$PWD/$counted/driver.so CORTENFORGE_KERNELS=$PWD/$counted/any.kernels
tool=${CF_TOOL:-build/cortenforge}
for model in humanoid robots/hand robots/ant robots/arm_gripper robots/quadruped; do
  LLVM_PROFILE_FILE=$PWD/$counted/${model##*/}.profraw \
    "$tool" batch models/$model.xml --backend cuda --worlds 16 --steps 100 --noise 0.5 > $counted/log 2>&1 ||
    { cat $counted/log >&2; exit 1; }
done
$bin/llvm-profdata merge $counted/*.profraw -o $room/worlds.profdata
