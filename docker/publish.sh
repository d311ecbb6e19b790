#!/bin/bash
# Publishes an image that was tested: the image, its bill of materials, and a signature for each. Readers get it by the name of its
# target only when both were verified as they would verify them.
#
#     docker/publish.sh image.tar ghcr.io/nbbnn/workbench v1.2.0 cpu
#
# The archive is what docker save writes; crane, syft and cosign are those of docker/publish-tools.sh. The signatures name the
# workflow that runs this, WORKFLOW. With a private key in the file COSIGN_KEY, and its public one in COSIGN_PUBLIC_KEY, they're
# made without the public services, for trying.
set -euo pipefail
archive=$1 repository=$2 version=$3 target=$4

fail() {
  echo "publish: $1" >&2
  exit 1
}

number='(0|[1-9][0-9]*)'
[[ $version =~ ^v$number\.$number\.$number(-[0-9A-Za-z.-]+)?$ ]] || fail "the version is \"$version\": tag the commit v1.2.3, or v1.2.3-rc.1"
[ -s "$archive" ] || fail "there's no archive $archive: write it with docker save"

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
if [ -n "${COSIGN_KEY:-}" ]; then
  cosign signing-config create --out "$folder/services.json" # none
  writer=(--key "$COSIGN_KEY" --signing-config "$folder/services.json")
  reader=(--key "$COSIGN_PUBLIC_KEY" --insecure-ignore-tlog=true)
else
  writer=()
  reader=(--certificate-identity "$WORKFLOW" --certificate-oidc-issuer https://token.actions.githubusercontent.com)
fi

crane push "$archive" "$repository:$version-$target"
image=$repository@$(crane digest "$repository:$version-$target")
syft scan --quiet "docker-archive:$archive" --output "spdx-json=$folder/bill.json"
cosign sign --yes "${writer[@]}" "$image"
cosign attest --yes "${writer[@]}" --type spdxjson --predicate "$folder/bill.json" "$image"
cosign verify "${reader[@]}" "$image" > /dev/null
cosign verify-attestation "${reader[@]}" --type spdxjson "$image" > "$folder/attestation.json"

# A release gets the short name, a candidate doesn't.
[[ $version == *-* ]] || crane tag "$image" "$target"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "digest=${image#*@}" >> "$GITHUB_OUTPUT"
echo "publish  $image is $repository:$version-$target, signed, with its bill of materials"
