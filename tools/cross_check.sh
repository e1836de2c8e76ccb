#!/usr/bin/env bash
# Does another system give the same bits?  Builds the scenes of tests/determinism for targets of tools/cross.sh, runs them
# here (qemu-user, wine, or directly) and compares their hashes with tests/data/determinism/golden.txt.
#
#   tools/cross_check.sh [--built] [--all] [--steps N] TARGET ...
#
# --built: run what was built before.  --all: also hashes of the compiled models of models/ and tests/data, compared with
# the first target, and tests of the platform.  With --steps N, or where golden.txt is of other elementary functions,
# scenes are compared with the first target.  Exit 77 where compiler, sources or emulator are missing (1 with CI=true).
set -u
cd "$(dirname "$0")/.." || exit 1
golden=tests/data/determinism/golden.txt
steps=500
targets=()
is_built='' has_all=''
while [ $# -gt 0 ]; do
  case $1 in
    --steps) steps=$2; shift ;;
    --built) is_built=1 ;;
    --all) has_all=1 ;;
    -*) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) targets+=("$1") ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
tests=
[ -z "$has_all" ] || tests="test_base_platform test_base_sort test_base_threads"
models=$(ls models/*.xml models/*/*.xml tests/data/*/*.xml 2>/dev/null)

cannot() {
  echo "cross: skipped, $1"
  [ "${CI:-}" = true ] && exit 1
  exit 77
}

# run PROGRAM ARGUMENT...: on this machine; the emulator is the one that CMake found for the target
run() {
  local program=$1
  shift
  case $target in
    x86_64-linux-musl | x86-linux-musl | x86_64-linux-gnu*) "$program" "$@" ;;
    aarch64-linux-musl) qemu-aarch64-static "$program" "$@" ;;
    riscv64-linux-musl) qemu-riscv64-static "$program" "$@" ;;
    x86_64-windows-gnu) WINEDEBUG=-all WINEPREFIX=$PWD/build/cross/wine wine "$program.exe" "$@" | tr -d '\r' ;;
  esac
}
needs() {
  case $1 in
    aarch64-linux-musl) echo qemu-aarch64-static ;;
    riscv64-linux-musl) echo qemu-riscv64-static ;;
    x86_64-windows-gnu) echo wine ;;
    x86_64-linux-musl | x86-linux-musl | x86_64-linux-gnu*) echo true ;;
    *) echo "no-emulator-for-$1" ;;
  esac
}

failed=0
compare() {
  if [ "$2" = "$3" ]; then
    echo "$target: $(wc -l <<<"$3") $1 equal"
  else
    echo "$target: $1 differ"
    diff <(echo "$2") <(echo "$3") | head -20
    failed=1
  fi
}

scenes='' compiled=''
for target in "${targets[@]}"; do
  command -v "$(needs "$target")" >/dev/null || cannot "there is no $(needs "$target")"
  log=build/cross/$target.check.log
  code=0
  if [ -z "$is_built" ]; then
    bash tools/cross.sh "$target" hash_unity ${has_all:+hash_models} $tests >"$log" 2>&1
    code=$?
  fi
  [ $code = 77 ] && cannot "$(tail -1 "$log")"
  [ $code = 0 ] || { tail -20 "$log"; exit 1; }
  folder=build/cross/build-$target/tests
  for test in $tests; do
    if run "$folder/$test" >"$log" 2>&1; then
      echo "$target: $test passed"
    else
      echo "$target: $test FAILED"
      tail -20 "$log"
      failed=1
    fi
  done

  found=$(run "$folder/hash_unity" "$steps")
  if [ -z "$scenes" ] && [ "$steps" = 500 ] && [ "$(head -1 <<<"$found")" = "$(head -1 $golden)" ]; then
    scenes=$(tail -n +2 $golden)
  fi
  found=$(tail -n +2 <<<"$found")
  scenes=${scenes:-$found}
  compare scenes "$scenes" "$found"
  if [ -n "$has_all" ]; then
    found=$(run "$folder/hash_models" $models 2>/dev/null)
    compiled=${compiled:-$found}
    compare models "$compiled" "$found"
  fi
done
[ $failed = 0 ] && echo "$(wc -l <<<"$scenes") scenes, the same hashes on ${targets[*]}"
exit $failed
