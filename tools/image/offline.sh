#!/bin/bash
# Starts a container's command where there is no network, and looks at it. tools/image/test.sh calls it in name spaces of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tools/image/storage.sh
. tools/image/storage.sh
# shellcheck source=tools/image/look.sh
. tools/image/look.sh
target=$1 plugin=$2 container=$3
shift 3

inside() { execute -- "$@"; }
anew() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  execute "${options[@]}" -- "${entry[@]}" "$@"
}

# execute runs a command with options of buildah's run, which knows no entry point.
execute() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  store run --isolation chroot --network host "${options[@]}" "$container" "$@"
}

# fail shows the server's log, too.
fail() {
  cat "$PLACE/server.log" >&2
  echo "image: $1" >&2
  exit 1
}

# serve runs the container's command.
serve() { inside "$@" > "$PLACE/server.log" 2>&1 & }

ip link set lo up
if [ "$target" = binder ]; then
  serve "${as_binder[@]}"
  look_as_binder "$@"
  exit
fi
read -ra entry <<< "$(store inspect "$container" | tools/image/conventions.py entry)"
read -ra command <<< "$(store inspect "$container" | tools/image/conventions.py command)"
serve "${entry[@]}" "${command[@]}"
look "$target" "$plugin" "$(store inspect "$container" | tools/image/conventions.py health)" "$@"
