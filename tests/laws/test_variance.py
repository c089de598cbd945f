"""An estimate has mean J and the exact variance J(1-J)/k rho, however regular the tokens are."""

from __future__ import annotations

import numpy as np
import pytest
from law_kit import SIGMAS, assert_estimates, assert_mean, equal_slots, native, rho

from neardup import FastSimilaritySketch, estimate_jaccard, reference

USED = reference.ROUNDS
CASES = [
    *((128, USED, m, m // 2) for m in (16, 32, 128, 512, 1334)),
    *((128, USED, m, m // 10) for m in (20, 1000)),
    *((128, USED, m, 9 * m // 10) for m in (20, 130, 1000)),
    *((256, USED, m, m // 2) for m in (16, 128, 1334)),
    *((128, rounds, m, m // 2) for rounds in (0, 1, 16) for m in (16, 128, 1334)),
]


@pytest.mark.parametrize(("size", "rounds", "union", "shared"), CASES)
def test_mean_and_mean_square_error_are_the_exact_ones(size, rounds, union, shared):
    trials = 20_000 if union <= 512 else 6_000
    rng = np.random.default_rng([size, rounds, union, shared])
    sketch = native(size, 42, None if rounds == USED else rounds)
    estimates = equal_slots(sketch, rng, trials, union, shared).mean(axis=1)
    jaccard = shared / union
    variance = jaccard * (1 - jaccard) / size * rho(size, union, rounds)
    assert_estimates(estimates, jaccard, variance)


def test_the_mean_holds_over_seeds_too():
    rng = np.random.default_rng(5)
    estimates = [equal_slots(native(seed=s), rng, 1, 64, 32).mean() for s in range(3000)]
    assert_estimates(np.array(estimates), 0.5, 0.25 / 128 * rho(128, 64, USED))


def test_the_formula_has_its_published_values():
    table = {4: 0.500, 16: 0.501, 32: 0.503, 64: 0.510, 128: 0.538, 256: 0.620, 512: 0.760}
    table |= {1024: 0.876, 1334: 0.905, 4096: 0.969, 10_000: 0.987}
    for union, expected in table.items():
        assert rho(128, union, 128) == pytest.approx(expected, abs=0.0006)
    for union, expected in {16: 0.889, 32: 0.803, 128: 0.600, 512: 0.760, 1334: 0.905}.items():
        assert rho(128, union, 1) == pytest.approx(expected, abs=0.0006)
    assert rho(128, 16, 16) == pytest.approx(0.510, abs=0.0006)
    assert rho(128, 16, 0) == 1.0


@pytest.mark.parametrize("rounds", [None, 0, 1, 16])
def test_the_standard_error_is_that_of_the_formula(rounds):
    used = USED if rounds is None else rounds
    for size in (2, 128, 4096):
        sketch = FastSimilaritySketch(size, rounds=rounds)
        for union in (2, 16, 1334, 10**6):
            for jaccard in (0.1, 0.5, 0.9):
                variance = jaccard * (1 - jaccard) / size * rho(size, union, used)
                expected = np.sqrt(max(variance, 0.0))
                assert sketch.std_err(jaccard, union) == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert sketch.std_err(0.0, 50) == sketch.std_err(1.0, 50) == 0.0


def test_algorithm_1_has_the_variance_of_as_many_rounds_as_slots():
    rng, size = np.random.default_rng(11), 16
    for union, trials in ((8, 4000), (16, 3000), (40, 1500)):
        estimates = []
        for _ in range(trials):
            tokens = rng.integers(0, 2**64, union, np.uint64).tolist()
            a, b = tokens[: 3 * union // 4], tokens[union // 4 :]
            a, b = (reference.algorithm_1(tokens, size) for tokens in (a, b))
            estimates.append(reference.estimate(a, b))
        assert_estimates(np.array(estimates), 0.5, 0.25 / size * rho(size, union, size))


@pytest.mark.parametrize("kind", ["integers", "strings", "prehashed"])
def test_consecutive_tokens_are_as_good_as_random_ones(kind):
    sketch, n, step = FastSimilaritySketch(), 100, 50
    rows = []
    for start in range(0, 1500 * 2 * n, 2 * n):
        for first in (start, start + step):
            row = np.arange(first, first + n, dtype=np.uint64)
            rows.append(list(map(str, row.tolist())) if kind == "strings" else row)
    matrix = sketch.batch(rows, prehashed=kind == "prehashed")
    estimates = (matrix[0::2] == matrix[1::2]).mean(axis=1)
    assert_estimates(estimates, 1 / 3, 2 / 9 / 128 * rho(128, n + step, USED))


@pytest.mark.parametrize("union", [130, 1334])
def test_half_similar_sets_never_look_like_duplicates(union):
    rng = np.random.default_rng(union)
    estimates = equal_slots(native(), rng, 10_000, union, union // 2).mean(axis=1)
    assert (estimates >= 0.7).sum() == 0  # the Chernoff bound alone would allow 106


@pytest.mark.parametrize("token", [int, str, lambda i: f"token {i}".encode()])
def test_two_lists_of_16_000_tokens_half_shared(token):
    sketch = FastSimilaritySketch(256)
    a = sketch([token(i) for i in range(16_000)])
    b = sketch([token(i) for i in range(8_000, 24_000)])
    assert abs(estimate_jaccard(a, b) - 1 / 3) <= SIGMAS * sketch.std_err(1 / 3, 24_000)


def test_disjoint_sets_of_a_million_tokens_share_nothing():
    sketch = FastSimilaritySketch()
    a, b = (sketch(np.arange(i * 10**6, (i + 1) * 10**6)) for i in range(2))
    # A slot of 31 - stage value bits matches falsely about n / (k 2^(w + 1)) of the time.
    assert_mean(a == b, 0.0, np.sqrt(2 * 10**6 / 128 / 2**31))
