#!/bin/sh
# Builds the image nbbnn-workbench:TARGET from the Dockerfile with docker or, where no engine runs, buildah. XLA_PLUGIN=pypi or
# none is for machines that can't reach GitHub; a token of GitHub's in GH_TOKEN lets it answer more often.
set -eu
target=${1:-cpu}
cd "$(dirname "$0")/.."
commit=$(git describe --always --dirty --abbrev=40 --exclude "*" 2> /dev/null) || commit=
set -- --build-arg "XLA_PLUGIN=${XLA_PLUGIN:-go-xla}" --build-arg "COMMIT=$commit" --file docker/Dockerfile --target "$target" --tag "nbbnn-workbench:$target" .
[ -z "${GH_TOKEN:-}" ] || set -- --secret id=GH_TOKEN,env=GH_TOKEN "$@"
if docker info > /dev/null 2>&1; then
  exec docker build "$@"
elif command -v buildah > /dev/null; then
  exec buildah bud --format docker "$@"
fi
echo "image: no Docker engine answers, and buildah isn't installed: start one, or apt install buildah" >&2
exit 1
