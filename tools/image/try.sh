#!/bin/bash
# Starts an image with Docker, where there is no network, and looks at it as tools/image/test.sh does without Docker.
#
#     tools/image/try.sh nbbnn-workbench:cpu lesson-2 lesson-9     # the image, then the notebooks to run
#
# DOCKER=podman takes that, XLA_PLUGIN says what the image was built with.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tools/image/look.sh
. tools/image/look.sh
docker=${DOCKER:-docker}
image=$1
shift

inside() { $docker exec "$container" "$@"; }
anew() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  $docker run --rm --network none "${options[@]}" "$image" "$@"
}

# fail shows the server's log, too.
fail() {
  $docker logs "$container" >&2
  echo "image: $1" >&2
  exit 1
}

$docker image inspect "$image" | tools/image/conventions.py
container=$($docker run --detach --network none "$image")
trap '$docker rm --force "$container" > /dev/null' EXIT
look "${image##*[:-]}" "${XLA_PLUGIN:-go-xla}" "$($docker image inspect "$image" | tools/image/conventions.py health)" "$@"
