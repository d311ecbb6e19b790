# shellcheck shell=bash disable=SC2154 # root, work, python and carried are those of gpu.sh
# What gpu.sh carries to a machine without network, and how it's taken there.

# prepare builds the programs with XLA and divides each data set into parts that a call can carry.
prepare() {
  local folder="${1:-$root/gpu}" packed="${NBBNN_PACKED:-}" room program
  mkdir -p "$folder/program"
  say "builds   $folder/program/nbbnn.gz and bench.gz"
  for program in cmd/nbbnn tools/bench; do
    (cd "$root" && CGO_ENABLED=1 go build -trimpath -ldflags=-s -o "$folder/program/" "./$program") ||
      fail "$program can't be built with XLA: it needs a C compiler and the C library's headers"
    gzip -9 -f "$folder/program/${program##*/}"
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
  say "carry    $folder/program with the first part of one set, then each other part in a call of its own"
}

# tree_size is what travels with every call: the bytes of the files that git tracks, and of those that it doesn't ignore.
tree_size() {
  (cd "$root" && git ls-files -z --cached --others --exclude-standard | du -cb --files0-from=- 2> /dev/null | tail -n 1 | cut -f 1)
}

# pack_set divides a data set: the first part leaves room for the program, the others fill a call.
pack_set() {
  local folder="$1" packed="$2" room="$3" set="$4" first part
  shift 4
  rm -rf "$folder/$set"-?
  first=$((room - $(du -cb "$folder/program"/{nbbnn.gz,bench.gz,ciz} | tail -n 1 | cut -f 1)))
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
}

# put copies what was brought to the work folder, and unpacks a data set when its last part is there.
put() {
  mkdir -p "$work/parts" "$work/data"
  local folder set program
  for folder in "$@"; do
    [[ -d $folder ]] || fail "$folder isn't there: was it carried?"
    cp -f "$folder"/* "$work/parts/"
  done
  for program in nbbnn bench; do
    [[ -f $work/parts/$program.gz ]] || continue
    gzip -dc "$work/parts/$program.gz" > "$work/$program.new" && chmod +x "$work/$program.new" && mv "$work/$program.new" "$work/$program"
  done
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
