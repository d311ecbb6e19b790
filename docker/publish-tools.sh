#!/bin/sh
# Builds what docker/publish.sh needs into a folder: crane, syft and cosign at the versions below, which Go checks against its
# public log of checksums.
#
#     docker/publish-tools.sh .cache/publish
set -eu
mkdir -p "$1"
GOBIN=$(cd "$1" && pwd)
export GOBIN GOFLAGS=
for tool in \
  github.com/google/go-containerregistry/cmd/crane@v0.22.1 \
  github.com/anchore/syft/cmd/syft@v1.52.0 \
  github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3; do
  name=${tool%@*}
  name=$GOBIN/${name##*/}
  # A program says itself which version it was built from.
  go version -m "$name" 2> /dev/null | grep --quiet "mod.*${tool##*@}" || go install "$tool"
done
