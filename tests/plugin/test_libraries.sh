#!/usr/bin/env bash
# Plugin libraries as files: ours beside the library, the example, those of MuJoCo's wheel.
#   test_libraries.sh BUILD SOURCE HOST EXAMPLE.so
set -u
build=$1 source=$2 host=$3 example=$4
ours=$build/libcortenforge.so theirs=$build/libmujoco.so.3.5.0
failed=0

# expect PHRASE STATUS COMMAND...: the output has the phrase, the status is that one
expect() {
  local phrase=$1 status=$2 output
  shift 2
  output=$("$@" 2>&1)
  local got=$?
  if [ $got != "$status" ] || ! grep -qF -- "$phrase" <<<"$output"; then
    echo "FAILED: $* (status $got, expected $status with '$phrase')"
    echo "$output"
    failed=$((failed + 1))
  fi
}

cable=$source/models/plugins/cable.xml
expect 'accepted: 4 instances' 0 "$host" "$ours" "$cable"
expect '8 plugins' 0 "$host" "$ours" "$cable"

# a model without plugins does not load them
expect '0 plugins' 0 "$host" "$ours" "$source/models/stack.xml"

# under MuJoCo's name they are there when they were asked for
expect 'plugin mujoco.elasticity.cable not found' 1 "$host" "$theirs" "$cable"
expect 'libsdf_plugin.so: 5 from slot 2' 0 "$host" "$theirs" "$cable" "$build/plugin"
expect 'accepted: 4 instances' 0 "$host" "$theirs" "$cable" "$build/plugin"
same=$("$host" "$theirs" "$cable" "$build/plugin" | grep accepted)
expect "$same" 0 "$host" "$ours" "$cable"

# the example: force on the first kite is drag * (speed + gust - velocity)
wind=$source/examples/plugin/wind.xml
expect 'plugin example.wind not found' 1 "$host" "$ours" "$wind"
expect 'accepted: 1 instances, time 0.200' 0 "$host" "$ours" "$wind" "$example"
expect 'accepted: 1 instances, time 0.200' 0 "$host" "$theirs" "$wind" "$example"
expect 'Error loading plugin library' 1 "$host" "$theirs" "$wind" /no/such/plugin.so

# MuJoCo's own plugin libraries on our library: same numbers as ours
wheel=$(dirname "${MUJOCO_REFERENCE_LIB:-/none/x}")/plugin
if [ -d "$wheel" ]; then
  expect "$same" 0 "$host" "$theirs" "$cable" "$wheel"
  for model in servo fields touch; do
    one=$("$host" "$theirs" "$source/models/plugins/$model.xml" "$build/plugin" | grep accepted)
    expect "$one" 0 "$host" "$theirs" "$source/models/plugins/$model.xml" "$wheel"
  done
fi
[ $failed = 0 ] && echo "plugin libraries: all as expected"
exit $((failed > 0))
