#!/bin/sh
# Builds the image nbbnn-workbench:TARGET from the Dockerfile with docker or, where no engine runs, buildah.
set -eu
target=${1:-cpu}
cd "$(dirname "$0")/.."
if docker info > /dev/null 2>&1; then
  exec docker build --file docker/Dockerfile --target "$target" --tag "nbbnn-workbench:$target" .
elif command -v buildah > /dev/null; then
  exec buildah bud --format docker --file docker/Dockerfile --target "$target" --tag "nbbnn-workbench:$target" .
fi
echo "image: no Docker engine answers, and buildah isn't installed: start one, or apt install buildah" >&2
exit 1
