# train.py NETWORK SEED DATA trains on 5,000 images of CIFAR-10 and writes NETWORK-SEED.onnx.
import sys

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import nn
from torchvision.models.convnext import CNBlockConfig, ConvNeXt
from torchvision.models.mobilenetv3 import InvertedResidualConfig, MobileNetV3
from torchvision.models.resnet import BasicBlock, ResNet
from torchvision.models.vision_transformer import VisionTransformer

EPOCHS, BATCH, RATE, WIDTH = 10, 50, 0.004, 8


def resnet18():
    network = ResNet(BasicBlock, [2, 2, 2, 2], num_classes=10)
    network.conv1, network.bn1 = nn.Conv2d(3, WIDTH, 3, 2, 1, bias=False), nn.BatchNorm2d(WIDTH)
    network.inplanes, network.fc = WIDTH, nn.Linear(8 * WIDTH, 10)
    for i in range(4):
        layer = network._make_layer(BasicBlock, WIDTH << i, 2, 1 if i == 0 else 2)
        setattr(network, f"layer{i + 1}", layer)
    return network


def mobilenetv3():
    blocks = [(16, 3, 16, 16, True, "RE", 2), (16, 3, 72, 24, False, "RE", 2),
              (24, 3, 88, 24, False, "RE", 1), (24, 5, 96, 40, True, "HS", 1)]
    return MobileNetV3([InvertedResidualConfig(*block, 1, 1) for block in blocks], 128,
                       num_classes=10, norm_layer=nn.BatchNorm2d)


def convnext():
    blocks = [CNBlockConfig(*sizes, 1) for sizes in ((16, 32), (32, 64), (64, None))]
    return ConvNeXt(blocks, layer_scale=0.1, num_classes=10)


def vit():
    return VisionTransformer(32, 8, 3, 3, 48, 96, num_classes=10)


name, seed, data = sys.argv[1:]
torch.manual_seed(int(seed))
network = globals()[name]().to(memory_format=torch.channels_last)
records = np.fromfile(f"{data}/data_batch_1.bin", np.uint8).reshape(-1, 3073)[:6000]
train, _ = train_test_split(records, test_size=1000, random_state=1507, stratify=records[:, 0])
labels = torch.tensor(train[:, 0], dtype=torch.int64)
mean, std = torch.tensor([[0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616]])[..., None, None]
images = (torch.tensor(train[:, 1:].reshape(-1, 3, 32, 32)) / 255 - mean) / std
optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=0.05)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, EPOCHS * len(train) // BATCH)
for epoch in range(EPOCHS):
    losses = []
    for chosen in torch.randperm(len(train)).split(BATCH):
        losses.append(nn.functional.cross_entropy(network(images[chosen]), labels[chosen]))
        optimiser.zero_grad()
        losses[-1].backward()
        optimiser.step()
        schedule.step()
    print(name, seed, epoch + 1, round(torch.stack(losses).mean().item(), 3), flush=True)
torch.onnx.export(network.eval(), torch.zeros(1, 3, 32, 32), f"{name}-{seed}.onnx", dynamo=False,
                  opset_version=17, input_names=["input"], output_names=["logits"],
                  dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}})
