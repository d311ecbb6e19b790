#!/bin/bash
# Publishes the image that docker/test.sh built as a release, and the small base that it was built from as a candidate, to a registry
# on this machine: signed with a key pair that is made for it, with a bill of materials. Then it looks for them as a reader does.
#
#     docker/publish-test.sh cpu
#
# It needs a way to Go's modules, but neither Docker nor GitHub nor the public services that sign.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-cpu}
export PLACE=${IMAGE_PLACE:-$PWD/.cache/image}
# shellcheck source=docker/storage.sh
. docker/storage.sh

fail() {
  echo "publish-test: $1" >&2
  exit 1
}

# refused runs a command that must fail.
refused() {
  local what=$1
  shift
  if "$@" > "$folder/refused.log" 2>&1; then fail "$what passes"; fi
  echo "publish  $what is refused: $(tail -n 1 "$folder/refused.log" | cut -c 1-150)"
}

# expect compares the registry's list of names.
expect() {
  local have want
  have=$(crane ls "$repository" | grep -v '^sha256-' | sort | xargs)
  want=$(printf '%s\n' "$@" | sort | xargs)
  [ "$have" = "$want" ] || fail "the registry has $have, not $want"
}

store images --quiet "localhost/nbbnn-workbench:$target" > /dev/null || fail "build the image first: make image-test TARGET=$target"
docker/publish-tools.sh .cache/publish
PATH=$PWD/.cache/publish:$PATH
export TMPDIR=$PLACE/tmp
mkdir -p "$TMPDIR"
folder=$(mktemp -d)
mkdir "$folder/registry"
crane registry serve --address 127.0.0.1:0 --disk "$folder/registry" 2> "$folder/registry.log" &
registry=$!
trap 'kill $registry; rm -r "$folder"' EXIT
until grep --quiet 'serving on port' "$folder/registry.log" 2> /dev/null; do sleep 0.1; done
repository=127.0.0.1:$(sed -n 's/.*serving on port //p' "$folder/registry.log")/nbbnn/workbench

# archive writes an image to a file, as docker save does.
archive() { store push --quiet "localhost/$1" "docker-archive:$folder/$2:$1"; }

archive "nbbnn-workbench:$target" image.tar
archive debian:latest base.tar
(cd "$folder" && COSIGN_PASSWORD='' cosign generate-key-pair 2> /dev/null)
export COSIGN_PASSWORD='' COSIGN_KEY=$folder/cosign.key COSIGN_PUBLIC_KEY=$folder/cosign.pub
refused "a tag that is no version" docker/publish.sh "$folder/base.tar" "$repository" latest "$target"
docker/publish.sh "$folder/base.tar" "$repository" v1.2.3-rc.1 "$target"
expect "v1.2.3-rc.1-$target"
docker/publish.sh "$folder/image.tar" "$repository" v1.2.3 "$target"
expect "$target" "v1.2.3-$target" "v1.2.3-rc.1-$target"

reader=(--key "$COSIGN_PUBLIC_KEY" --insecure-ignore-tlog=true)
cosign verify-attestation "${reader[@]}" --type spdxjson "$repository:$target" 2> /dev/null | docker/bill.py "$target"
crane mutate --env NB_UID=0 --tag "$repository:other" "$repository:$target" > /dev/null
refused "an image that was changed" cosign verify "${reader[@]}" "$repository:other"
