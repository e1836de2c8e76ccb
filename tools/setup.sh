#!/usr/bin/env bash
# Install what the build and the tests need and this machine lacks.
#
#   setup.sh build    compiler, CMake and libraries
#   setup.sh run      the same, plus OpenGL in software, for pictures
#   setup.sh conform  the same as build, plus the reference under build/refenv
#   setup.sh test     the same, plus what only the tests need, plus the reference under build/refenv
#   setup.sh python   what the Python package needs, and an environment that has it: build/pyenv
#   setup.sh cross    the compiler for other systems, ziglang 0.17.0, under build/cross/venv
#   setup.sh web      the same, and the packages of the page under build/web/npm
#   setup.sh web-test the same, and Chromium, for the tests of the page
#   setup.sh gpu      what kernels for GPUs are made with: clang 19 with llvm, and ptxas under build/gpu/venv
#
# Without a way to install (no root, no network) it prints the command to run as root and goes on: the build then fails
# where something is really needed, and tests without the reference skip.
set -u
cd "$(dirname "$0")/.." || exit 1
what=${1:-build}

# program-or-header : Debian package
build_needs="cc:gcc gcc:gcc cmake:cmake ninja:ninja-build python3:python3 pkg-config:pkg-config
  /usr/include/libqhull_r/libqhull_r.h:libqhull-dev
  /usr/include/ccd/ccd.h:libccd-dev /usr/include/spng.h:libspng-dev"
test_needs="/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core /usr/include/cmocka.h:libcmocka-dev /usr/include/zlib.h:zlib1g-dev c++:g++ clang:clang ld.lld:lld clang-format-14:clang-format-14 git:git
  aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/include/stdio.h:libc6-dev-arm64-cross
  qemu-aarch64-static:qemu-user-static
  Xvfb:xvfb /usr/include/X11/Xlib.h:libx11-dev /usr/include/X11/extensions/XTest.h:libxtst-dev"

web_needs="node:nodejs npm:npm"

present() {
  case $1 in
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

missing=
needs=$build_needs
[ "$what" = test ] && needs="$needs $test_needs"
[[ $what = web* ]] && needs="$needs $web_needs"
[ "$what" = web-test ] && needs="$needs chromium:chromium"
[ "$what" = gpu ] && needs="$needs clang-19:clang-19 /usr/lib/llvm-19/bin/llc:llvm-19 /usr/lib/llvm-19/lib/clang/19/lib/linux:libclang-rt-19-dev"
for need in $needs; do
  present "${need%%:*}" || missing="$missing ${need##*:}"
done
if [ "$what" = conform ] || [ "$what" = cross ] || [[ $what = web* ]]; then
  python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"
fi
if [ "$what" = python ] || [ "$what" = test ]; then
  # headers of Python, for the package's extension, and environments to put it in
  python3 -c 'import os, sysconfig; exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' || missing="$missing python3-dev"
  python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"
fi
if [ "$what" = test ] || [ "$what" = run ]; then
  # OpenGL in software, for pictures
  /sbin/ldconfig -p | grep -q 'libEGL_mesa\.so\.0' || missing="$missing libegl1"
  ls /usr/lib/*/dri/swrast_dri.so >/dev/null 2>&1 || missing="$missing libgl1-mesa-dri"
fi
if [ "$what" = test ]; then
  /sbin/ldconfig -p | grep -q 'libOSMesa\.so\.8' || missing="$missing libosmesa6"
  # and windows on a virtual display, for viewers
  /sbin/ldconfig -p | grep -q 'libglfw\.so\.3' || missing="$missing libglfw3"
  /sbin/ldconfig -p | grep -q 'libGL\.so\.1' || missing="$missing libgl1"
  /sbin/ldconfig -p | grep -q 'libGLX_mesa\.so\.0' || missing="$missing libglx-mesa0"
  ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a >/dev/null 2>&1 || missing="$missing libclang-rt-dev"
fi

# each once
missing=$(for package in $missing; do echo "$package"; done | awk '!seen[$0]++ { printf " %s", $0 }')

if [ -n "$missing" ] && [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
  echo "setup: missing on this machine, and only root can install it.  Please run:" >&2
  echo "  sudo apt-get install --no-install-recommends libc6-dev$missing" >&2
  for need in cc cmake ninja python3; do
    present $need || exit 1
  done
elif [ -n "$missing" ]; then
  echo "setup: installing$missing"
  sudo=
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  export DEBIAN_FRONTEND=noninteractive
  if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends libc6-dev $missing; } >/tmp/cortenforge-setup.log 2>&1; then
    echo "setup: could not install$missing (log: /tmp/cortenforge-setup.log)" >&2
  fi
fi

# the reference: MuJoCo 3.5.0 in a virtual environment, never linked into the product
if { [ "$what" = test ] || [ "$what" = conform ]; } && [ -z "${MUJOCO_REFERENCE_LIB:-}" ] && ! ls build/refenv/lib/python3*/site-packages/mujoco/libmujoco.so.3.5.0 >/dev/null 2>&1; then
  echo "setup: installing the reference, mujoco==3.5.0, under build/refenv"
  mkdir -p build
  if ! { python3 -m venv build/refenv && build/refenv/bin/pip install -q --disable-pip-version-check mujoco==3.5.0; } >/tmp/cortenforge-refenv.log 2>&1; then
    echo "setup: the reference cannot be had; tests that need it will skip" >&2
  fi
fi
# an environment for the Python package: NumPy, Gymnasium, and what its tests need; the package is found in build/python
if [ "$what" = python ] || [ "$what" = test ]; then
  if ! build/pyenv/bin/python -c 'import numpy, pytest, mypy, gymnasium, freetype' >/dev/null 2>&1; then
    echo "setup: making the environment of the Python package, build/pyenv"
    mkdir -p build
    if ! { python3 -m venv build/pyenv && build/pyenv/bin/pip install -q --disable-pip-version-check 'numpy>=1.26' pytest mypy freetype-py==2.5.1 'gymnasium>=1.2'; } >/tmp/cortenforge-pyenv.log 2>&1; then
      echo "setup: the environment of the Python package cannot be had (log: /tmp/cortenforge-pyenv.log); its tests will skip" >&2
    fi
  fi
  # for notebooks, which are skipped without it
  if ! build/pyenv/bin/python -c 'import matplotlib, nbclient, nbformat, ipykernel' >/dev/null 2>&1; then
    build/pyenv/bin/pip install -q --disable-pip-version-check 'matplotlib>=3.8' 'nbclient>=0.10' nbformat ipykernel >>/tmp/cortenforge-pyenv.log 2>&1 ||
      echo "setup: matplotlib, nbclient and ipykernel cannot be had; notebooks will not be run" >&2
  fi
  for packages in build/pyenv/lib/python3*/site-packages; do
    [ -d "$packages" ] && { echo "$PWD/build/python"; cat python/cortenforge.pth; } >"$packages/cortenforge.pth"
  done
fi
# ptxas, the last step to machine code; NVIDIA's package, never linked into the product
# one version for all, so that figures of kernels can be compared
if [ "$what" = gpu ] && ! build/gpu/venv/lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas --version 2>/dev/null | grep -q V12.9.86; then
  echo "setup: installing ptxas 12.9.86 under build/gpu/venv"
  mkdir -p build/gpu && python3 -m venv build/gpu/venv &&
    build/gpu/venv/bin/pip install -q --disable-pip-version-check nvidia-cuda-nvcc-cu12==12.9.86 >/tmp/cortenforge-setup.log 2>&1 ||
    echo "setup: could not install ptxas (log: /tmp/cortenforge-setup.log)" >&2
fi
# one compiler for all other systems
if { [ "$what" = cross ] || [[ $what = web* ]]; } && ! build/cross/venv/bin/python -c 'import importlib.metadata as m; exit(m.version("ziglang") != "0.17.0")' >/dev/null 2>&1; then
  echo "setup: installing ziglang 0.17.0 under build/cross/venv"
  mkdir -p build/cross && python3 -m venv build/cross/venv &&
    build/cross/venv/bin/pip install -q --disable-pip-version-check ziglang==0.17.0 >/tmp/cortenforge-setup.log 2>&1 ||
    { echo "setup: could not install ziglang (log: /tmp/cortenforge-setup.log)" >&2; exit 1; }
fi
# packages of the page, those of the lock file; no package runs a script of its own
if [[ $what = web* ]] && ! cmp -s web/package-lock.json build/web/npm/installed; then
  echo "setup: installing the packages of web/package-lock.json under build/web/npm"
  mkdir -p build/web/npm && cp web/package.json web/package-lock.json web/.npmrc build/web/npm/ &&
    (cd build/web/npm && npm ci --ignore-scripts --no-audit --no-fund >/tmp/cortenforge-npm.log 2>&1) &&
    cp web/package-lock.json build/web/npm/installed ||
    { echo "setup: could not install them (log: /tmp/cortenforge-npm.log)" >&2; exit 1; }
fi
exit 0
