#!/usr/bin/env bash
# arm64_root.sh FOLDER: unpack the arm64 libraries that the build needs under FOLDER, for a cross build.
#
# They are downloaded with a package list of their own and only unpacked, so that the package manager of this machine
# stays as it is (no foreign architecture, no multiarch conflicts).  Exit 77 with the reason where they cannot be had.
set -u
root=$1
packages="libqhull-dev libqhull-r8.0 libccd-dev libccd2 zlib1g zlib1g-dev
  libspng0 libspng-dev libcmocka0 libcmocka-dev"
[ -e "$root/complete" ] && exit 0
command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || { echo "arm64: no apt-get here"; exit 77; }
mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial" "$root/deb" || exit 1
root=$(cd "$root" && pwd)
: >"$root/apt/status"
apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$root/apt" \
    -o Dir::State::status="$root/apt/status" -o Dir::Cache="$root/apt/cache" -o APT::Sandbox::User=root "$@"
}
if ! { apt update && (cd "$root/deb" && apt download $packages); } >"$root/apt.log" 2>&1; then
  echo "arm64: packages cannot be downloaded: $(grep -m1 -E '^(E|W):' "$root/apt.log")"
  exit 77
fi
for deb in "$root"/deb/*.deb; do
  dpkg -x "$deb" "$root" || exit 1
done

# links to absolute paths point out of the folder: turn them to the place inside
find "$root/usr" "$root/lib" -type l -lname '/*' | while read -r link; do
  ln -sfr "$root$(readlink "$link")" "$link"
done
touch "$root/complete"
