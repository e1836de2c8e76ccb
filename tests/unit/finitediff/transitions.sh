#!/usr/bin/env bash
# cf_transition against whole steps on the models of this project and on random ones.
#   transitions.sh PROGRAM SOURCE_DIR COUNT NV STATES    COUNT random models; models of at most NV dofs
set -u
program=$1 source=$2 count=$3 nv=$4 states=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$source/tools/random_models.py" "$work" --count "$count" --seed 1 >/dev/null || exit 1
"$program" --nv "$nv" --states "$states" "$source/models" "$work"
