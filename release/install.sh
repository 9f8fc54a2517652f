#!/bin/sh
# Installs marigram: downloads the archive of this system, checks its SHA-256 sum, and copies the program.
#
#   curl -fsSL https://raw.githubusercontent.com/marigram/marigram/main/release/install.sh | sh
#   sh install.sh [VERSION]          the newest release, or this one (0.13.0)
#
# MARIGRAM_DIR   where the program goes; ~/.local/bin if absent
# MARIGRAM_FROM  a folder or an address that has the files of the release instead
set -eu

fail() { echo "install.sh: $*" >&2; exit 1; }

releases=https://github.com/marigram/marigram/releases
dir=${MARIGRAM_DIR:-$HOME/.local/bin}
version=${1:-}

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "$(uname -s): expected Linux or macOS; for Windows take the zip from $releases" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "$(uname -m): expected x86_64 or arm64; elsewhere: go install github.com/marigram/marigram@latest" ;;
esac

# get SOURCE FILE
get() {
  case $1 in
    https://* | http://*)
      if command -v curl >/dev/null 2>&1; then curl -fsSL -o "$2" "$1"
      elif command -v wget >/dev/null 2>&1; then wget -q -O "$2" "$1"
      else fail "neither curl nor wget is here"; fi ;;
    *) cp "$1" "$2" ;;
  esac || fail "$1 is not there"
}

# sum FILE
sum() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256 "$1"
  else fail "neither sha256sum nor shasum is here, so that nothing can be checked"; fi | cut -d ' ' -f 1
}

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
from=${MARIGRAM_FROM:-$releases/${version:+download/v}${version:-latest/download}}
get "$from/SHA256SUMS" "$temp/SHA256SUMS"
name=$(cut -d ' ' -f 3 "$temp/SHA256SUMS" | grep -E "^marigram-${version:-.*}-$os-$arch\.tar\.gz$" | head -n 1) || true
[ -n "$name" ] || fail "$from has no archive for $os-$arch${version:+ of $version}"
get "$from/$name" "$temp/$name"
expected=$(grep " $name\$" "$temp/SHA256SUMS" | cut -d ' ' -f 1)
found=$(sum "$temp/$name")
[ "$expected" = "$found" ] || fail "$name has the sum $found, expected $expected: nothing is installed"

tar -xzf "$temp/$name" -C "$temp"
mkdir -p "$dir"
cp "$temp/${name%.tar.gz}/marigram" "$dir/marigram.new"
chmod 755 "$dir/marigram.new"
mv "$dir/marigram.new" "$dir/marigram"
"$dir/marigram" --version
case :$PATH: in
  *":$dir:"*) ;;
  *) echo "$dir is not on the PATH" ;;
esac
