#!/usr/bin/env bash
# What a GPU has to prove, in one run: the figures of docs/batch.md.
#
#   tools/gpu/proof.sh FOLDER [PART...]
#
# FOLDER holds `check` (tools/gpu/check.c), libcortenforge.so and cortenforge.kernels of its sources; besides
# timeline.so (tools/gpu/timeline.c), `rigid` and `large` (lists of model files, one per line) where there are such.
# Each part has its own time limit, and none keeps the next one from running.  Parts, the most valuable first:
#   differ   one model with many states, where bits once differed (CF_DIFFER names it)
#   speed    base tier        first   time to a first step       few     256 worlds, one step
#   fast     the table        repeat  the same hash twice        team    fast tier against the CPU
#   bits     models of `rigid`        large   those of `large`   own     our own models
#   long     100,000 steps of 4,096 humanoids                    clean   compute-sanitizer
set -u
cd "$(dirname "$0")/../.."
room=$(cd "$1" && pwd)
shift
export LD_LIBRARY_PATH=$room CORTENFORGE_KERNELS=$room/cortenforge.kernels
check=$room/check
begin=$(date +%s)

# part SECONDS COMMAND...: with its limit and what it took
part() {
  local limit=$1 from
  shift
  from=$(date +%s)
  timeout "$limit" "$@" || echo "part: status $? of $*" | cut -c1-200
  echo "part: $(($(date +%s) - from)) s, $(($(date +%s) - begin)) s in all: $(echo "$*" | cut -c1-120)"
}

robots=$(printf 'models/robots/%s.xml ' biped quadruped mesh_quadruped hand arm_gripper ant planar_runner hopper)
run() {
  case $1 in
    differ) part 60 $check states ${CF_DIFFER_STATES:-65536} 50 ${CF_DIFFER:-$room/models/engine/collision_box/boxbox_bad1.xml} ;;
    speed) for n in 65536 32768; do part 40 $check speed models/humanoid.xml $n 10 20; done ;;
    first)
      for k in 1 2 3; do
        part 20 $check speed models/humanoid.xml 4096 10 1
        part 20 $check team-speed models/humanoid.xml 10 1 4096
      done
      for how in "speed models/humanoid.xml 4096 10 1" "team-speed models/humanoid.xml 10 1 4096"; do
        CORTENFORGE_CUDA_DRIVER=$room/timeline.so part 20 $check $how
      done ;;
    few) part 20 $check team-speed models/humanoid.xml 1 200 256 ;;
    fast)
      part 20 $check team-speed models/humanoid.xml 10 8 8192 32768 65536
      for model in $room/models/model/humanoid/humanoid.xml $robots; do part 20 $check team-speed $model 10 8 32768; done
      for model in models/humanoid.xml models/robots/quadruped.xml; do
        CHECK_SENSORS=1 part 20 $check team-speed $model 10 8 32768
        CHECK_OWN=1 part 20 $check team-speed $model 10 8 32768
      done ;;
    base) for model in $robots; do part 20 $check speed $model 32768 10 8; done ;;
    repeat)
      for how in double double single single; do part 20 $check team-long models/humanoid.xml 4096 2000 $how; done
      for k in 1 2; do part 20 $check long models/humanoid.xml 4096 200; done ;;
    team) part 60 $check team-compare 256 models/humanoid.xml $room/models/model/humanoid/humanoid.xml $robots ;;
    bits)  # in groups: a model that ends the program costs the rest of its group
      while read -r group; do part 60 $check states 1000 45 $group; done < <(sed "s|^|$room/|" "$room/rigid" | xargs -n 30) ;;
    large) for model in $(cat "$room/large"); do part 12 $check states 1000 10 "$room/$model"; done ;;
    own) part 60 $check states 1000 50 models/*.xml models/*/*.xml ;;
    long) part 110 $check team-long models/humanoid.xml 4096 100000 double ;;
    clean)
      for tool in memcheck racecheck synccheck; do
        part 60 compute-sanitizer --tool $tool $check team-compare 64 models/humanoid.xml models/robots/arm_gripper.xml
      done
      part 60 compute-sanitizer --tool memcheck $check states 64 50 models/robots/cartpole.xml ;;
    *) echo "proof: there is no part $1" ;;
  esac
}
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1
nproc
for name in "${@:-differ}"; do
  run "$name"
done
