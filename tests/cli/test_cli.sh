#!/usr/bin/env bash
# The command line as scripts use it: exit status, output, files.
#   test_cli.sh CORTENFORGE SOURCE_DIR [PLUGIN]
set -u
cf=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# expect STATUS NAME COMMAND...: run, compare the exit status
expect() {
  local status=$1 name=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  local got=$?
  if [ $got -eq "$status" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name: exit status $got, expected $status"
    tail -n 5 "$work/out" "$work/err"
  fi
}

# has NAME FILE PATTERN: the file has a line that matches
has() {
  if grep -Eq -- "$3" "$2"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1: no line matches '$3'"
    head -n 20 "$2"
  fi
}

cat >"$work/pendulum.xml" <<'XML'
<mujoco model="pendulum">
  <worldbody>
    <body name="arm">
      <joint name="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="hinge" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
</mujoco>
XML
cat >"$work/explode.xml" <<'XML'
<mujoco model="explode">
  <option timestep="0.01"><flag eulerdamp="disable"/></option>
  <worldbody>
    <body name="stiff"><joint name="spring" type="slide" stiffness="1e9"/><geom size="0.1"/></body>
  </worldbody>
  <keyframe><key name="pulled" qpos="1"/></keyframe>
</mujoco>
XML
echo '<mujoco><worldbody><geom siz="1"/></worldbody></mujoco>' >"$work/bad.xml"
printf 'time,drive\n0,0.5\n0.1,-0.5\n' >"$work/ctrl.csv"

expect 0 version "$cf" --version
has version "$work/out" '^cortenforge [0-9.]+ \(MuJoCo API 3\.5\.0\)'
expect 0 help "$cf" help run
has help "$work/out" '^SYNOPSIS'
expect 2 no-command "$cf"
expect 2 unknown-command "$cf" fly
expect 2 unknown-option "$cf" info "$work/pendulum.xml" --fast
expect 3 missing-file "$cf" info "$work/nothing.xml"
expect 1 bad-model "$cf" info "$work/bad.xml"
has bad-model "$work/err" "unrecognized attribute.*siz"
expect 0 info "$cf" info "$work/pendulum.xml" --names
has info "$work/out" 'hinge'
has info "$work/out" 'a world of a batch [0-9.]+ kB'

expect 2 'batch: a tier that does not exist' "$cf" batch "$work/pendulum.xml" --tier slow
has 'batch: a tier that does not exist' "$work/err" "--tier slow: expected auto, base or fast"
expect 0 'batch: tier of worlds on the CPU' "$cf" batch "$work/pendulum.xml" --worlds 4 --steps 5 --precision single --json --quiet
has 'batch: tier of worlds on the CPU' "$work/out" '"tier": "base"'
printf 'geom_size scale 0.9 1.1\ngeom_pos add -0.01 0.01\ngeom_quat add -0.1 0.1\nbody_ipos add 0 0.01\n' > "$work/forms.txt"
expect 0 'batch: sizes and frames drawn' "$cf" batch "$work/pendulum.xml" --worlds 4 --steps 5 --randomize "$work/forms.txt" --quiet
printf 'geom_size scale -1 -1\n' > "$work/forms.txt"
expect 2 'batch: sizes that no model has' "$cf" batch "$work/pendulum.xml" --worlds 4 --steps 5 --randomize "$work/forms.txt" --quiet
has 'batch: sizes that no model has' "$work/err" "forms.txt:1: 'geom_size': geom 0 .* of world 0: size [0-2] must be positive"
expect 0 info-json sh -c "'$cf' info '$work/pendulum.xml' --json | python3 -c 'import json,sys; d=json.load(sys.stdin); assert d[\"sizes\"][\"nv\"] == 1'"
expect 0 run "$cf" run "$work/pendulum.xml" --time 1 --quiet --record "$work/r.csv" --plot qpos:hinge,sensor:angle,energy --plot-file "$work/p.svg"
has run "$work/out" '^simulated +1\.000 s in 500 steps'
has record "$work/r.csv" '^time,qpos:hinge,sensor:angle,potential energy,kinetic energy$'
has plot "$work/p.svg" '<polyline'
expect 0 run-json sh -c "'$cf' run '$work/pendulum.xml' --time 0.1 --quiet --json | python3 -c 'import json,sys; d=json.load(sys.stdin); assert d[\"steps\"] == 50'"
expect 0 run-csv "$cf" run "$work/pendulum.xml" --time 0.2 --quiet --ctrl "csv:$work/ctrl.csv"
expect 0 run-noise "$cf" run "$work/pendulum.xml" --time 0.2 --quiet --ctrl noise --seed 3
expect 0 run-hash "$cf" run "$work/pendulum.xml" --time 0.2 --quiet --hash --record "$work/h.csv"
has run-hash "$work/out" '^state hash +[0-9a-f]{16}$'
has record-hash "$work/h.csv" '^0\.19[0-9]*,.*,[0-9a-f]{16}$'

# time: a duration counts from the time of the keyframe, of films and of pictures, too
cat >"$work/late.xml" <<'XML'
<mujoco><worldbody><light pos="0 0 3"/><body name="b"><joint name="j" axis="0 1 0"/><joint name="j,&quot;2&quot;" axis="1 0 0"/>
<geom type="capsule" size=".05" fromto="0 0 0 0 0 -1"/></body></worldbody><sensor><jointpos joint="j"/></sensor>
<keyframe><key name="late" time="3" qpos=".5 0"/><key name="early" time="-5"/><key name="far" time="1e17"/></keyframe></mujoco>
XML
for key in late 0 early far; do
  expect 0 "run: --time from keyframe $key" "$cf" run "$work/late.xml" --key $key --time 0.1 --quiet
  has "run: --time from keyframe $key" "$work/out" '^simulated .* in 50 steps of'
done
expect 0 'run: consistent rows' "$cf" run "$work/late.xml" --key late --time 0.01 --quiet --record - --plot 'qpos:j,sensor,xpos:b,com,qpos:j\,"2"'
has 'run: summary beside a record on standard output' "$work/err" '^simulated '
mv "$work/out" "$work/rows.csv"
expect 0 'run: rows belong to one state' python3 -c '
import csv, sys
head, *rows = csv.reader(open(sys.argv[1]))
assert len(rows) == 6 and head[1:3] == ["qpos:j", "sensor"] and head[-1] == "qpos:j,\"2\"", head
assert all(r[1] == r[2] for r in rows) and rows[0][2] != rows[1][2], rows' "$work/rows.csv"
expect 0 'run: a record has every column' "$cf" run "$source/models/soft/flag.xml" --time 0.004 --quiet --record "$work/wide.csv"
expect 0 'run: a record has every column' python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
assert len(rows) == 4 and len({len(r) for r in rows}) == 1 and sum("qvel" in c for c in rows[0]) == 144, rows[0]' "$work/wide.csv"
expect 0 'run: a plot says what it leaves out' "$cf" run "$source/models/soft/flag.xml" --time 0.004 --quiet --plot qvel --plot-file "$work/wide.svg"
has 'run: a plot says what it leaves out' "$work/err" "at most 64 lines; 'qvel.64' and what follows"
"$cf" run "$work/late.xml" --time 1e9 --quiet --json >"$work/stopped.json" & running=$!
sleep 0.5
kill -INT $running
wait $running
expect 130 'run: stopped by a signal' sh -c "exit $?"
expect 0 'run: the summary of a run that was stopped' python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["stopped_by_signal"] == 2 and d["steps"] > 0 and len(d["state"]["qpos"]) == 2, d' "$work/stopped.json"

# randomized worlds: parameters and initial states; nothing is without effect
worlds() { "$cf" batch "$work/late.xml" --worlds 8 --steps 10 --noise 0 --quiet "$@" | grep '^hash of all positions'; }
plain=$(worlds)
for line in 'qpos add 0.5 1' 'qvel add 3 4' 'body_mass scale 2 3'; do
  echo "$line" >"$work/draw.txt"
  [ "$line" = 'body_mass scale 2 3' ] && printf 'qvel add 1 2\nbody_mass scale 2 3\n' >"$work/draw.txt"
  drawn=$(worlds --randomize "$work/draw.txt")
  expect 0 "batch: $line" test -n "$drawn" -a "$drawn" != "$plain"
done
printf 'qvel add 1 1\n' >"$work/draw.txt"
printf '\xef\xbb\xbf# %0900d\nqvel add 1 1 # so it is\n\n' 7 >"$work/long.txt"
drawn=$(worlds --randomize "$work/draw.txt")
expect 0 'batch: long comments and a byte order mark' test -n "$drawn" -a "$(worlds --randomize "$work/long.txt")" = "$drawn"
expect 3 'batch: a folder is no file' "$cf" batch "$work/late.xml" --quiet --randomize "$work"
has 'batch: a folder is no file' "$work/err" 'Is a directory'
for line in 'xpos add 0 1' 'ncon add 0 1' 'eq_active add 0 1' 'qpos add 1 0' 'qpos add 0 inf' 'qpos mul 0 1' 'wings add 0 1' 'qpos add 0 1 2'; do
  echo "$line" >"$work/draw.txt"
  expect 2 "batch: $line" "$cf" batch "$work/late.xml" --worlds 2 --steps 1 --quiet --randomize "$work/draw.txt"
  has "batch: $line" "$work/err" 'draw.txt:1: .+'
done
for lanes in 2 3 5 8.5 -1 9; do expect 2 "batch: lanes $lanes" "$cf" batch "$work/late.xml" --lanes $lanes; done

# a table with a byte order mark keeps its first row
printf '\xef\xbb\xbf0,1\n' >"$work/mark.csv"
expect 0 'run: controls with a byte order mark' "$cf" run "$work/pendulum.xml" --time 0.01 --quiet --ctrl "csv:$work/mark.csv" --record "$work/r.csv" --plot ctrl --plot-file "$work/p.svg"
has 'run: controls with a byte order mark' "$work/r.csv" '^0,1$'
expect 3 'run: a folder is no table' "$cf" run "$work/pendulum.xml" --quiet --ctrl "csv:$work"
has 'run: a folder is no table' "$work/err" 'Is a directory'

# names of the humanoid alone do not make a model wave: its feet need geoms, each motor a hinge
wavers() {
  cat <<XML
<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/>
<body name="foot_right"><joint name="shoulder_1_right"/><geom size=".1"/></body>
<body name="foot_left"><joint name="shoulder_2_right"/>$1</body>
<body><joint name="elbow_right" type="$2"/><geom size=".1"/></body></body></worldbody>
<actuator><motor joint="elbow_right" gear="$3"/></actuator></mujoco>
XML
}
mass='<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
wavers '<geom size=".1"/>' hinge 9 >"$work/wave.xml"
expect 0 'run: a model with what waves' "$cf" run "$work/wave.xml" --time 0.01 --quiet --ctrl wave
for what in "$mass|hinge|9" '<geom size=".1"/>|slide|9' '<geom size=".1"/>|hinge|0'; do
  IFS='|' read -r foot joint gear <<<"$what"
  wavers "$foot" "$joint" "$gear" >"$work/wave.xml"
  expect 2 "run: cannot wave: $what" "$cf" run "$work/wave.xml" --time 0.01 --quiet --ctrl wave
done

# exchangeable parts: chosen, listed, refused
expect 0 info-parts "$cf" info "$source/models/extensions/actuator_models.xml"
has info-parts "$work/out" '^gain +hip: series_elastic, k_spring=60 damping=0.8 gear_ratio=0.5$'
expect 0 run-preset "$cf" run "$source/models/soft/towel.xml" --preset softbody --time 0.01 --quiet
expect 0 run-solver "$cf" run "$source/models/soft/bending.xml" --preset animation --contact-solver hunt_crossley --time 0.01 --quiet --save "$work/parts.mjb"
expect 0 info-saved "$cf" info "$work/parts.mjb"
has info-saved "$work/out" 'hunt_crossley'
has info-saved "$work/out" 'bridson'
expect 3 run-save-nowhere "$cf" run --time 0.01 --quiet --save "$work/no/such/folder/m.mjb"
expect 0 run-gain "$cf" run "$source/models/muscles.xml" --gain '*=fixed:2' --time 0.01 --quiet
expect 2 run-bad-preset "$cf" run --preset games --time 0.01 --quiet
has run-bad-preset "$work/err" "unknown preset 'games'; known are mujoco, animation, softbody"
expect 2 run-bad-gain "$cf" run "$source/models/muscles.xml" --gain 'nobody=fixed' --time 0.01 --quiet
has run-bad-gain "$work/err" "actuator 'nobody', which the model does not have"
expect 1 'run: a bad model with parts is a bad model' "$cf" run "$work/bad.xml" --preset softbody --time 0.01 --quiet
expect 3 'run: a missing model with parts is missing' "$cf" run "$work/nothing.xml" --preset softbody --time 0.01 --quiet
printf '<mujoco><worldbody><body><joint name="a&lt;b"/><geom size=".1"/></body></worldbody><keyframe><key time="1e17"/></keyframe></mujoco>' >"$work/odd&name.xml"
expect 0 'plot: any name, any time' "$cf" run "$work/odd&name.xml" --key 0 --time 0.01 --quiet --plot 'qpos:a<b' --plot-file "$work/odd.svg"
expect 0 'plot: any name, any time' python3 -c 'import sys, xml.dom.minidom as d; assert "qpos:a<b" in "".join(t.firstChild.data for t in d.parse(sys.argv[1]).getElementsByTagName("text"))' "$work/odd.svg"
expect 2 run-gain-once "$cf" run "$source/models/car.xml" --gain '*=none' --time 0 --quiet
expect 0 run-gain-once test "$(grep -c 'unknown gain model' "$work/err")" = 1
expect 0 run-integrator "$cf" run "$source/models/extensions/spring_damper.xml" --time 1 --quiet
expect 4 run-integrator-explicit "$cf" run "$source/models/extensions/spring_damper.xml" --integrator RK4 --time 1 --quiet
expect 2 run-bad-integrator "$cf" run --integrator Eulr --time 0.01 --quiet
has run-bad-integrator "$work/err" "there are Euler RK4 implicit implicitfast springdamper; did you mean 'Euler'"
expect 0 batch-integrator "$cf" batch "$source/models/extensions/spring_damper.xml" --worlds 3 --steps 50 --integrator springdamper --quiet
expect 0 info-integrator "$cf" info "$source/models/extensions/spring_damper.xml"
has info-integrator "$work/out" '^step .*springdamper'
expect 2 run-gain-form "$cf" run --gain abdomen --time 0.01 --quiet
expect 0 hash-repeats sh -c "'$cf' run '$work/pendulum.xml' --time 0.2 --quiet --hash | grep -q \"\$(tail -n 1 '$work/h.csv' | sed 's/.*,//')\""
printf 'time,drive\n0,0.5\n0.1,nan\n' >"$work/nan.csv"
printf 'time,drive\n1,0.5\n0.1,0\n' >"$work/back.csv"
printf 'time,drive\n' >"$work/none.csv"
expect 3 csv-nan "$cf" run "$work/pendulum.xml" --quiet --ctrl "csv:$work/nan.csv"
has csv-nan "$work/err" 'nan.csv:3: expected 2 finite numbers'
expect 3 csv-order "$cf" run "$work/pendulum.xml" --quiet --ctrl "csv:$work/back.csv"
has csv-order "$work/err" 'must not decrease'
expect 3 csv-empty "$cf" run "$work/pendulum.xml" --quiet --ctrl "csv:$work/none.csv"
expect 2 negative-time "$cf" run "$work/pendulum.xml" --time -1
has negative-time "$work/err" 'cannot be negative'
expect 2 bad-seed "$cf" run "$work/pendulum.xml" --seed -1
expect 2 bad-control "$cf" run "$work/pendulum.xml" --ctrl noisy
has bad-control "$work/err" 'expected none, noise'
sed 's|<worldbody>|<option timestep="0"/><worldbody>|' "$work/pendulum.xml" >"$work/still.xml"
expect 1 no-timestep "$cf" run "$work/still.xml" --quiet
expect 2 run-bad-signal "$cf" run "$work/pendulum.xml" --plot qpos:nothing
expect 3 run-bad-record "$cf" run "$work/pendulum.xml" --record "$work/no/such/folder.csv"
expect 4 unstable "$cf" run "$work/explode.xml" --key pulled --quiet
has unstable "$work/err" "joint 'spring' of body 'stiff'"
has unstable "$work/err" 'likely cause'
has unstable "$work/out" '^simulated +0\.0[1-9]0 s'
# soft bodies: what they hold in the summary, and the element when one blows up
cat >"$work/block.xml" <<'XML'
<mujoco model="block">
  <option gravity="0 0 0"/>
  <worldbody>
    <flexcomp name="block" type="grid" count="3 3 2" spacing="0.1 0.1 0.1" dim="3" radius="0.01" mass="1">
      <elasticity young="1e3" poisson="0.2"/><contact selfcollide="none" internal="false"/>
    </flexcomp>
    <flexcomp name="thread" type="grid" count="3 1 1" spacing="0.1 0.1 0.1" dim="1" radius="0.01" mass="1" pos="0 0 1">
      <edge stiffness="100"/><contact selfcollide="none" internal="false"/>
    </flexcomp>
  </worldbody>
  <keyframe>
    <key name="pulled" qpos="0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0.05 0 0  0 0 0  0 0 0  0.02 0 0"/>
    <key name="through" qpos="0 0 .25  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0"/>
  </keyframe>
</mujoco>
XML
expect 0 soft-rest "$cf" run "$work/block.xml" --time 0.004 --quiet
has soft-rest "$work/out" "^flex +'block': energy 0 J, worst strain 0 % .*inverted elements 0, most 0 of 24$"
expect 0 soft-energy "$cf" run "$work/block.xml" --key pulled --time 0.002 --quiet
has soft-energy "$work/out" "^flex +'thread': energy 0\.0199041 J, worst strain 20 % \(element 1, t = 0 s\)$"
has soft-strain "$work/out" "^flex +'block': energy 0\.[0-9]+ J, worst strain (4|5)[0-9.]* % \(element [0-9]+, t = 0 s\)"
expect 0 soft-inverted "$cf" run "$work/block.xml" --key through --time 0.002 --quiet
has soft-inverted "$work/out" "^flex +'block': .*inverted elements [1-9][0-9]*, most [1-9][0-9]* of 24$"
expect 0 soft-json sh -c "'$cf' run '$work/block.xml' --key through --time 0.002 --quiet --json | python3 -c 'import json,sys; f=json.load(sys.stdin)[\"flexes\"]; assert [x[\"name\"] for x in f] == [\"block\", \"thread\"] and f[0][\"inverted\"] > 0 and f[0][\"energy\"] > 0'"
sed 's/young="1e3"/young="1e9"/' "$work/block.xml" >"$work/stiff.xml"
expect 4 soft-unstable "$cf" run "$work/stiff.xml" --key pulled --quiet
has soft-unstable "$work/err" "soft body: element [0-9]+ of flex 'block', vertices [0-9]+, [0-9]+, [0-9]+, [0-9]+, an edge strained by"
has soft-unstable "$work/err" 'likely cause: a soft body is too stiff'
has soft-unstable "$work/err" 'implicit_stiffness="true"'
sed 's/dim="3"/dim="3" implicit_stiffness="true"/' "$work/stiff.xml" >"$work/implicit.xml"
expect 0 soft-implicit "$cf" run "$work/implicit.xml" --key pulled --quiet --time 0.1
sed 's/stiffness="1e9"/stiffness="nan"/' "$work/explode.xml" >"$work/nan.xml"
expect 4 nan-in-model "$cf" run "$work/nan.xml" --quiet
has nan-in-model "$work/err" "the model has a NaN: jnt_stiffness of 'spring'"
sed 's/qpos="1"/qpos="inf"/' "$work/explode.xml" >"$work/inf.xml"
expect 4 nan-in-state "$cf" run "$work/inf.xml" --key pulled --quiet
has nan-in-state "$work/err" 'the state at the start, from a keyframe or the model, is not a number'
sed 's/qpos="1"/qpos="inf" time="3"/' "$work/explode.xml" >"$work/inf.xml"
expect 4 nan-in-late-state "$cf" run "$work/inf.xml" --key pulled --quiet
has nan-in-late-state "$work/err" 'the state at the start, from a keyframe or the model, is not a number'
sed 's/qpos="1"/qvel="nan" time="3"/' "$work/explode.xml" >"$work/inf.xml"
expect 4 nan-in-velocity "$cf" run "$work/inf.xml" --key pulled --quiet
has nan-in-velocity "$work/err" 'a velocity at the start, from a keyframe, is not a number'
has help-parts <("$cf" help run) "^  cortenforge run model.xml --gain 'hip=series_elastic"
has help-parts <("$cf" help run) '^    k_spring +100'
has help-soft <("$cf" help run) 'inside out'
expect 0 compile-mjb "$cf" compile "$work/pendulum.xml" "$work/p.mjb"
expect 0 compile-xml "$cf" compile "$work/pendulum.xml" "$work/p2.xml"
expect 0 compile-txt "$cf" compile "$work/p.mjb" "$work/p.txt"
expect 0 reload "$cf" info "$work/p2.xml"
expect 2 compile-unknown "$cf" compile "$work/pendulum.xml" "$work/p.doc"
expect 0 bench "$cf" bench "$work/pendulum.xml" --steps 100
has bench "$work/out" 'steps/s'
expect 2 bench-steps "$cf" bench "$work/pendulum.xml" --steps 0
has bench-steps "$work/err" 'whole number'
expect 0 schema "$cf" schema
has schema "$work/out" 'mujoco'
expect 0 'schema --attributes' "$cf" schema --attributes
has 'schema --attributes' "$work/out" 'solreflimit .*number \(1-2\) = 0.02 1'
has 'schema --attributes' "$work/out" 'type .*word \{free ball slide hinge\} = hinge'
expect 0 'schema --json' "$cf" schema --json
has 'schema --json' "$work/out" '"default": *"hinge"'
expect 0 embedded "$cf" run --time 0.05 --quiet
# models from standard input, pipes and folders that are none
expect 0 'stdin: MJCF' sh -c "'$cf' info - <'$work/pendulum.xml'"
has 'stdin: MJCF' "$work/out" '^model +pendulum$'
"$cf" compile "$work/pendulum.xml" "$work/pendulum.mjb" --quiet
expect 0 'stdin: binary' sh -c "cat '$work/pendulum.mjb' | '$cf' info /dev/stdin"
has 'stdin: binary' "$work/out" '^model +pendulum$'
expect 0 'stdin: a pipe of the shell' bash -c "'$cf' compile <(cat '$work/pendulum.xml') '$work/piped.mjb' --quiet"
expect 0 'stdin: not the humanoid' cmp "$work/pendulum.mjb" "$work/piped.mjb"
expect 0 'stdin: with parts' sh -c "'$cf' run - --preset softbody --time 0.01 --quiet <'$source/models/soft/towel.xml'"
expect 0 'stdin: controls' sh -c "printf '0,1\n' | '$cf' run '$work/pendulum.xml' --time 0.01 --quiet --ctrl csv:- --record '$work/r.csv' --plot ctrl --plot-file '$work/p.svg'"
has 'stdin: controls' "$work/r.csv" '^0,1$'
expect 0 'stdin: rules of worlds' sh -c "printf 'qvel add 1 1\n' | '$cf' batch '$work/late.xml' --worlds 8 --steps 10 --noise 0 --quiet --randomize -"
has 'stdin: rules of worlds' "$work/out" "^$drawn"
expect 2 'no file of the name -' "$cf" run "$work/pendulum.xml" --time 0.01 --quiet --save -
has 'no file of the name -' "$work/err" '--save -: expected the name of a file'
expect 3 'a name that is empty' "$cf" info ''
has 'a name that is empty' "$work/err" 'the name of the file is empty'
expect 0 'help after options' "$cf" run --json --help
has 'help after options' "$work/out" '^SYNOPSIS'
expect 0 'long lists of gains' "$cf" run "$source/models/muscles.xml" --time 0 --quiet --gain "$(printf '*=fixed:2,%.0s' $(seq 400))*=fixed:2"
expect 1 'stdin: nothing' "$cf" run - </dev/null
expect 3 'a folder is no model' "$cf" info "$work"
has 'a folder is no model' "$work/err" 'Is a directory; expected a model'

# failures are JSON for those who asked for JSON
expect 1 'json: bad model' "$cf" run "$work/bad.xml" --json
mv "$work/out" "$work/failure.json"
expect 0 'json: bad model' python3 -c '
import json, sys
e = json.load(open(sys.argv[1]))["error"]
assert e["status"] == 1 and e["kind"] == "bad model" and "siz" in e["messages"][0], e' "$work/failure.json"
# names may hold any bytes; JSON is UTF-8
printf '<mujoco model="na\xefve \xc3\xa9 \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80 \xe2\x82"><worldbody><body name="b\xff&quot;\\"><joint name="j\x01"/><geom size=".1"/></body></worldbody></mujoco>' >"$work/bytes.xml"
printf '<mujoco><worldbody><gom\xff/></worldbody></mujoco>' >"$work/badbytes.xml"
for command in "info $work/bytes.xml --json --names" "run $work/bytes.xml --time 0.01 --quiet --json" "run $work/badbytes.xml --json"; do
  "$cf" $command >"$work/bytes.json" 2>/dev/null
  expect 0 "json: any bytes: $command" python3 -c 'import json, sys; assert json.loads(open(sys.argv[1], "rb").read().decode("utf-8"))' "$work/bytes.json"
done
"$cf" info "$work/bytes.xml" --json >"$work/bytes.json" 2>/dev/null
expect 0 'json: bytes are Latin-1' python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["model"].startswith("na\u00efve \u00e9 \u00ed\u00a0"), d["model"]' "$work/bytes.json"
expect 2 'nearest command' "$cf" redner
has 'nearest command' "$work/err" "did you mean 'render'"
expect 2 'nearest option' "$cf" run --contactsolver=lcp
has 'nearest option' "$work/err" 'did you mean --contact-solver'
expect 2 'nothing is near' "$cf" zzzzzz
has 'nothing is near' "$work/err" 'help. lists them'

expect 2 'numbers that are none' "$cf" run --time 1e400
has 'numbers that are none' "$work/err" "'1e400' is too large"
expect 2 'numbers that are none' "$cf" run --time nan
has 'numbers that are none' "$work/err" "'nan' is not finite"
expect 2 'numbers that are none' "$cf" run --time 1x
has 'numbers that are none' "$work/err" "'1x' is not a number"

# an extension of one's own, without a program around it
cat >"$work/motor.xml" <<'XML'
<mujoco><option integrator="implicitfast"/><worldbody><body><joint name="j" axis="0 0 1"/><geom size=".1" mass="1"/></body></worldbody>
<actuator><general joint="j" gaintype="custom" cortenforge:gain_model="soft_motor" cortenforge:gain_params="drag=0.5"/></actuator></mujoco>
XML
expect 1 'plugin: without it' "$cf" run "$work/motor.xml" --quiet
if [ -n "${3:-}" ]; then
  expect 0 'plugin: run' "$cf" run "$work/motor.xml" --quiet --plugin "$3" --time 0.01
  expect 0 'plugin: batch' "$cf" batch "$work/motor.xml" --quiet --plugin "$3" --worlds 2 --steps 3
  expect 0 'plugin: a name without a folder' sh -c "cd '$(dirname "$3")' && '$(realpath "$cf")' run '$work/motor.xml' --quiet --plugin '$(basename "$3")' --time 0.01"
fi

# MJCF in another folder finds the same files; a binary has no MJCF
mkdir -p "$work/else/where"
for model in assets/mesh_files.xml assets/textures.xml assets/hfield_files.xml assets/skins.xml urdf/mesh_link.urdf frames/include.xml; do
  expect 0 "compile elsewhere: $model" "$cf" compile "$source/models/$model" "$work/else/where/m.xml"
  expect 0 "compile elsewhere: $model" "$cf" compile "$work/else/where/m.xml" "$work/else/there.mjb"
done
expect 2 'compile: a binary to MJCF' "$cf" compile "$work/pendulum.mjb" "$work/p3.xml"
has 'compile: a binary to MJCF' "$work/err" 'a binary model has no MJCF'

# states of worlds as files: the same numbers in both formats
expect 0 'batch: --out' "$cf" batch "$work/late.xml" --worlds 3 --steps 7 --quiet --out "$work/w.csv"
expect 0 'batch: --out' "$cf" batch "$work/late.xml" --worlds 3 --steps 7 --quiet --out "$work/w.npy"
expect 0 'batch: --out' python3 -c '
import csv, struct, sys
head, *rows = csv.reader(open(sys.argv[1]))
b = open(sys.argv[2], "rb").read()
start = 10 + int.from_bytes(b[8:10], "little")
about = eval(b[10:start])
assert b[:8] == b"\x93NUMPY\x01\x00" and start % 64 == 0 and b[start - 1:start] == b"\n" and about == {"descr": "<f8", "fortran_order": False, "shape": (3, 5)}, about
assert head == ["time", "qpos.0", "qpos.1", "qvel.0", "qvel.1"] and len(rows) == 3
assert [float(x) for r in rows for x in r] == list(struct.unpack("<15d", b[start:])) and abs(float(rows[0][0]) - 0.014) < 1e-12' "$work/w.csv" "$work/w.npy"
expect 3 'batch: --out to a full disk' sh -c "ln -sf /dev/full '$work/full.csv' && '$cf' batch '$work/late.xml' --worlds 3 --steps 7 --quiet --out '$work/full.csv'"

# a full disk is no success
for command in "info $work/pendulum.xml" "info $work/pendulum.xml --json" schema 'schema --attributes' 'schema --json' 'schema --html' \
  "run $work/pendulum.xml --time 0.01 --quiet" "run $work/pendulum.xml --time 0.01 --quiet --json" 'help' 'help run' 'help --json' --version doctor \
  "bench $work/pendulum.xml --steps 10" "batch $work/pendulum.xml --worlds 2 --steps 2 --quiet" "run $work/pendulum.xml --time 0.01 --quiet --record -"; do
  expect 3 "full disk: $command" sh -c "'$cf' $command >/dev/full"
  has "full disk: $command" "$work/err" 'No space left on device'
done
expect 3 'full disk: a long run ends' timeout 60 "$cf" run "$work/pendulum.xml" --time 1e9 --quiet --record /dev/full
expect 3 'full disk: record' "$cf" run "$work/pendulum.xml" --time 1 --quiet --record /dev/full
has 'full disk: record' "$work/err" 'could not write /dev/full: No space left'

# pictures: what needs no OpenGL, then the rest
expect 0 help-render "$cf" help render
has help-render "$work/out" '^EXIT STATUS'
for option in "--size 64x48" "--camera free" "--fps 10"; do
  expect 2 "run: $option without a film" "$cf" run "$work/pendulum.xml" --time 0.01 --quiet $option
  has "run: $option without a film" "$work/err" "$option has no effect without --video FILE"
done
expect 2 render-size "$cf" render "$work/pendulum.xml" --size 640
has render-size "$work/err" 'expected WIDTHxHEIGHT'
expect 2 render-camera "$cf" render "$work/pendulum.xml" --camera nowhere
has render-camera "$work/err" "no camera 'nowhere'; it has none"
for camera in 0,0,nan 0,0,0 0,0,-1 inf,0,1 0,nan,1 0,0,1,0,0,nan 0,0,1,0,0 0,0,1x 0,0; do
  expect 2 "render: camera $camera" "$cf" render "$work/pendulum.xml" --camera $camera --out "$work/no.png"
  has "render: camera $camera" "$work/err" 'finite numbers, a distance above 0'
done
expect 2 render-keyframe "$cf" render "$work/pendulum.xml" --keyframe 0
expect 2 render-both "$cf" render "$work/pendulum.xml" --depth --segmentation
expect 2 video-rate "$cf" run "$work/pendulum.xml" --quiet --video "$work/v.mp4" --fps 0
# no library of OpenGL is found: a clear error, and the rest of the program runs
mkdir -p "$work/without"
for library in libEGL.so.1 libOSMesa.so.8 libOSMesa.so.6 libOSMesa.so; do : >"$work/without/$library"; done
expect 3 render-no-opengl env LD_LIBRARY_PATH="$work/without" "$cf" render "$work/pendulum.xml" --out "$work/no.png"
has render-no-opengl "$work/err" 'no OpenGL without a screen.*libegl1'
# a window needs a display and GLFW; without them the way out is named
expect 0 help-view "$cf" help view
has help-view "$work/out" 'Ctrl-Q quit'
expect 2 view-size "$cf" view --size 640
expect 3 view-no-display env -u DISPLAY -u WAYLAND_DISPLAY "$cf" view "$work/pendulum.xml"
has view-no-display "$work/err" 'there is no display.*cortenforge render'
for library in libglfw.so.3 libglfw.so; do : >"$work/without/$library"; done
expect 3 view-no-glfw env DISPLAY=:9 LD_LIBRARY_PATH="$work/without" "$cf" view "$work/pendulum.xml"
has view-no-glfw "$work/err" 'GLFW 3 is not there.*libglfw3.*cortenforge render'
expect 0 run-no-opengl env LD_LIBRARY_PATH="$work/without" "$cf" run "$work/pendulum.xml" --time 0.1 --quiet
if "$cf" render "$work/pendulum.xml" --size 8x8 --out "$work/probe.png" >/dev/null 2>&1; then
  # png FILE WIDTH HEIGHT BITS: what the header says
  png() { python3 -c 'import struct, sys; b = open(sys.argv[1], "rb").read(); assert b[:8] == b"\x89PNG\r\n\x1a\n"; assert [*struct.unpack(">IIB", b[16:25])] == [*map(int, sys.argv[2:])], b[16:25]' "$@"; }
  expect 0 render "$cf" render "$source/models/humanoid.xml" --camera side --size 60x40 --time 0.1 --out "$work/a.png"
  has render "$work/out" 'a\.png, 60 x 40, t = 0\.1 s$'
  expect 0 render-file png "$work/a.png" 60 40 8
  expect 0 render-again "$cf" render "$source/models/humanoid.xml" --camera 0 --size 60x40 --time 0.1 --out "$work/b.png" --quiet
  expect 0 render-repeats cmp "$work/a.png" "$work/b.png"
  expect 0 render-aimed "$cf" render "$source/models/humanoid.xml" --camera 90,-20,3 --size 60x40 --time 0.1 --out "$work/b.png"
  expect 1 render-differs cmp "$work/a.png" "$work/b.png"
  expect 0 render-depth "$cf" render "$work/pendulum.xml" --depth --size 60x40 --out "$work/d.png"
  expect 0 render-depth-file png "$work/d.png" 60 40 16
  expect 0 render-segments "$cf" render "$source/models/humanoid.xml" --segmentation --size 60x40 --out "$work/s.png"
  has render-segments "$work/out" ' pixels +geom +floor$'
  # more geoms than a scene has room for at first: all are drawn, without a warning
  echo '<mujoco><visual><quality shadowsize="0" offsamples="0"/></visual><worldbody><light pos="0 0 9" castshadow="false"/><replicate count="23000" offset="1e-5 0 0"><geom size=".01"/></replicate><geom name="last" pos="0 0 .1" size=".02"/></worldbody></mujoco>' >"$work/crowd.xml"
  expect 0 render-many "$cf" render "$work/crowd.xml" --segmentation --size 60x40 --out "$work/s.png"
  has render-many "$work/out" ' pixels +geom +last$'
  expect 1 render-many-silent grep -q . "$work/err"
  expect 3 render-unwritable "$cf" render "$work/pendulum.xml" --size 8x8 --out "$work/no/such/folder.png"
  expect 0 video-numbered "$cf" run "$work/pendulum.xml" --time 0.2 --quiet --video "$work/f.png" --size 16x16 --fps 20
  has video-numbered "$work/out" '^video .*, 5 frames$'
  expect 0 video-files test -s "$work/f_00004.png" -a ! -e "$work/f_00005.png"
  expect 0 video-no-ffmpeg env PATH=/nowhere "$cf" run "$work/pendulum.xml" --time 0.1 --quiet --video "$work/g.mp4" --size 16x16 --fps 10
  has video-no-ffmpeg "$work/err" 'no ffmpeg'
  expect 0 video-no-ffmpeg-files test -s "$work/g_00001.png"
  if command -v ffmpeg >/dev/null; then
    expect 0 video "$cf" run "$work/pendulum.xml" --time 0.2 --quiet --video "$work/v.mp4" --size 33x17
    expect 0 video-file test -s "$work/v.mp4"
    expect 3 video-unwritable "$cf" run "$work/pendulum.xml" --time 0.2 --quiet --video "$work/no/such/v.mp4"
  else
    echo "SKIP video: no ffmpeg"
  fi
elif [ "${CI:-}" = true ]; then
  failed=$((failed + 1))
  echo "FAILED render: no OpenGL"
else
  skipped=1
  echo "SKIP render: no OpenGL"
fi
# compare and race: what needs no reference
expect 0 help-compare "$cf" help compare
has help-compare "$work/out" '^EXIT STATUS'
expect 0 help-race "$cf" help race
expect 2 compare-nothing "$cf" compare
expect 2 compare-kind "$cf" compare "$work/pendulum.xml" --kind weight
has compare-kind "$work/err" 'expected both, model, step or contact'
expect 2 compare-option "$cf" compare "$work/pendulum.xml" --option cone=1,colour=2
has compare-option "$work/err" 'colour=2: expected KEY=NUMBER'
expect 2 compare-exclude "$cf" compare "$work/pendulum.xml" --exclude wings
expect 2 compare-steps "$cf" compare "$work/pendulum.xml" --steps 1.5
expect 2 race-pairs "$cf" race "$work/pendulum.xml" --pairs 0
expect 3 compare-missing "$cf" compare "$work/nothing.xml"
mkdir -p "$work/empty" "$work/bin"
expect 3 compare-empty "$cf" compare "$work/empty"
has compare-empty "$work/err" 'no model found'
expect 3 compare-no-reference "$cf" compare "$work/pendulum.xml" --reference "$work/none.so"
# nowhere to be found: it says how to get it.  A copy of the program, so that build/refenv is not beside it
cp "$cf" "$work/bin/cortenforge"
expect 3 compare-none-installed env -u MUJOCO_REFERENCE_LIB PATH=/nowhere LD_LIBRARY_PATH="$(dirname "$cf")" "$work/bin/cortenforge" compare "$work/pendulum.xml"
has compare-none-installed "$work/err" 'pip install mujoco==3.5.0'

if "$cf" compare "$work/pendulum.xml" >/dev/null 2>"$work/err"; [ $? -ne 3 ]; then
  has found-by "$work/err" '^reference: .*\(found by '
  expect 0 compare "$cf" compare "$source/models/humanoid.xml"
  has compare "$work/out" '^1 passed, 0 failed, 0 skipped$'

  # a folder: models of their own and what neither library accepts, no parts of models
  mkdir -p "$work/folder/below"
  cp "$work/pendulum.xml" "$work/folder/"
  cp "$work/bad.xml" "$work/folder/below/"
  cp "$source/models/stack.xml" "$work/folder/below/"
  echo '<mujocoinclude><geom size="1"/></mujocoinclude>' >"$work/folder/part.xml"
  expect 0 compare-folder "$cf" compare "$work/folder" --csv "$work/c.csv"
  has compare-folder "$work/out" '^3 passed, 0 failed, 0 skipped$'
  has compare-rejects "$work/out" '^ok +both-reject .*below/bad.xml$'
  has compare-rejects "$work/out" '^1 of them are refused by MuJoCo and by us$'
  has compare-csv "$work/c.csv" '^below/stack.xml,ok,'
  expect 0 compare-csv-lines test "$(wc -l <"$work/c.csv")" = 4
  expect 0 compare-only "$cf" compare "$work/folder" --only stack --kind contact --strict --option cone=1,solver=1 --steps 3
  has compare-only "$work/out" '^1 passed, 0 failed, 0 skipped$'
  expect 0 compare-limit "$cf" compare "$work/folder" --limit 1 --kind model
  expect 0 compare-json sh -c "'$cf' compare '$work/folder' --json | python3 -c 'import json,sys; d=json.load(sys.stdin); assert d[\"passed\"] == 3 and len(d[\"models\"]) == 3'"
  expect 0 compare-verbose "$cf" compare "$source/models/humanoid.xml" --verbose
  has compare-verbose "$work/out" '^ +step +qacc .*\(noise '

  # a list in the folder: its models in its order, its noise
  printf 'path,step_noise,model_noise\nbelow/stack.xml,7e7,0\npendulum.xml,0,0\n' >"$work/folder/MANIFEST.csv"
  expect 0 compare-listed "$cf" compare "$work/folder"
  has compare-listed "$work/out" '^2 passed, 0 failed, 0 skipped$'
  has compare-listed "$work/out" ' 7e\+07  below/stack.xml$'

  # what is left out is counted, and nothing compared is no success
  expect 0 compare-skip "$cf" compare "$work/folder" --exclude u
  has compare-skip "$work/out" '^1 passed, 0 failed, 1 skipped$'
  expect 3 compare-all-skipped "$cf" compare "$work/pendulum.xml" --exclude u
  has compare-all-skipped "$work/out" '^0 passed, 0 failed, 1 skipped$'

  # a model that takes too long fails alone
  expect 1 compare-timeout "$cf" compare "$source/models/grasp.xml" "$work/pendulum.xml" --steps 1000000 --timeout 1 --jobs 2
  has compare-timeout "$work/out" '^FAIL timeout .*grasp.xml$'

  expect 0 race "$cf" race "$work/pendulum.xml" --pairs 3 --block 1 --csv "$work/race.csv"
  has race "$work/out" '^geometric mean [0-9.]+ over 1 models'
  has race "$work/out" '^1 timed, 0 failed, 0 skipped$'
  has race-csv "$work/race.csv" '^[0-9.]+,[0-9.]+,[0-9.]+,.*pendulum.xml$'
  expect 3 race-skipped "$cf" race "$work/bad.xml" --pairs 1
elif [ "${CI:-}" = true ]; then
  failed=$((failed + 1))
  echo "FAILED compare: no reference library"
else
  skipped=1
  echo "SKIP compare: no reference library"
  [ "${CI:-}" = true ] && failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] || exit 1
# 77: ctest counts it as skipped
[ $skipped -eq 0 ] || exit 77
