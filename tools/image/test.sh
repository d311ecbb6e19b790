#!/bin/bash
# Builds the unmodified Dockerfile without a Docker engine and looks at what comes out. The base images are made from Debian's
# packages and from the Go on this machine, and take the place of the official ones.
#
#     tools/image/test.sh cpu lesson-2 lesson-9     # the target, then the notebooks to run
#     tools/image/test.sh binder lesson-2            # what Binder builds, started as Binder does
#
# XLA_PLUGIN=pypi or none is for machines that can't reach GitHub; IMAGE_PLACE is the folder to work in.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:-cpu}
shift || true

# skip ends the test where it can't be made.
skip() {
  echo "image    $1: the test of the image was SKIPPED"
  exit 0
}

missing=()
for program in buildah mmdebstrap ip; do command -v "$program" > /dev/null || missing+=("$program"); done
[ ${#missing[@]} = 0 ] || skip "needs ${missing[*]} (Debian: apt install buildah mmdebstrap iproute2)"
[ "$(id -u)" = 0 ] || skip "needs root"
private=(unshare --net --pid --fork --kill-child --mount-proc)
"${private[@]}" ip link set lo up || skip "name spaces of its own aren't allowed here, see above"

export PLACE=${IMAGE_PLACE:-$PWD/.cache/image}
plugin=${XLA_PLUGIN:-go-xla}
export TMPDIR=$PLACE/tmp
mkdir -p "$TMPDIR"
rm -f "$PLACE/built"
# shellcheck source=tools/image/storage.sh
. tools/image/storage.sh
debian=localhost/debian golang=localhost/golang

# space asks for the room that the image takes while it's built, in megabytes.
space() {
  local free; free=$(df --output=avail --block-size=1M "$PLACE" | tail -n 1)
  [ "$free" -ge "$1" ] || skip "$PLACE has $free MB of space, and the image $target takes $1"
}
case $target in
  cuda) space 24000 ;;
  *) space 12000 ;;
esac
case $target in
  binder) what=(--file .binder/Dockerfile) ;;
  *) what=(--file docker/Dockerfile --target "$target" --build-arg "BASE_IMAGE=$debian" --build-arg "XLA_PLUGIN=$plugin") ;;
esac

# modules are those that this machine has already; what is missing comes from where its Go would get it.
modules=$(go env GOMODCACHE)/cache/download
mkdir -p "$modules"
options=(--isolation chroot --network host --pull-never --format docker --volume /etc/ssl/certs:/etc/ssl/certs:ro)

# stand_ins makes the images that the Dockerfile begins with. They have ca-certificates already, since it can't be installed where
# this machine's certificates are mounted.
stand_ins() {
  if [ ! -s "$PLACE/base.tar" ]; then
    mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --include=ca-certificates bookworm \
      "$PLACE/base.partial.tar" || skip "a base can't be made from Debian's packages, see above"
    mv "$PLACE/base.partial.tar" "$PLACE/base.tar"
  fi
  local folder; folder=$(mktemp -d -p "$PLACE")
  ln "$PLACE/base.tar" "$folder/base.tar"
  printf 'FROM scratch\nADD base.tar /\n' | store bud --quiet --tag $debian --file - "$folder"
  rm "$folder/base.tar"
  printf 'FROM %s\nRUN true\n' $debian | store bud --quiet "${options[@]}" --file - "$folder" || skip "buildah can't run a command here, see above"
  rmdir "$folder"
  printf 'FROM %s\nRUN apt-get update && apt-get install --yes --no-install-recommends curl gcc libc6-dev && install -d -m 1777 /go\n%s\n%s\n' $debian 'COPY . /usr/local/go' \
    'ENV GOPATH=/go PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' |
    store bud --quiet "${options[@]}" --tag $golang --file - "$(cd / && GOTOOLCHAIN=local go env GOROOT)"
}

# size prints the megabytes of a container's files, and fails where there are too many.
size() {
  local megabytes; megabytes=$(du --summarize --block-size=1M "$(store mount "$1")" | cut -f 1)
  echo "image    $target: $megabytes MB"
  [ "$target" != cpu ] || [ "$megabytes" -lt 3000 ] || { echo "image: more than 3000 MB" >&2; return 1; }
}

store images --quiet $golang > /dev/null 2>&1 || stand_ins
echo "image    $debian and $golang stand for the official images, which the Dockerfile names by digest"
store bud "${options[@]}" --jobs 3 --volume "$modules:/mnt:ro" --build-arg GOPROXY="file:///mnt,$(go env GOPROXY)" \
  --build-arg GO_IMAGE=$golang --build-arg DEBIAN_SNAPSHOT=none ${PIP_INDEX_URL:+--build-arg PIP_INDEX_URL="$PIP_INDEX_URL"} \
  "${what[@]}" --tag "localhost/nbbnn-workbench:$target" .
touch "$PLACE/built"
echo "image    localhost/nbbnn-workbench:$target is built"
container=$(store from --pull-never "localhost/nbbnn-workbench:$target")
trap 'store rm "$container" > /dev/null' EXIT
[ "$target" = binder ] || store inspect "$container" | tools/image/conventions.py
size "$container"
"${private[@]}" tools/image/offline.sh "$target" "$plugin" "$container" "$@"
