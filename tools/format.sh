#!/usr/bin/env bash
# Every C file is as clang-format 14 writes it (.clang-format); include/mujoco is generated and left alone.
#
#   tools/format.sh            format in place
#   tools/format.sh --check    exit 1 and the names of files that are not; 77 without clang-format 14
#
# Other major versions break lines elsewhere, so the version is fixed: clang-format-14 of Debian 12, or any
# clang-format that says it is 14.
set -u
cd "$(dirname "$0")/.." || exit 1
format=
for name in clang-format-14 clang-format; do
  if command -v $name >/dev/null 2>&1 && $name --version | grep -q 'version 14\.'; then
    format=$name
    break
  fi
done
if [ -z "$format" ]; then
  echo "format: skipped, there is no clang-format 14 here"
  [ "${CI:-}" = true ] && exit 1
  exit 77
fi

# one file a line, generated headers left out
files() {
  git ls-files -co --exclude-standard '*.c' '*.h' | grep -v '^include/mujoco/' | while read -r file; do
    [ -f "$file" ] && echo "$file"
  done
}

if [ "${1:-}" = --check ]; then
  bad=$(files | xargs -P2 -n40 "$format" --dry-run -Werror 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:.*error.*/\1/p' | sort -u)
  [ -z "$bad" ] && { echo "format: $(files | wc -l) files as $format writes them"; exit 0; }
  echo "format: run 'make format'; these files differ from what $format writes:"
  echo "$bad"
  exit 1
fi
files | xargs -P2 -n40 "$format" -i
