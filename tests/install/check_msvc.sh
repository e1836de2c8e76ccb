#!/usr/bin/env bash
# check_msvc.sh ROOT: the public headers compile as Microsoft's compiler reads them, as C and as C++, importing the library
# and (MJ_STATIC) linking it statically.  clang stands in for that compiler; 77 without it.
set -eu
root=$1
command -v clang >/dev/null || { echo "skipped: there is no clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# of the C library only what our headers need; clang has the freestanding headers itself
for header in stdlib math string; do
  printf '#pragma once\n#include <stddef.h>\n' >"$work/$header.h"
done
printf '#pragma once\n#include <stddef.h>\nnamespace std { enum class byte : unsigned char {}; }\n' >"$work/cstddef"
printf '#pragma once\n#include <stdint.h>\n' >"$work/cstdint"
printf '#pragma once\nnamespace std { class string; }\n' >"$work/string"
printf '#pragma once\nnamespace std { template <class T> class vector; }\n' >"$work/vector"
cat >"$work/program.c" <<'EOF'
#include <cortenforge/cortenforge.h>
#include <mujoco/mujoco.h>
int main(void) {
  mjData* d = mj_makeData(0);
  mju_user_error = 0;
  mj_deleteData(d);
  return mj_version() - mjVERSION_HEADER;
}
EOF
count=0
for language in /TC /TP; do
  for define in -DCF_TEST_IMPORTS -DMJ_STATIC; do
    clang --driver-mode=cl --target=x86_64-pc-windows-msvc $language $define /W4 /WX -Wno-unused-parameter /Zs -imsvc "$work" \
      -I"$root/include" "$work/program.c" || exit 1
    count=$((count + 1))
  done
done
# imports are marked where the library is a DLL, and only there
clang --driver-mode=cl --target=x86_64-pc-windows-msvc /TC -imsvc "$work" -I"$root/include" /clang:-S /clang:-emit-llvm \
  /clang:-o"$work/program.ll" /c "$work/program.c"
grep -q 'dllimport.*@mj_version' "$work/program.ll" || { echo "mj_version is not imported"; exit 1; }
echo "$count readings of the headers"
