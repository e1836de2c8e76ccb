#!/usr/bin/env bash
# The optimized code of the base tier's kernels as a CUDA driver without a GPU: build/gpu/emulated.so.
#
# tests/device compiles the sources anew for this CPU; here it is the code that llc and ptxas get (build/gpu/kernels.bc
# of tools/gpu/build.sh), with everything that LLVM's passes and the profile have made of it.
#
#   CORTENFORGE_CUDA_DRIVER=$PWD/build/gpu/emulated.so CORTENFORGE_KERNELS=build/cortenforge.kernels check states 1000 60 FILE...
set -eu
cd "$(dirname "$0")/../../.."
room=build/gpu
bin=/usr/lib/llvm-19/bin
$bin/llvm-dis $room/kernels.bc -o $room/emulated.in.ll
python3 tools/gpu/emulate/prepare.py $room/emulated.in.ll $room/emulated.ll
$bin/llc -O${CF_EMULATE_LEVEL:-1} -relocation-model=pic --fp-contract=off -filetype=obj $room/emulated.ll -o $room/emulated.o
$bin/clang-19 -std=gnu11 -O1 -fPIC -fvisibility=hidden -D_GNU_SOURCE -DCF_DEVICE -I$room/include -Iinclude -Isrc -w -shared \
  -Wl,-Bsymbolic -Wl,--no-undefined tools/gpu/emulate/driver.c $room/emulated.o -lm -o $room/emulated.so
