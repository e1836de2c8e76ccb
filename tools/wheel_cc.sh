#!/usr/bin/env bash
# A compiler for wheels: gcc compiles, and libraries are linked by zig for glibc 2.28, so that they load on every Linux
# since 2018.  CF_WHEEL_CC is gcc or a cross compiler, CF_WHEEL_TARGET what zig links for, CF_WHEEL_ZIG zig.
for argument; do
  case $argument in
    -c | -E | -S | -r | --version | -v | -dump* | -print* | gcov | -lgcov | --coverage) exec "$CF_WHEEL_CC" "$@" ;;
    -shared) shared=1 ;;
  esac
done
[ -n "${shared:-}" ] || exec "$CF_WHEEL_CC" "$@"
# zig lacks some of gcc's options, and what gcc takes from libgcc
options=()
for argument; do
  case $argument in
    -Wl,-Bsymbolic-functions) options+=(-Wl,-Bsymbolic) ;;
    -flto* | -fprofile* | --param=* | -O3 | -f[a-z]*-sections) ;;
    *) options+=("$argument") ;;
  esac
done
exec $CF_WHEEL_ZIG cc -target "$CF_WHEEL_TARGET" "${options[@]}" -lpthread "$("$CF_WHEEL_CC" -print-libgcc-file-name)"
