#!/bin/sh
# run.sh SEED... imports the network, fits noise and tests both, for each seed. lines.onnx is
# ch_ppocr_mobile_v2.0_cls_infer.onnx of the package rapidocr-onnxruntime 1.4.4, whose input is given the shape [batch, 3, 48,
# 192] by onnx.tools.update_model_dims of the package onnx. make.py used Pillow 13.0.0, matplotlib 3.11.2 and Python 3.11.7.
set -eu
for seed; do
  python make.py "$seed" "lines-$seed"
  nbbnn data add "lines-$seed" "lines-$seed"
  nbbnn weights import lines.onnx --data "lines-$seed" --train 600 --validation 100 --seed "$seed" --normalisation inception \
    --channels bgr --name "lines-seed$seed"
  nbbnn posthoc --from "lines-seed$seed" --gamma 0 --init-std 0.05 --batch 10 --epochs 6 --name "noise-lines-seed$seed"
  nbbnn evaluate "lines-seed$seed" "noise-lines-seed$seed" --suite all19 --samples 8
done
