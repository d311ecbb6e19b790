#!/bin/bash
# Builds the unmodified Dockerfile without a Docker engine and looks at what comes out. The base images are made from Debian's
# packages and from the Go on this machine, and take the place of the official ones.
#
#     docker/test.sh cpu corruptions figure-03     # the target, then the notebooks to run
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-cpu}
shift || true

missing=()
for program in buildah mmdebstrap ip; do command -v "$program" > /dev/null || missing+=("$program"); done
if [ ${#missing[@]} -gt 0 ] || [ "$(id -u)" != 0 ]; then
  echo "image    needs root and ${missing[*]:-nothing else} (Debian: apt install buildah mmdebstrap iproute2): the test of the image was SKIPPED"
  exit 0
fi

export PLACE=${IMAGE_PLACE:-$PWD/.cache/image} STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
export TMPDIR=$PLACE/tmp
mkdir -p "$TMPDIR"
# shellcheck source=docker/storage.sh
. docker/storage.sh
debian=localhost/debian golang=localhost/golang

# modules are those that this machine has already; what is missing comes from where its Go would get it.
modules=$(go env GOMODCACHE)/cache/download
mkdir -p "$modules"
options=(--isolation chroot --network host --pull-never --format docker --volume /etc/ssl/certs:/etc/ssl/certs:ro)

# stand_ins makes the images that the Dockerfile begins with. They have ca-certificates already, since it can't be installed where
# this machine's certificates are mounted.
stand_ins() {
  if [ ! -s "$PLACE/base.tar" ]; then
    mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$PLACE/base.partial.tar"
    mv "$PLACE/base.partial.tar" "$PLACE/base.tar"
  fi
  local folder; folder=$(mktemp -d -p "$PLACE")
  ln "$PLACE/base.tar" "$folder/base.tar"
  printf 'FROM scratch\nADD base.tar /\n' | store bud --quiet --tag $debian --file - "$folder"
  printf 'FROM %s\nRUN apt-get update && apt-get install --yes --no-install-recommends g++ libc6-dev\n%s\n%s\n' $debian 'COPY . /usr/local/go' \
    'ENV GOPATH=/go PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' |
    store bud --quiet "${options[@]}" --tag $golang --file - "$(go env GOROOT)"
  rm -rf "$folder"
}

# size prints the megabytes of a container's files, and fails where there are too many.
size() {
  local megabytes; megabytes=$(du --summarize --block-size=1M "$(store mount "$1")" | cut -f 1)
  echo "image    $target: $megabytes MB"
  [ "$target" != cpu ] || [ "$megabytes" -lt 3000 ] || { echo "image: more than 3000 MB" >&2; return 1; }
}

store images --quiet $golang > /dev/null 2>&1 || stand_ins
echo "image    $debian and $golang stand for the official images, which the Dockerfile names by digest"
store bud "${options[@]}" --volume "$modules:/mnt:ro" --build-arg GOPROXY="file:///mnt,$(go env GOPROXY)" \
  --build-arg BASE_IMAGE=$debian --build-arg GO_IMAGE=$golang ${WITHOUT_PLUGIN:+--build-arg WITHOUT_PLUGIN="$WITHOUT_PLUGIN"} \
  --file docker/Dockerfile --target "$target" --tag "localhost/nbbnn-workbench:$target" .
container=$(store from --pull-never "localhost/nbbnn-workbench:$target")
trap 'store rm "$container" > /dev/null' EXIT
store inspect "$container" | docker/conventions.py
size "$container"
unshare --net --pid --fork --kill-child --mount-proc docker/offline.sh "$container" "$@"
