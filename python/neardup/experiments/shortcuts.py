"""Two tempting shortcuts of Fast Similarity Sketching that are wrong: a set is unlike itself."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import pairwise

from neardup.reference import draw, estimate, splitmix

Sketch = Callable[[Sequence[int], int, int], list[float]]
NEVER = float("inf")


def thrown(token: int, key: int, size: int) -> tuple[int, float]:
    """Slot and value of an element in the first round."""
    y = draw(token, key, 0)
    return (y >> 32) * size >> 32, (y & 0xFFFFFFFF) / 2**32


def stops_inside(hashes: Sequence[int], size: int, seed: int) -> list[float]:
    """Stop at the element that hits the last empty slot, and not at the end of its round."""
    key, slots, empty = splitmix(seed, 0), [NEVER] * size, size
    for token in hashes:
        slot, value = thrown(token, key, size)
        empty -= slots[slot] == NEVER
        slots[slot] = min(slots[slot], value)
        if not empty:
            break
    return slots


def first_wins(hashes: Sequence[int], size: int, seed: int) -> list[float]:
    """Leave a slot to the first element that hits it, and not to the least value."""
    key, slots = splitmix(seed, 0), [NEVER] * size
    for token in hashes:
        slot, value = thrown(token, key, size)
        if slots[slot] == NEVER:
            slots[slot] = value
    return slots


def stops_inside_expected(size: int, elements: int) -> float:
    """Two prefixes, each until the last slot is hit, share so much: about q / (2 - q)."""
    share = size * sum(1 / i for i in range(1, size + 1)) / elements
    return share / (2 - share)


def first_wins_expected(size: int, elements: int) -> float:
    """One of the h elements of a slot comes first in both orders with probability 1 / h."""
    log = [math.lgamma(i + 1) for i in range(elements + 1)]
    total = 0.0
    for h in range(1, elements + 1):
        chance = log[elements] - log[h] - log[elements - h]
        chance += (elements - h) * math.log1p(-1 / size) - h * math.log(size)
        total += math.exp(chance) / h
    return total


SHORTCUTS: dict[str, tuple[Sketch, Callable[[int, int], float]]] = {
    "stop inside a round": (stops_inside, stops_inside_expected),
    "first hit wins": (first_wins, first_wins_expected),
}


def measured(size: int, elements: int, draws: int, seed: int) -> list[dict[str, float | str]]:
    """The estimate of a set with itself, in two orders: what each shortcut gives instead of 1."""
    rows: list[dict[str, float | str]] = []
    for name, (sketch, expected) in SHORTCUTS.items():
        rng = random.Random(seed)
        total = 0.0
        for number in range(draws):
            tokens = [rng.getrandbits(64) for _ in range(elements)]
            orders = [sketch(rng.sample(tokens, elements), size, number) for _ in range(2)]
            total += sum(estimate(a, b) for a, b in pairwise(orders))
        rows.append(
            {"shortcut": name, "expected": expected(size, elements), "estimate": total / draws}
        )
    return rows
