#!/bin/sh
# Looks at a running container from inside.
#
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh user
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh server
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh notebooks corruptions figure-03
set -eu
cd /home/jovyan/workbench

fail() {
  echo "check: $1" >&2
  exit 1
}

# status prints the server's answer to a path, such as 200.
status() { curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:8888/$1" || true; }

# user checks jovyan's numbers and folders.
user() {
  [ "$(id -un):$(id -u):$(id -g)" = "jovyan:$NB_UID:$NB_GID" ] || fail "the user is $(id), not jovyan with the numbers $NB_UID and $NB_GID"
  for folder in /home/jovyan /home/jovyan/work /home/jovyan/data runs notebooks; do
    [ -w "$folder" ] || fail "jovyan can't write to $folder"
  done
  echo "check    jovyan, uid $(id -u), gid $(id -g), writes to work, data and runs"
}

# server checks that pages need the token, and that the kernel is there.
server() {
  [ "$(status api/contents)" = 403 ] || fail "the server shows files to somebody without its token"
  token=$(jupyter server list --json | sed -n 's/.*"token": "\([^"]*\)".*/\1/p')
  [ "$(status "lab/tree/workbench/notebooks?token=$token")" = 200 ] || fail "the server doesn't open the notebooks with its token"
  curl --silent "http://127.0.0.1:8888/api/kernelspecs?token=$token" | grep --quiet '"gonb"' || fail "the server has no kernel gonb"
  echo "check    the server asks for its token, opens the notebooks and has the kernel gonb"
}

# notebooks runs the named ones, and one that must fail.
notebooks() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder" notebooks/broken.ipynb' EXIT
  for name in "$@"; do
    python tools/notebook/run.py "notebooks/$name.ipynb" --output "$folder/$name.ipynb" || fail "notebook $name failed"
  done
  sed 's/Value: 3/Value: 9/' notebooks/corruptions.ipynb > notebooks/broken.ipynb
  if python tools/notebook/run.py notebooks/broken.ipynb --output "$folder/broken.ipynb"; then fail "a notebook that fails passed"; fi
  echo "check    notebooks run ($*), and one that fails is seen to fail"
}

case ${1:-} in
  user | server | notebooks) "$@" ;;
  *) fail "say what to look at: user, server or notebooks NAME ..." ;;
esac
