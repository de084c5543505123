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
    best=(3.4, 2.3, -0.5, 1.5, 0.6, -0.9, 0.0, 1.5, -0.3, 0.5, 0.0, 0.0, 0.0, -5.0),
    contained=(1.9, 2.4, 2.6, 1.6, 0.5, -1.4, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0, -5.0),
    threshold=0.4,
)
SIMILAR = Weights(
    best=(2.7, 2.2, -0.5, 1.3, 0.55, -0.7, 0.0, 1.5, -0.3, 0.5, 0.0, 2.5, 0.0, -5.5),
    contained=(1.6, 2.1, 2.3, 1.1, 0.5, -0.8, 0.0, 0.3, 0.0, 0.0, 0.0, 2.6, 2.2, -6.9),
    threshold=0.4,
)
