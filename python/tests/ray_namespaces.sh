#!/usr/bin/env bash
# Two nodes of Ray in network namespaces of their own, a cable between them: rollouts on both, then with the cable pulled.
#
#   ray_namespaces.sh BUILD
# Needs root, iproute2 and Ray in the environment of the package; without them skipped.
set -u
build=$(cd "$1" && pwd)
python=${CF_PYENV:-build/pyenv}/bin/python
skip() {
  echo "SKIP ray_namespaces: $1"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "needs root"
command -v ip >/dev/null || skip "needs iproute2"
"$python" -c 'import ray, numpy' 2>/dev/null || skip "needs Ray: pip install ray"
a=cfa$$ b=cfb$$ work=$(mktemp -d)
end() {
  for pid in $(ip netns pids $a 2>/dev/null) $(ip netns pids $b 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
  ip netns del $a 2>/dev/null
  ip netns del $b 2>/dev/null
  rm -rf "$work"
}
trap end EXIT
ip netns add $a && ip netns add $b && ip link add v$a type veth peer name v$b || skip "network namespaces cannot be made here"
ip link set v$a netns $a && ip link set v$b netns $b
ip -n $a addr add 10.77.0.1/24 dev v$a
ip -n $b addr add 10.77.0.2/24 dev v$b
for n in $a $b; do ip -n $n link set v$n up && ip -n $n link set lo up; done

export PYTHONPATH=$build/python RAY_health_check_period_ms=1000 RAY_health_check_failure_threshold=3 RAY_AUTH_MODE=disabled
ray=$(dirname "$python")/ray
ip netns exec $a "$ray" start --head --node-ip-address=10.77.0.1 --port=6390 --num-cpus=1 --include-dashboard=false --disable-usage-stats \
  --object-store-memory=100000000 >"$work/a.log" 2>&1 || { cat "$work/a.log"; exit 1; }
# a folder of sessions of its own, as on another machine
mkdir -p /tmp/ray
ip netns exec $b unshare -m bash -c "mount -t tmpfs tmpfs /tmp/ray && '$ray' start --address=10.77.0.1:6390 --node-ip-address=10.77.0.2 --num-cpus=1 \
  --disable-usage-stats --object-store-memory=100000000" >"$work/b.log" 2>&1 || { cat "$work/b.log"; exit 1; }
CF_PULL="ip -n $a link set v$a down" timeout 400 ip netns exec $a "$python" python/tests/ray_two_nodes.py
