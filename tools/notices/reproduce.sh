#!/bin/sh
# Builds nbbnn twice by make build, in two folders with two empty build caches, and compares the bytes.
set -eu
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# digest is the SHA-256 of what it reads; macOS has another program for it.
digest() { if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi | cut -d " " -f 1; }

for name in first second/deeper; do
  mkdir -p "$place/$name"
  git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$place/$name"
  (cd "$place/$name" && GOCACHE="$place/$name/.cache" make build)
done
cmp "$place/first/bin/nbbnn" "$place/second/deeper/bin/nbbnn" || { echo "reproduce: two builds differ" >&2; exit 1; }
echo "reproduce two builds give the same bytes: sha256 $(digest < "$place/first/bin/nbbnn")"
