"""What each feature is worth, fitted by `python -m benchmarks.local_answerer --fit` on the tuning half. Data only.

Two sets: with sentence similarity (cosines of all-MiniLM-L6-v2) and without.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """`best` orders candidates, `contained` decides whether the best one answers: a value for each of `Features` in
    order, a bias last."""

    best: tuple[float, ...]
    contained: tuple[float, ...]
    threshold: float


LEXICAL = Weights(
    best=(1.9, 1.9, 2.0, -0.6, 1.3, 0.75, -0.8, 0.0, 1.5, -0.5, 0.0, 0.0, -5.0),
    contained=(1.3, 1.5, 2.0, 2.4, 1.5, 0.9, -2.5, 0.0, 0.3, 0.3, 0.0, 0.0, -5.1),
    threshold=0.28,
)
SIMILAR = Weights(
    best=(1.5, 1.5, 2.0, -0.6, 1.2, 0.7, -0.6, 0.0, 1.5, -0.5, 2.4, 0.0, -5.5),
    contained=(1.1, 1.3, 1.8, 2.1, 1.0, 0.9, -2.0, 0.0, 0.4, 0.0, 2.5, 2.1, -7.0),
    threshold=0.18,
)
