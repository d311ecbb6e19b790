# shellcheck shell=bash
# look tests a container that runs its command, and the entry point of others. Whoever sources this says how:
#
#     inside COMMAND...                  runs a command in the container
#     anew OPTION... -- COMMAND...       runs one through the entry point of another container of the same image
#     fail MESSAGE                       ends the test

# look takes the target, where XLA's plugin came from, the health check's command, and the notebooks to run.
look() {
  local target=$1 plugin=$2 health=$3 check=/home/jovyan/workbench/docker/check.sh
  shift 3
  healthy "$health"
  local checks=(user server "warm $target" "engine $plugin" "notebooks $*" broken) what
  if [ "$target" = cuda ] && [ "$plugin" != none ]; then checks+=(gpu); fi
  for what in "${checks[@]}"; do
    # shellcheck disable=SC2086 # a word and its arguments
    inside "$check" $what || fail "the check of $what failed"
  done
  numbers "$check"
}

# look_as_binder takes the notebooks to run.
look_as_binder() {
  local what
  healthy "curl --fail --silent http://127.0.0.1:8888$binder/api"
  for what in "server gopls" "warm binder" "notebooks $*" broken; do
    # shellcheck disable=SC2086
    inside docker/check.sh $what || fail "the check of $what failed"
  done
}

# as_binder is the command that Binder starts, at the port and the path that it chooses for a visitor; repo2docker's begins
# with the same words.
binder=/user/nbbnn-workbench-k4d9x2
as_binder=(jupyter notebook --ip=0.0.0.0 --port=8888)
for setting in base_url=$binder/ token=secret trust_xheaders=True default_url=/lab 'allow_origin=*' 'allow_origin_pat=.*'; do
  as_binder+=("--NotebookApp.$setting" "--ServerApp.$setting")
done

# healthy waits for the health check.
healthy() {
  local seconds=0
  until inside sh -c "$1" > /dev/null; do
    seconds=$((seconds + 1))
    [ $seconds -lt 60 ] || fail "the health check doesn't pass"
    sleep 1
  done
  echo "image    the health check passes"
}

# numbers lets NB_UID and NB_GID change the user, and sees that wrong ones are refused.
numbers() {
  local wrong what
  for wrong in 0:100 jovyan:100; do
    if anew --user root --env NB_UID=${wrong%:*} --env NB_GID=${wrong#*:} -- true; then fail "NB_UID=${wrong%:*} isn't refused"; fi
  done
  for what in user "notebooks lesson-2"; do
    # shellcheck disable=SC2086
    anew --user root --env NB_UID=4321 --env NB_GID=5432 -- "$1" $what || fail "NB_UID isn't honoured"
  done
}
