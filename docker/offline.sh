#!/bin/bash
# Starts a container's command where there is no network, waits for its health check, and looks at it from inside; then lets
# NB_UID and NB_GID change the user. docker/test.sh calls it in name spaces of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=docker/storage.sh
. docker/storage.sh
container=$1
shift
check=/home/jovyan/workbench/docker/check.sh

# inside runs a command in the container; options of buildah's run come first, then --.
inside() {
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

ip link set lo up
read -ra command <<< "$(store inspect "$container" | docker/conventions.py command)"
health=$(store inspect "$container" | docker/conventions.py health)
inside -- "${command[@]}" > "$PLACE/server.log" 2>&1 &
seconds=0
until inside -- sh -c "$health" > /dev/null; do
  seconds=$((seconds + 1))
  [ $seconds -lt 60 ] || fail "the health check doesn't pass"
  sleep 1
done
echo "image    ${command[*]}: the health check passes"
checks=(user server "engine $XLA_PLUGIN" "notebooks $*" broken)
if [ "$TARGET" = cuda ] && [ "$XLA_PLUGIN" != none ]; then checks+=(gpu); fi
for what in "${checks[@]}"; do
  # shellcheck disable=SC2086 # a word and its arguments
  inside -- "$check" $what || fail "the check of $what failed"
done

for numbers in 0:100 jovyan:100; do
  if inside --user root --env NB_UID=${numbers%:*} --env NB_GID=${numbers#*:} -- "${command[@]:0:4}" true; then fail "NB_UID=${numbers%:*} isn't refused"; fi
done
for what in user "notebooks corruptions"; do
  # shellcheck disable=SC2086
  inside --user root --env NB_UID=4321 --env NB_GID=5432 -- "${command[@]:0:4}" "$check" $what || fail "NB_UID isn't honoured"
done
