#!/bin/sh
# Looks at a running container from inside.
#
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh user
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh server
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh warm cpu
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh engine go-xla
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh gpu
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh notebooks lesson-2 lesson-9
#     docker exec CONTAINER /home/jovyan/workbench/docker/check.sh broken
#
# In Binder's image, it's /home/jovyan/docker/check.sh.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "check: $1" >&2
  exit 1
}

# running prints what the server says about itself, such as its token.
running() { jupyter server list --json | python3 -c "import json, sys; print(json.loads(sys.stdin.readline())['$1'])"; }

# status prints the server's answer to a path, such as 200.
status() { curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$(running port)$(running base_url)$1" || true; }

# user checks jovyan's numbers and folders.
user() {
  [ "$(id -un):$(id -u):$(id -g)" = "jovyan:$NB_UID:$NB_GID" ] || fail "the user is $(id), not jovyan with the numbers $NB_UID and $NB_GID"
  for folder in /home/jovyan /home/jovyan/work /home/jovyan/data runs notebooks; do
    [ -w "$folder" ] || fail "jovyan can't write to $folder"
  done
  echo "check    jovyan, uid $(id -u), gid $(id -g), writes to work, data and runs"
}

# server checks that pages need the token, and that the kernel is there. The argument is a program that may be missing.
server() {
  [ "$(status api/contents)" = 403 ] || fail "the server shows files to somebody without its token"
  token=$(running token) root=$(running root_dir)
  [ "$(status "lab/tree${PWD#"$root"}/notebooks?token=$token")" = 200 ] || fail "the server doesn't open the notebooks with its token"
  [ "$(status "api/kernelspecs/gonb?token=$token")" = 200 ] || fail "the server has no kernel gonb"
  if nbbnn doctor | grep 'make lab.* \(installs\|makes\|replaces\) it' | grep --invert-match "${1:-nothing}"; then fail "the doctor misses what notebooks need"; fi
  echo "check    the server asks for its token, opens the notebooks and has the kernel gonb, and the doctor misses nothing"
}

# warm checks that what cells import is compiled: with the flags that notebooks give and, in the image cuda, also without any.
warm() {
  flags=$(python3 -c 'import json; print(json.load(open("/opt/venv/share/jupyter/kernels/gonb/kernel.json"))["env"]["GOFLAGS"])') ||
    fail "the kernel gonb has no GOFLAGS"
  compiled "$flags"
  [ "$1" != cuda ] || compiled
  echo "check    what cells import is compiled"
}

# compiled checks that Go would compile nothing of the package that has all imports of cells.
compiled() {
  # shellcheck disable=SC2086 # several flags
  plan=$(go -C notebooks build -n ${1:-} . 2>&1) || fail "cells can't be built: $plan"
  count=$(echo "$plan" | grep -c '/compile ') || true
  [ "$count" = 0 ] || fail "the first cell compiles $count packages with the flags \"${1:-}\""
}

# engine checks that XLA on the processor computes, or that nbbnn says what is missing where XLA_PLUGIN was none.
engine() {
  report=$(GOMLX_BACKEND=xla:cpu nbbnn doctor 2>&1) || true
  case $1 in
    none) want='no XLA plugin for cpu' ;;
    *) want='^engine  *xla:cpu' ;;
  esac
  echo "$report" | grep -m 1 "$want" || fail "XLA_PLUGIN was $1, and nbbnn doctor says: $report"
  echo "check    XLA on the processor: XLA_PLUGIN was $1, and nbbnn agrees"
}

# gpu checks that XLA's plugin for GPUs finds NVIDIA's libraries, and that nbbnn says in one line what it misses where there is no GPU.
gpu() {
  plugin=/opt/venv/lib/python3.11/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so
  python docker/libraries.py "$plugin" || fail "XLA's plugin for GPUs can't be used"
  [ ! -e /dev/nvidia0 ] || return 0
  if report=$(cd /tmp && GOMLX_BACKEND=xla:cuda nbbnn train --preset allcnnc-shapes10 2>&1); then fail "nbbnn takes a GPU where there is none: $report"; fi
  [ "$(echo "$report" | wc -l)" = 1 ] || fail "without a GPU nbbnn says more than a line: $report"
  echo "$report" | grep '^error .*xla_cuda_plugin.so does not work here: .*--gpus all' || fail "without a GPU nbbnn says: $report"
  echo "check    without a GPU nbbnn says so"
}

# notebooks runs the named ones.
notebooks() {
  folder=$(mktemp -d)
  for name in "$@"; do
    python tools/notebook/run.py "notebooks/$name.ipynb" --output "$folder/$name.ipynb" || fail "notebook $name failed"
  done
  rm -r "$folder"
  echo "check    notebooks run: $*"
}

# broken runs a notebook that must fail.
broken() {
  trap 'rm -f notebooks/broken.ipynb /tmp/broken.ipynb' EXIT
  sed 's/Value: 3/Value: 9/' notebooks/lesson-2.ipynb > notebooks/broken.ipynb
  if python tools/notebook/run.py notebooks/broken.ipynb --output /tmp/broken.ipynb; then fail "a notebook that fails passed"; fi
  echo "check    a notebook that fails is seen to fail"
}

case ${1:-} in
  user | server | warm | engine | gpu | notebooks | broken) "$@" ;;
  *) fail "say what to look at: user, server, warm TARGET, engine XLA_PLUGIN, gpu, notebooks NAME ... or broken" ;;
esac
