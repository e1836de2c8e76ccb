#!/usr/bin/env bash
# Build the GPU kernels from the engine's C sources; no GPU and no CUDA toolkit is needed.
#
#   tools/gpu/build.sh [OUTPUT]     default build/gpu/cortenforge.kernels
#
# clang 19 with its NVPTX target (Debian) compiles every file to LLVM bitcode, llvm-link joins them, opt and llc make
# PTX, and ptxas (PyPI's nvidia-cuda-nvcc-cu12, in build/gpu/venv) makes the machine code of each architecture.
# tools/gpu/pack.py puts cubins and PTX into one file, which lies beside the library.  CF_GPU_ARCHITECTURES names the
# architectures (80 90), CF_GPU_OPT options of opt.  Where worlds spend their time is known from tools/gpu/profile.sh,
# which runs before (make gpu does that): code that they use is inlined, the rest stays small.
set -eu
cd "$(dirname "$0")/../.."
room=build/gpu
output=${1:-$room/cortenforge.kernels}
bin=/usr/lib/llvm-19/bin
if [ ! -x $bin/clang-19 ] || [ ! -x $bin/llc ]; then
  echo "gpu: clang-19 and llvm-19 are needed (tools/setup.sh gpu installs them)" >&2
  exit 1
fi
ptxas=$(echo $room/venv/lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas)
if [ ! -x "$ptxas" ]; then
  echo "gpu: there is no ptxas under $room/venv (tools/setup.sh gpu installs it)" >&2
  exit 1
fi
mkdir -p $room/objects $room/include
sources=$(python3 tools/gpu/sources.py hash)
python3 tools/gpu/sources.py headers $room/include
mapfile -t files < <(python3 tools/gpu/sources.py list)
files+=(src/worlds/device/kernels.c src/worlds/device/bytes.c)
profile=
if [ -f $room/worlds.profdata ]; then
  profile="-Xclang -fprofile-instrument-use-path=$room/worlds.profdata"
else
  echo "gpu: there is no $room/worlds.profdata (tools/gpu/profile.sh): slower kernels" >&2
fi

compile() {
  object=$room/objects/$(echo "$1" | tr / _).bc
  $bin/clang-19 --target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx78 -std=gnu11 -O1 \
    -Xclang -disable-llvm-passes -ffreestanding -ffp-contract=off -fno-math-errno -DNDEBUG -D_GNU_SOURCE -DCF_DEVICE \
    -nogpulib -nostdlibinc -isystem src/worlds/device/include -I$room/include -Iinclude -Isrc -Isrc/engine -Isrc/worlds -include device/device.h \
    -w $profile -emit-llvm -c "$1" -o "$object" || { echo "gpu: $1 does not compile" >&2; exit 255; }
}
export -f compile
export bin room profile
rm -f $room/objects/*.bc
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I{} bash -c 'compile {}'

keep=cf_world,cfi_deviceLayout
calls=cfi_deviceCopy,cfi_deviceMove,cfi_deviceFill
$bin/llvm-link $room/objects/*.bc -o $room/joined.bc
$bin/opt -passes='internalize,globaldce' --internalize-public-api-list=$keep,$calls $room/joined.bc -o $room/needed.bc
if $bin/llvm-nm $room/needed.bc | grep ' U ' | grep -v ' llvm\.'; then
  echo "gpu: the functions above are missing on a device" >&2
  exit 1
fi
$bin/llvm-dis $room/needed.bc -o $room/needed.ll
python3 tools/gpu/keepcalls.py $room/needed.ll $room/calls.ll
# loops stay loops: as calls of memcpy they would become byte loops
$bin/opt -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx78 --disable-loop-idiom-memcpy --disable-loop-idiom-memset \
  -passes='default<O3>' ${CF_GPU_OPT:--inline-threshold=20 -unroll-threshold=40} $room/calls.ll -S -o $room/optimized.ll
python3 tools/gpu/memcalls.py $room/optimized.ll $room/calls_of_words.ll
python3 tools/gpu/signs.py $room/calls_of_words.ll $room/words.ll
$bin/opt -mtriple=nvptx64-nvidia-cuda --internalize-public-api-list=$keep -passes='internalize,globaldce' \
  $room/words.ll -o $room/kernels.bc
$bin/llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx78 --fp-contract=off -nvptx-fma-level=0 \
  $room/kernels.bc -o $room/kernels.ptx
echo "ptxas is $("$ptxas" --version | sed -n 's/.*release //p')"
split=  # older ones have no threads
if "$ptxas" --help | grep -q -- --split-compile; then
  split="--split-compile 0"
fi
images=()
for architecture in ${CF_GPU_ARCHITECTURES:-80 90}; do
  sed "s/^\.target sm_80/.target sm_$architecture/" $room/kernels.ptx > $room/kernels_$architecture.ptx
  "$ptxas" -O3 --fmad=false $split -arch=sm_$architecture -v $room/kernels_$architecture.ptx \
    -o $room/kernels_$architecture.cubin 2> $room/ptxas_$architecture.txt ||
    { tail -5 $room/ptxas_$architecture.txt >&2; exit 1; }
  images+=($architecture $room/kernels_$architecture.cubin)
done
# the fast tier: a module of its own, marked by 1000
tools/gpu/team.sh
for architecture in ${CF_GPU_ARCHITECTURES:-80 90}; do
  images+=($((1000 + architecture)) $room/team_$architecture.cubin)
done
python3 tools/gpu/pack.py "$output" "$sources" "${images[@]}" 0 $room/kernels.ptx 1000 $room/team.ptx
