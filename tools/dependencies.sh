#!/usr/bin/env bash
# dependencies.sh FOLDER: sources of the libraries that builds for other systems compile themselves, under FOLDER.
#
# Qhull, libccd, libspng, zlib, and cmocka for tests: Debian's source packages, fetched with a package list of their own
# and checked against the sums below.  Archives that lie in the folder CF_ARCHIVES names are used instead.  Exit 77 with
# the reason where they cannot be had.
set -u
folder=${1:?usage: dependencies.sh FOLDER}
archives="
b5c2d7eb833278881b952c8a52d20179eab87766b00b865000469a45c1838b7e qhull_2020.2.orig.tar.gz
3543093486a8bdb7129e18d69d8f2b42e3056877521425210f9fe560789ebba5 libccd_2.1.orig.tar.gz
a50cadbe808ffda1a7fab17d145f52a23b163f34b3eb3696c7ecb5a52340fc1d libspng_0.7.3.orig.tar.gz
71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1 zlib_1.2.13.dfsg.orig.tar.bz2
f0ccd8242d55e2fd74b16ba518359151f6f8383ff8aef4976e48393f77bba8b6 cmocka_1.1.5.orig.tar.xz"
packages="qhull=2020.2-5 libccd=2.1-2 libspng=0.7.3-3 zlib=1:1.2.13.dfsg-1 cmocka=1.1.5-2.1"
[ -e "$folder/complete" ] && exit 0
mkdir -p "$folder/archives" && folder=$(cd "$folder" && pwd) || exit 1

# what is there already, with the right sum
sound() {
  (cd "$folder/archives" && echo "$archives" | sed '/^$/d; s/ /  /' | sha256sum --check --quiet --status) 2>/dev/null
}

# the package manager of this machine stays as it is: lists and status are our own
fetch() {
  command -v apt-get >/dev/null 2>&1 || { echo "dependencies: no apt-get here; name a folder with the archives in CF_ARCHIVES"; return 77; }
  local apt=$folder/apt server
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
  : >"$apt/status"
  server=$(sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb +(\[[^]]*\] +)?([^ ]+) .*/\2/p' /etc/apt/sources.list \
    /etc/apt/sources.list.d/debian.* 2>/dev/null | head -1)
  [ -n "$server" ] || { echo "dependencies: no Debian server among the package sources"; return 77; }
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $server bookworm main" >"$apt/sources.list"
  set -- -qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$apt/state" \
    -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root
  if ! { apt-get "$@" update && (cd "$folder/archives" && apt-get "$@" source --download-only $packages); } >"$folder/apt.log" 2>&1; then
    echo "dependencies: sources cannot be downloaded: $(grep -m1 -E '^(E|W):' "$folder/apt.log")"
    return 77
  fi
}

[ -z "${CF_ARCHIVES:-}" ] || cp "$CF_ARCHIVES"/*.orig.tar.* "$folder/archives/"
sound || fetch || exit
sound || { echo "dependencies: an archive under $folder/archives is not the one that was expected" >&2; exit 1; }
for archive in "$folder"/archives/*.orig.tar.*; do
  case $archive in
    *.asc) ;;
    *) tar xf "$archive" -C "$folder" || exit 1 ;;
  esac
done

# headers that their own builds write
sed 's/#cmakedefine CCD_SINGLE//; s/#cmakedefine CCD_DOUBLE/#define CCD_DOUBLE/' "$folder"/libccd-2.1/src/ccd/config.h.cmake.in \
  >"$folder/libccd-2.1/src/ccd/config.h" || exit 1
touch "$folder/complete"
