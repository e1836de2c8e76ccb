#!/usr/bin/env bash
# Do what the README and the guides say in a bare Debian, as somebody would who has just heard of the project: every command
# and program verbatim, from `apt-get install make git` on, and compare what they print (tests/docs/newcomer.py).
#
#   tools/newcomer.sh          as root, with mmdebstrap or debootstrap; 77 (skipped) without them or without packages
#
# The bare system is made from the package sources of this machine, needs 3 GB under TMPDIR and some twenty minutes, and is
# removed at the end; KEEP=1 keeps it.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "newcomer: skipped: $1"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "only root can make a bare system"
command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || skip "no mmdebstrap and no debootstrap"

root=$(mktemp -d "${TMPDIR:-/tmp}/newcomer.XXXXXX")
chmod 755 "$root"
leave() {
  for place in proc dev sys; do
    if mountpoint -q "$root/$place"; then umount -R "$root/$place" || umount -l "$root/$place"; fi
  done
  [ "${KEEP:-}" = 1 ] && echo "kept: $root" || rm -rf --one-file-system "$root"
}
trap leave EXIT

# the release of this machine, from where this machine has its packages
. /etc/os-release
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
  sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\).*/\2/p' | sed -n 1p) || true
[ -n "$mirror" ] && [ -n "${VERSION_CODENAME:-}" ] || skip "not a Debian with package sources"
log=$root.log
if command -v mmdebstrap >/dev/null; then
  mmdebstrap --variant=minbase --include=ca-certificates "$VERSION_CODENAME" "$root" "$mirror" >"$log" 2>&1 || { tail -n 3 "$log"; skip "packages cannot be had"; }
else
  debootstrap --variant=minbase --include=ca-certificates "$VERSION_CODENAME" "$root" "$mirror" >"$log" 2>&1 || { tail -n 3 "$log"; skip "packages cannot be had"; }
fi
rm -f "$log"

# where packages come from is the machine's affair; there is nobody at the keyboard to say yes
rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"
cp -a /etc/apt/sources.list.d "$root/etc/apt/"
[ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$root/etc/apt/"
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
[ ! -d /etc/apt/auth.conf.d ] || cp -a /etc/apt/auth.conf.d "$root/etc/apt/"
cp -a /usr/share/keyrings/. "$root/usr/share/keyrings/"
cp -a /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null || true
[ ! -d /usr/local/share/ca-certificates ] || cp -a /usr/local/share/ca-certificates "$root/usr/local/share/"
for file in resolv.conf hosts pip.conf; do
  [ ! -e /etc/$file ] || cp -L /etc/$file "$root/etc/$file"
done
[ ! -f "$HOME/.config/pip/pip.conf" ] || install -D "$HOME/.config/pip/pip.conf" "$root/root/.config/pip/pip.conf"
echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/90yes"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
mount --rbind /sys "$root/sys"
mount --make-rslave "$root/sys"

python3 tests/docs/newcomer.py --root "$root" --python build/pyenv/bin/python --least 150
