#!/bin/sh
# Builds the releases of two systems twice by make release, in two clones with two empty build caches and in two time zones,
# and compares the bytes.
set -eu
cd "$(dirname "$0")/../.."
repository=$(pwd) place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for name in first second/deeper; do
  case $name in first) export TZ=UTC ;; *) export TZ=Asia/Tokyo ;; esac
  git clone --quiet "$repository" "$place/$name"
  GOCACHE="$place/$name/.cache/go" make --no-print-directory -C "$place/$name" release RELEASES="linux/amd64 windows/amd64"
done
diff -r "$place/first/out/release" "$place/second/deeper/out/release" || { echo "reproduce: two builds differ" >&2; exit 1; }
echo "reproduce two builds give the same bytes:"
cat "$place/first/out/release/SHA256SUMS"
