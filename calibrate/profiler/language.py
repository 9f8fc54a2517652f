"""BERT and GPT-2 in plain torch, with the layers and shapes of their papers."""

import math
from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F

DROPOUT = 0.1  # of both papers


def attend(q, k, v, causal):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=DROPOUT, is_causal=causal)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # torch before 2.0
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1), -math.inf)
    return F.dropout(scores.softmax(-1), DROPOUT) @ v


class Attention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.inner, self.outer = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        samples, length, width = x.shape
        q, k, v = self.inner(x).view(samples, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        return self.outer(attend(q, k, v, self.causal).transpose(1, 2).reshape(samples, length, width))


class Block(nn.Module):
    """A layer of a transformer. BERT's normalises after each part and looks both
    ways, GPT-2's normalises before and looks back."""

    def __init__(self, width, heads, gpt):
        super().__init__()
        self.gpt = gpt
        self.attention, self.norm1, self.norm2 = Attention(width, heads, gpt), nn.LayerNorm(width), nn.LayerNorm(width)
        gelu = nn.GELU(approximate="tanh" if gpt else "none")
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), gelu, nn.Linear(4 * width, width))

    def forward(self, x):
        if self.gpt:
            x = x + F.dropout(self.attention(self.norm1(x)), DROPOUT)
            return x + F.dropout(self.feed(self.norm2(x)), DROPOUT)
        x = self.norm1(x + F.dropout(self.attention(x), DROPOUT))
        return self.norm2(x + F.dropout(self.feed(x), DROPOUT))


class Embedding(nn.Module):
    """Words and positions; with BERT also the sentence, here always the first, and a
    normalisation."""

    def __init__(self, words, positions, width, gpt):
        super().__init__()
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(positions, width)
        self.sentences, self.norm = (None, None) if gpt else (nn.Embedding(2, width), nn.LayerNorm(width))

    def forward(self, words):
        x = self.words(words) + self.positions(torch.arange(words.shape[1], device=words.device))
        if self.sentences is not None:
            x = self.norm(x + self.sentences(torch.zeros_like(words)))
        return F.dropout(x, DROPOUT)


class Head(nn.Module):
    """Scores of the words, by the weights of their embedding."""

    def __init__(self, embedding, width, gpt):
        super().__init__()
        self.norm, self.words = nn.LayerNorm(width), embedding.weight
        self.dense, self.bias = (None, None) if gpt else (nn.Linear(width, width), nn.Parameter(torch.zeros(len(embedding.weight))))

    def forward(self, x):
        if self.dense is not None:
            x = F.gelu(self.dense(x))
        return F.linear(self.norm(x), self.words, self.bias)


def language_model(kind, width, layers, heads, words):
    """BERT with its masked-word head (Devlin et al., NAACL 2019), or GPT-2 (Radford et
    al., 2019): positions as published, weights drawn as they say."""
    gpt = kind == "gpt2"
    embedding = Embedding(words, 1024 if gpt else 512, width, gpt)
    blocks = [(f"block{i}", Block(width, heads, gpt)) for i in range(layers)]
    model = nn.Sequential(OrderedDict([("embedding", embedding), *blocks, ("head", Head(embedding.words, width, gpt))]))
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02)
    return model
