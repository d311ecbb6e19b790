# shellcheck shell=bash disable=SC2154 # root, work, toy and python are those of gpu.sh
# What gpu.sh does on the machine: agreement, benchmarks, the figure and the runs.

# compare measures a network beside PyTorch, ours and theirs in one run; where there is no PyTorch, ours alone.
compare() {
  local network="$1" what images
  for what in train evaluate; do
    images=128
    [[ $what == train ]] || images=1024
    if [[ -z $toy ]] && "$python" -c 'import torch' 2> /dev/null; then
      if chosen "peers-$what-$network"; then wait_for_warm; fi
      step "peers-$what-$network" 90 300 "$work/bench" peers --json --python "$python" --scripts "$root/tools/bench/pytorch" --device cuda \
        "${precision[@]}" --networks "$network" --what "$what" --images "$images" --rounds "${ROUNDS:-3}"
    else
      [[ -z $toy ]] || images=4
      step "bench-$what-$network" 30 150 "$work/bench" "$what" --json --network "$network" --images "$images" --samples 4 \
        --steps "$steps" "${sizes[@]}" "${precision[@]}"
    fi
  done
}

# train trains a preset and evaluates it on all corruptions: NAME SET FLAGS...
train() {
  local name="$1" set="$2"
  shift 2
  step_on "$set" "$name" 90 0 "$work/nbbnn" train "$@" "${precision[@]}" --runs "$work/runs" --json
  if [[ -e $work/done/$name ]]; then
    step_on "$set" "$name-corruptions" 40 0 "$work/nbbnn" evaluate "$(run_of "$name")" --suite "$suite" "${few[@]}" --runs "$work/runs" --json
  fi
}

# run_of is the name of the run that a step has trained, from the card that it printed.
run_of() { "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["run"])' "$work/results/$1.out" 2> /dev/null; }

# export_weights brings the final weights of two runs of the figure back: eight files of 16 MiB may come.
export_weights() {
  local card run count=0
  for card in "$work/runs"/*/card.json; do
    [[ -e $card && $count -lt 2 ]] && grep -q '"allcnnc"' "$card" || continue
    run="$(basename "$(dirname "$card")")"
    count=$((count + 1))
    [[ -e $out/$run.safetensors ]] || "$work/nbbnn" weights export "$run" "$out/$run.safetensors" --runs "$work/runs" > /dev/null || true
  done
}

# run_all proves that the GPU computes rightly, measures ResNet18 beside PyTorch, then makes the figures and trains the other
# runs, each of which goes on with every further call, and measures the other networks with what is left.
run_all() {
  local network gamma number numbers=(3 6 8 2 12 10)
  local steps=30 sizes=() precision=(--precision bfloat16) suite=all19 few=()
  local figure=(--scale "${SCALE:-desk}" --seeds "${SEEDS:-3}" --parallel "${PARALLEL:-4}" --cards)
  if [[ -n $toy ]]; then
    steps=2 sizes=(--width 4) precision=() suite=first8 few=(--images 4 --samples 2) numbers=(3)
    figure=(--scale smoke --seeds 1 --width 4 --epochs 3 --train 64 --images 4 --samples 2)
  fi
  step agreement-allcnnc 30 300 "$work/agree" -test.v -test.run XLAAgreesWithPureGo/allcnnc
  compare resnet18
  for number in "${numbers[@]}"; do
    step_on "$([[ -n $toy ]] || echo cifar10)" "figure-$(printf %02d "$number")" 40 0 "$work/nbbnn" figure "$number" "${figure[@]}" \
      --runs "$work/runs" --out "$work/results/figure-$(printf %02d "$number")"
  done
  if [[ -n $toy ]]; then
    train toy "" --network allcnnc --width 4 --data shapes10 --train 64 --batch 16 --epochs 2 --samples 2
    return
  fi
  step agreement-resnet18 60 300 "$work/agree" -test.v -test.run XLAAgreesWithPureGo/resnet18
  train resnet18-cifar10 cifar10 --preset resnet18-cifar10
  train resnet18-cifar100 cifar100 --preset resnet18-cifar100
  for gamma in 0 40 80; do
    train "vgg16-cifar100-gamma-$gamma" cifar100 --preset vgg16-cifar100 --gamma "$gamma"
  done
  for network in allcnnc vgg16 preactresnet18; do
    compare "$network"
  done
}
