#!/usr/bin/env bash
# check_unity.sh COMPILER UNITY_C [FLAG...]: every file-static function, variable, local type, enumerator and macro left
# defined has a name of its own in the library, so that all sources compile as one translation unit.
#
# Two uninitialized statics of one name and type would silently become one variable: those are looked for in the text.
set -u
cd "$(dirname "$0")/.." || exit 1
compiler=$1 unity=$2
shift 2
"$compiler" -std=c11 -D_GNU_SOURCE "$@" -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc -Isrc/engine -Isrc/modeling -Isrc/show -Isrc/worlds "$unity" || exit 1
twice=$(grep -rhoE '^(_Thread_local )?static (_Thread_local )?[A-Za-z_][A-Za-z0-9_ *]*[ *][A-Za-z_0-9]+(\[[^]]*\])*;' src --include='*.c' |
  sed -E 's/(\[[^]]*\])*;$//; s/.*[ *]//' | sort | uniq -d)
if [ -n "$twice" ]; then
  echo "static variables of one name in two files: $twice"
  exit 1
fi
echo "$(grep -c '^#include' "$unity") source files compile as one"
