# shellcheck shell=bash disable=SC2154 # root, work, python and carried are those of gpu.sh
# What gpu.sh carries to a machine without network, and how it's taken there.

# prepare builds the programs with XLA and divides each data set into parts that a call can carry.
prepare() {
  local folder="${1:-$root/gpu}" packed="${NBBNN_PACKED:-}" room program build
  mkdir -p "$folder/program"
  say "builds   $folder/program/nbbnn.xz, bench.xz and agree.xz, the tests that compare engines"
  for program in cmd/nbbnn tools/bench agree; do
    build=(build -o "$folder/program/" "./$program")
    [[ $program != agree ]] || build=(test -c -o "$folder/program/agree" ./nbbnn/trial)
    (cd "$root" && CGO_ENABLED=1 GOTOOLCHAIN=auto go "${build[0]}" -trimpath -ldflags=-s "${build[@]:1}") ||
      fail "$program can't be built with XLA: it needs a C compiler and the C library's headers"
    check_library "$folder/program/${program##*/}"
    pack_program "$folder/program/${program##*/}"
  done
  if [[ ! -d $packed/ciz ]]; then
    say "no packed data sets in '$packed' (NBBNN_PACKED names their folder): only the agreement check and the benchmarks can be run"
    return
  fi
  (cd "$packed/ciz" && GOFLAGS=-mod=mod GOWORK=off CGO_ENABLED=0 go build -ldflags=-s -o "$folder/program/ciz" .)
  room=$((carried - $(tree_size)))
  [[ $room -ge $((32 << 20)) ]] || fail "the tree has $(tree_size) bytes, which leaves a call only $room for a part: remove what git neither tracks nor ignores"
  pack_set "$folder" "$packed" $room cifar10 c10_train123.ciz c10_train45.ciz c10_test.ciz c10_labels.u8 cifar10_batches.meta.txt
  pack_set "$folder" "$packed" $room cifar100 c100.ciz c100_labels_coarse_fine.u8 fine_label_names.txt coarse_label_names.txt
  say "shrink   git sparse-checkout set tools, before the calls; git sparse-checkout disable, after them"
  say "carry    $folder/program with the first part of one set, then each other part in a call of its own"
}

# newest_library is the oldest version of the C library that the GPU machine may have.
newest_library=2.35

# check_library refuses a program that asks for a newer C library than the machine may have.
check_library() {
  local asked
  asked="$(grep -ao 'GLIBC_2\.[0-9]*' "$1" | sort -uV | tail -n 1)"
  say "asks for ${asked:-no C library} ($(basename "$1"))"
  [[ $(printf '%s\n' "${asked#GLIBC_}" $newest_library | sort -V | tail -n 1) == "$newest_library" ]] ||
    fail "$1 asks for $asked, the GPU machine may have GLIBC_$newest_library: build on an older system"
}

# pack_program compresses a program with what Python has on both machines; it's a fifth smaller than with gzip.
pack_program() {
  "$python" - "$1" <<'PY'
import lzma, pathlib, sys
program = pathlib.Path(sys.argv[1])
program.with_suffix('.xz').write_bytes(lzma.compress(program.read_bytes(), preset=9))
program.unlink()
PY
}

# unpack_program writes a program that was brought.
unpack_program() {
  "$python" -c 'import lzma, shutil, sys
with lzma.open(sys.argv[1]) as source, open(sys.argv[2], "wb") as target: shutil.copyfileobj(source, target)' "$1" "$2"
}

# tree_size is what travels with every call from a sparse checkout of tools, which has the files at the top, too: the bytes of those
# that git tracks or doesn't ignore. The whole tree would leave less than half of a call.
tree_size() {
  (cd "$root" && git ls-files -z --cached --others --exclude-standard -- tools ':(glob)*' | du -cb --files0-from=- 2> /dev/null | tail -n 1 | cut -f 1)
}

# program_size is the bytes of what travels with the first part of a set.
program_size() {
  du -cb "$1"/{nbbnn.xz,bench.xz,agree.xz,ciz} | tail -n 1 | cut -f 1
}

# pack_set divides a data set: the first part leaves room for the program, the others fill a call.
pack_set() {
  local folder="$1" packed="$2" room="$3" set="$4" first part
  shift 4
  rm -rf "$folder/$set"-?
  first=$((room - $(program_size "$folder/program")))
  [[ $first -gt 0 ]] || fail "the programs take more than the $room bytes that a call leaves for them: remove what git neither tracks nor ignores"
  tar -C "$packed" -cf "$folder/$set.tar" "$@"
  head -c $first "$folder/$set.tar" > "$folder/$set-part0"
  tail -c +$((first + 1)) "$folder/$set.tar" | split -b "$room" --numeric-suffixes=1 -a 1 - "$folder/$set-part"
  rm "$folder/$set.tar"
  for part in "$folder/$set-part"?; do
    mkdir "$folder/$set-${part: -1}"
    mv "$part" "$folder/$set-${part: -1}/"
  done
  find "$folder" -maxdepth 1 -name "$set-?" | wc -l > "$folder/program/$set.parts"
  [[ $(cat "$folder/program/$set.parts") -le 2 ]] ||
    say "warning  $set takes $(cat "$folder/program/$set.parts") calls, the plan in README.md has two: make the tree smaller, or leave a run out"
}

# put copies what was brought to the work folder, and unpacks a data set when its last part is there.
put() {
  mkdir -p "$work/parts" "$work/data"
  local folder set program
  for folder in "$@"; do
    [[ -d $folder ]] || fail "$folder isn't there: was it carried?"
    cp -f "$folder"/* "$work/parts/"
  done
  for program in nbbnn bench agree; do
    [[ -f $work/parts/$program.xz ]] || continue
    unpack_program "$work/parts/$program.xz" "$work/$program.new" && chmod +x "$work/$program.new" && mv "$work/$program.new" "$work/$program"
  done
  warm_pytorch
  for set in cifar10 cifar100; do
    local have want
    have="$(find "$work/parts" -name "$set-part?" | wc -l)" want="$(cat "$work/parts/$set.parts" 2> /dev/null || echo 0)"
    if [[ $have -gt 0 && $have -eq $want && ! -e $work/data/$set.done ]]; then
      say "unpacks  $set"
      cat "$work/parts/$set"-part? | tar -C "$work/parts" -xf -
      chmod +x "$work/parts/ciz"
      "$python" "$root/tools/gpu/data.py" "$set" "$work/parts" "$work/data"
      touch "$work/data/$set.done"
    else
      say "has      $have of $want parts of $set"
    fi
  done
}

# warm_pytorch lets PyTorch compile the network that is measured first while data is unpacked: its compiler keeps the result.
warm_pytorch() {
  [[ -z $toy && ! -e $work/warm.log ]] && "$python" -c 'import torch; assert torch.cuda.is_available()' 2> /dev/null || return 0
  setsid "$python" "$root/tools/bench/pytorch/train.py" --compile --device cuda --network resnet18 --images 128 --samples 4 --precision bfloat16 --steps 2 \
    > "$work/warm.log" 2>&1 < /dev/null &
  echo $! > "$work/warm.pid"
}

# works says whether a process is there and hasn't ended: the first process of a container may leave ended ones as zombies.
works() { kill -0 "$1" 2> /dev/null && ! grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2> /dev/null; }

# wait_for_warm waits for warm_pytorch, at most two minutes, so that nothing is measured next to it.
wait_for_warm() {
  local pid waited=0
  [[ -s $work/warm.pid ]] || return 0
  pid="$(cat "$work/warm.pid")"
  while works "$pid" && [[ $waited -lt 120 && $(left) -gt 0 ]]; do
    [[ $waited -gt 0 ]] || say "waits    for PyTorch, which compiles its network"
    sleep 1
    waited=$((waited + 1))
  done
  if works "$pid"; then
    say "warning  PyTorch still compiles its network: it's measured next to that"
  else
    rm -f "$work/warm.pid"
  fi
}
