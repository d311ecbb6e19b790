# shellcheck shell=bash disable=SC2154 # work, only, grace and deadline are those of gpu.sh
# How gpu.sh does what takes long: in steps, each of which is done once, and goes on with the next call when the time is up.

left() { echo $((deadline - SECONDS)); }

# chosen says whether --only names a step.
chosen() {
  local pattern patterns
  IFS=, read -ra patterns <<< "$only"
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053
    [[ $1 != $pattern ]] || return 0
  done
  return 1
}

# step runs a command once: NAME LEAST MOST COMMAND..., where LEAST is the number of seconds below which it isn't begun, and MOST
# what it may take of this call, 0 for all that is left. What stops at the end of the time, saved, goes on with the next call.
# Its state is kept for the table.
step() {
  local name="$1" least="$2" most="$3" status=0 begun=$SECONDS
  shift 3
  chosen "$name" || return 0
  [[ ! -e $work/done/$name ]] || { say "has      $name"; return 0; }
  [[ $(left) -ge $least ]] || { say "leaves   $name for the next call: $(left) s are left, it asks for $least"; return 0; }
  [[ $most -gt 0 && $most -lt $(left) ]] || most="$(left)"
  say "runs     $name"
  timeout --foreground --preserve-status --signal=INT --kill-after="$grace" "$most" "$@" > "$work/results/$name.out" 2> "$work/results/$name.log" || status=$?
  local state="FAILED with status $status"
  case $status in
    0) touch "$work/done/$name"; state=complete ;;
    75 | 130 | 137 | 143)
      if [[ $(left) -gt 0 && $((SECONDS - begun)) -ge $most ]]; then
        state="FAILED: it took more than the $most s that it may"
      elif [[ $status -eq 75 ]]; then
        state="saved for the next call"
      elif [[ $(left) -le 0 ]]; then
        state="stopped at the end of the time: the next call goes on from what was saved"
      fi ;;
  esac
  echo "$((SECONDS - begun))" >> "$work/results/$name.seconds"
  echo "$state" > "$work/results/$name.status"
  case $state in
    complete) ;;
    FAILED*) failed+=("$name"); say "FAILED   $name${state#FAILED}: $(tail -n 1 "$work/results/$name.log")" ;;
    *) say "stops    $name: $state" ;;
  esac
}

# step_on is a step that needs a data set, which was brought or not; "" needs none.
step_on() {
  local set="$1"
  shift
  if [[ -n $set && ! -e $work/data/$set.done ]]; then
    say "leaves   $1 out: $set wasn't brought"
    return 0
  fi
  step "$@"
}
