#!/usr/bin/env bash
# Build the kernels of the fast tier (src/worlds/team), a module of their own that takes seconds.
#
#   tools/gpu/team.sh     makes build/gpu/team_ARCHITECTURE.cubin and team.ptx; tools/gpu/build.sh calls it
#
# The engine's GJK and EPA (src/engine/collision/convex) are part of it, with the bits of the engine, and called directly.
# Elsewhere products and sums are fused: results agree with the engine to rounding, not by bits.  Divisions and square roots
# in single precision are off by at most two units in the last place.  CF_TEAM_REGISTERS limits the registers of a
# thread in single and in double precision: five and three blocks of four teams then have room in the registers of a
# multiprocessor, as they have in its shared memory with humanoids.  CF_GPU_ARCHITECTURES names the architectures (80 90).
set -eu
cd "$(dirname "$0")/../.."
room=build/gpu
bin=/usr/lib/llvm-19/bin
ptxas=$(echo $room/venv/lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas)
mkdir -p $room/team $room/include
[ -f $room/include/mujoco/mjdata.h ] || python3 tools/gpu/sources.py headers $room/include
objects=()
convex=$(printf 'src/engine/collision/convex/%s.c ' ccd epa gjk hull planehull polytope shape simplex)
for file in src/worlds/team/kernel_*.c src/worlds/team/overlap.c $convex src/math/libm_angle.c src/math/libm_exp.c src/math/libm_trig.c; do
  object=$room/team/$(basename $file .c).bc
  contract=fast
  case $file in src/math/* | src/engine/collision/* | src/worlds/team/overlap.c) contract=off ;; esac
  $bin/clang-19 --target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx78 -std=gnu11 -O1 \
    -Xclang -disable-llvm-passes -ffreestanding -fconvergent-functions -fno-strict-aliasing -ffp-contract=$contract -fno-math-errno -DNDEBUG -D_GNU_SOURCE -DCF_DEVICE -DCF_DIRECT_CALLS \
    -Xclang -fdenormal-fp-math-f32=preserve-sign -nogpulib -nostdlibinc -isystem src/worlds/device/include -I$room/include -Iinclude -Isrc -Isrc/engine -Isrc/worlds \
    -include device/device.h -Wall -Wno-unused-function -Wno-unknown-attributes -emit-llvm -c $file -o $object
  objects+=($object)
done
keep=$(for kernel in cf_team{Double,Single}{{,Lean}{,Wide},Convex}; do printf '%s,%sPlan,' $kernel $kernel; done)
keep=${keep%,}
$bin/llvm-link "${objects[@]}" -o $room/team/joined.bc
$bin/opt -passes='internalize,globaldce' --internalize-public-api-list=$keep $room/team/joined.bc -o $room/team/needed.bc
if $bin/llvm-nm $room/team/needed.bc | grep ' U ' | grep -v ' llvm\.\|cf_teamMemory'; then
  echo "gpu: the functions above are missing in the fast tier" >&2
  exit 1
fi
# twice: first everything becomes part of the kernels, then it is known which memory each pointer is of
optimize() {
  $bin/opt -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx78 --disable-loop-idiom-memcpy --disable-loop-idiom-memset \
    -passes="$1" ${CF_TEAM_OPT:-} "$2" -o "$3"
}
# elementary functions of doubles stay functions: they have memory of their own for arguments that nobody has
$bin/llvm-dis $room/team/needed.bc -o - | sed -E '/^define .*@cfi_(sin|cos|exp|log|pow|atan2|acos)\(/s/\{$/noinline {/' > $room/team/needed.ll
optimize 'default<O1>,function(infer-address-spaces)' $room/team/needed.ll $room/team/inlined.bc
$bin/llvm-dis $room/team/inlined.bc -o $room/team/inlined.ll
python3 tools/gpu/globals.py $room/team/inlined.ll $room/team/globals.ll
optimize 'function(infer-address-spaces),default<O3>' $room/team/globals.ll $room/team/optimized.bc
$bin/llvm-dis $room/team/optimized.bc -o $room/team/optimized.ll
python3 tools/gpu/signs.py $room/team/optimized.ll $room/team/signed.ll
$bin/llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx78 -nvptx-prec-divf32=1 -nvptx-prec-sqrtf32=0 \
  $room/team/signed.ll -o $room/team/plain.ptx
read -r single double <<< "${CF_TEAM_REGISTERS:-96 168}"
awk -v single=$single -v double=$double '/\.entry cf_teamSingle/ {n = single} /\.entry cf_teamDouble/ {n = double}
  {print} /^\)/ && n {print ".maxnreg " n; n = 0}' $room/team/plain.ptx > $room/team.ptx
for architecture in ${CF_GPU_ARCHITECTURES:-80 90}; do
  sed "s/^\.target sm_80/.target sm_$architecture/" $room/team.ptx > $room/team/team_$architecture.ptx
  "$ptxas" -O3 -arch=sm_$architecture -v $room/team/team_$architecture.ptx \
    -o $room/team_$architecture.cubin 2> $room/team/ptxas_$architecture.txt ||
    { tail -5 $room/team/ptxas_$architecture.txt >&2; exit 1; }
done
grep -ho 'for .cf_team.*\|[0-9]* bytes stack.*\|Used.*' $room/team/ptxas_*.txt
