#!/bin/sh
# Builds nbbnn twice as the image does, in two folders with two empty build caches, and compares the bytes.
set -eu
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for name in first second/deeper; do
  mkdir -p "$place/$name"
  git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - | tar -xf - -C "$place/$name"
  # The flags of docker/Dockerfile.
  (cd "$place/$name" && GOCACHE="$place/$name/.cache" go build -buildvcs=false -trimpath -o nbbnn ./cmd/nbbnn)
done
sum() { sha256sum "$place/$1/nbbnn" | cut -d ' ' -f 1; }
first=$(sum first) second=$(sum second/deeper)
[ "$first" = "$second" ] || { echo "reproduce: two builds differ: $first and $second" >&2; exit 1; }
echo "reproduce two builds give the same bytes: sha256 $first"
