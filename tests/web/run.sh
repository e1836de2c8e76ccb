#!/usr/bin/env bash
# run.sh BUILD [bits|sizes|page ...]: the module of build/web in node against the native build in BUILD, the sizes of what
# browsers load, and the page in Chromium; all of them if none is named.
#
# Prints one line per part. Exit 77 where nothing failed and a part could not run; the last line says why.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
shift
parts=${*:-bits sizes page}
skipped=
command -v node >/dev/null || { echo "web: skipped, there is no node"; exit 77; }
[ -f build/web/cortenforge.html ] || { echo "web: skipped, there is no build/web/cortenforge.html (make web)"; exit 77; }

run_bits() {
  local work
  "$build/tests/web_sweep" 0 >/dev/null
  [ $? != 77 ] || { skipped="$build uses the elementary functions of the system"; return 0; }
  work=$(mktemp -d)
  find models tests/data -name '*.xml' | sort | xargs "$build/tests/web_sweep" 100 >"$work/native" &&
    node tests/web/bits.mjs build/web/cortenforge.wasm tests/data/determinism/golden.txt "$work/native"
  local code=$?
  rm -rf "$work"
  return $code
}

# limits in bytes: module and app compressed by brotli, the page as it is
run_sizes() {
  node -e '
    const sizes = JSON.parse(fs.readFileSync("build/web/sizes.json")), limits = { module: 700e3, app: 260e3, page: 2.3e6 };
    const large = Object.keys(limits).filter(name => !(sizes[name] <= limits[name]));
    console.log("sizes in bytes: " + JSON.stringify(sizes) + (large.length ? ", too large: " + large : ""));
    process.exit(large.length ? 1 : 0);'
}

run_page() {
  command -v chromium >/dev/null || { skipped="there is no chromium (tools/setup.sh web-test)"; return 0; }
  node tests/web/page.mjs "$(command -v chromium)" build/web "$build/cortenforge"
}

for part in $parts; do
  "run_$part" || exit 1
done
[ -z "$skipped" ] || { echo "web: a part skipped, $skipped"; exit 77; }
echo "web: $parts as they should be"
