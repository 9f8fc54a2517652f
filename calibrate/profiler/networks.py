"""The networks that are measured, with random weights and made inputs."""

import contextlib

import torch
from torch import nn
from torch.nn import functional as F

from language import language_model

# kind, width, layers, heads, vocabulary; words of a sample. The tiny ones are for
# tests.
LANGUAGE = {
    "bert-large": ("bert", 1024, 24, 16, 30522, 128),
    "gpt2-345m": ("gpt2", 1024, 24, 16, 50257, 1024),
    "gpt2-1.5b": ("gpt2", 1600, 48, 25, 50257, 1024),
    "tiny-bert": ("bert", 32, 2, 2, 100, 16),
    "tiny-gpt2": ("gpt2", 32, 2, 2, 100, 16),
}
# name in torchvision, side of the image, pixels
VISION = {"resnet-50": ("resnet50", 224), "resnet-152": ("resnet152", 224), "vgg-19": ("vgg19", 224), "inception-v3": ("inception_v3", 299)}
# blocks in each of the three groups of a CIFAR-10 ResNet of 6n+2 layers
CIFAR = {"resnet-110": 18, "tiny": 1}

LEAST = {"inception-v3": 2}  # samples of a batch, else 1: its auxiliary classifier normalises single pixels over the batch
MODELS = ["resnet-50", "bert-large", "gpt2-345m", "vgg-19", "inception-v3", "resnet-110", "resnet-152", "gpt2-1.5b"]
QUICK = MODELS[:3]


class Block(nn.Module):
    """Two convolutions and a shortcut without weights (He et al., CVPR 2016, 4.2)."""

    def __init__(self, before, width):
        super().__init__()
        self.stride, self.more = (1, 0) if before == width else (2, width - before)
        self.conv1 = nn.Conv2d(before, width, 3, self.stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + F.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.more)))


def cifar_resnet(n):
    widths = [16] * n + [32] * n + [64] * n
    blocks = [Block(before, width) for before, width in zip([16] + widths, widths)]
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)
    )


def vision_model(name):
    import torchvision

    more = {"init_weights": False} if name == "inception_v3" else {}
    return getattr(torchvision.models, name)(weights=None, **more)


class Network:
    """A network in training: model, optimiser, and batches that stay on the device."""

    def __init__(self, name, device):
        self.name, self.device, self.precision = name, device, "fp32"
        torch.manual_seed(0)
        with device_of_new_tensors(device):
            if name in LANGUAGE:
                self.model = language_model(*LANGUAGE[name][:5])
            else:
                self.model = cifar_resnet(CIFAR[name]) if name in CIFAR else vision_model(VISION[name][0])
        self.model.to(device).train()
        if name in LANGUAGE:
            self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-5)
        else:
            self.optimiser = torch.optim.SGD(self.model.parameters(), lr=1e-3, momentum=0.9)

    def use(self, precision):
        """fp32; tf32: fp32 with its products in TF32; bf16: autocast, weights in fp32."""
        self.precision = precision
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"

    def least(self):
        """The smallest batch that trains."""
        return LEAST.get(self.name, 1)

    def side(self):
        """Side of the image, pixels."""
        return 32 if self.name in CIFAR else VISION[self.name][1]

    def batch(self, samples):
        """Random inputs and what is to be learned of them."""
        if self.name in LANGUAGE:
            vocabulary, length = LANGUAGE[self.name][4:]
            words = torch.randint(0, vocabulary, (samples, length), device=self.device)
            return words, words
        side = self.side()
        classes = 10 if self.name in CIFAR else 1000
        return torch.randn(samples, 3, side, side, device=self.device), torch.randint(0, classes, (samples,), device=self.device)

    def loss(self, batch):
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.precision == "bf16"):
            return self._loss(*batch)

    def _loss(self, inputs, targets):
        if self.name in LANGUAGE:
            return self._words_loss(inputs, targets)
        out = self.model(inputs)
        if isinstance(out, tuple):  # Inception-v3: the auxiliary classifier counts 0.4, as torchvision trains it
            return F.cross_entropy(out[0], targets) + 0.4 * F.cross_entropy(out[1], targets)
        return F.cross_entropy(out, targets)

    def _words_loss(self, words, targets):
        """Of GPT-2 by the next word; of BERT, as if all words were masked."""
        scores = self.model(words)
        if LANGUAGE[self.name][0] == "gpt2":
            scores, targets = scores[:, :-1], targets[:, 1:]
        return F.cross_entropy(scores.flatten(0, 1), targets.flatten())

    def gradient_mb(self):
        return sum(p.numel() * p.element_size() for p in self.model.parameters()) / 1e6


def device_of_new_tensors(device):
    """Weights are made on the device where torch can do so: 1.5B on a CPU take long."""
    return device if hasattr(device, "__enter__") else contextlib.nullcontext()


def precisions(device):
    """The arithmetic that a device has."""
    if device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 0):
        return ["bf16", "tf32", "fp32"]
    return ["fp32", "bf16"] if device.type == "cpu" else ["fp32"]
