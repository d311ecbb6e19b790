#!/bin/bash
# Builds the unmodified Dockerfile without a Docker engine and looks at what comes out: the server answers as user 1000, a
# notebook runs inside, and one that fails is seen to fail. The base images are made from Debian's packages and from the Go
# on this machine, and bear the names that the Dockerfile asks for.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
for program in buildah mmdebstrap; do command -v "$program" > /dev/null || missing+=("$program"); done
if [ ${#missing[@]} -gt 0 ] || [ "$(id -u)" != 0 ]; then
  echo "image    needs root and ${missing[*]:-nothing else} (Debian: apt install buildah mmdebstrap): the test of the image was SKIPPED"
  exit 0
fi

place=${IMAGE_PLACE:-$PWD/.cache/image}
tag=nbbnn-workbench:test
mkdir -p "$place"
build() { buildah --root "$place/root" --runroot "$place/run" --storage-driver vfs "$@"; }

# base makes the images that the Dockerfile begins with, from packages and from this machine's Go.
base() {
  if [ ! -s "$place/base.tar" ]; then
    mmdebstrap --variant=minbase --include=ca-certificates,gcc,libc6-dev,g++ bookworm "$place/base.partial.tar"
    mv "$place/base.partial.tar" "$place/base.tar"
  fi
  local folder; folder=$(mktemp -d -p "$place")
  ln "$place/base.tar" "$folder/base.tar"
  printf 'FROM scratch\nADD base.tar /\n' > "$folder/Dockerfile"
  build bud --quiet --tag docker.io/library/debian:bookworm-slim "$folder"
  cp -r "$(go env GOROOT)" "$folder/go"
  printf 'FROM docker.io/library/debian:bookworm-slim\nCOPY go /usr/local/go\nENV PATH=/usr/local/go/bin:/usr/bin:/bin\n' > "$folder/Dockerfile"
  build bud --quiet --pull-never --tag docker.io/library/golang:1.26.8-bookworm "$folder"
  rm -rf "$folder"
}

# inside runs a command in the image as its user, in chroot.
inside() { build run --isolation chroot --network host --user 1000:100 "$container" -- "$@"; }

base
build bud --isolation chroot --network host --pull-never --format docker --file docker/Dockerfile --target cpu --tag "$tag" \
  ${GOPROXY:+--env GOPROXY="$GOPROXY"} -v /etc/ssl/certs:/etc/ssl/certs:ro .
container=$(build from --pull-never "$tag")
trap 'build rm "$container" > /dev/null' EXIT

inside sh -c '
  set -eu
  start.sh > /tmp/server.log 2>&1 & server=$!
  for _ in $(seq 60); do curl --fail --silent http://127.0.0.1:8888/api && break; sleep 1; done
  curl --fail --silent http://127.0.0.1:8888/api > /dev/null
  kill $server
  echo; echo "image    the server answers as $(id -un), uid $(id -u)"
  cd ~/workbench
  python tools/notebook/run.py notebooks/corruptions.ipynb --output /tmp/good.ipynb
  sed "s/Value: 3/Value: 9/" notebooks/corruptions.ipynb > notebooks/bad.ipynb
  if python tools/notebook/run.py notebooks/bad.ipynb --output /tmp/bad.ipynb; then
    echo "image: a notebook that fails passed" >&2; exit 1
  fi
  echo "image    a notebook runs, and one that fails is seen to fail"'
size=$(build inspect --type image --format '{{.FromImageID}}' "$tag" > /dev/null; build images --format '{{.Size}}' "$tag" | head -n 1)
echo "image    $size"
