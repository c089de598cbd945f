"""The guarantee of a star, on random graphs: each one removed is beside one that is kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup import _native, reference


@st.composite
def graphs(draw):
    """A keep order, and edges with similarities of which many are equal."""
    n = draw(st.integers(1, 40))
    rank = np.array(draw(st.permutations(range(n))), np.uint32)
    nodes = st.integers(0, n - 1)
    edges = draw(st.sets(st.tuples(nodes, nodes).filter(lambda e: e[0] < e[1]), max_size=3 * n))
    similarity = {edge: draw(st.sampled_from((0.7, 0.8, 0.85, 1.0))) for edge in sorted(edges)}
    return rank, similarity


def native(cluster, rank, similarity):
    """Representatives and similarities by the native function."""
    a, b = (np.array([edge[i] for edge in similarity], np.uint32) for i in range(2))
    return cluster(rank, a, b, np.array(list(similarity.values()), float))


def neighbours(similarity):
    """Similarity of each neighbour of each node."""
    near: dict[int, dict[int, float]] = {}
    for (a, b), value in similarity.items():
        near.setdefault(a, {})[b] = near.setdefault(b, {})[a] = value
    return near


@settings(max_examples=500, deadline=None, derandomize=True)
@given(graphs())
def test_star(graph):
    rank, similarity = graph
    partner, value = (x.tolist() for x in native(_native.star, rank, similarity))
    near = neighbours(similarity)
    kept = {i for i, p in enumerate(partner) if p == i}
    for i, p in enumerate(partner):
        beside = {k: near.get(i, {})[k] for k in near.get(i, {}) if k in kept}
        if i in kept:
            assert value[i] == 1.0
            assert not beside  # kept ones are no neighbours of each other
        else:
            assert p in kept
            assert value[i] == max(beside.values())
            assert p == min(beside, key=lambda k: (-beside[k], rank[k]))
            assert any(rank[k] < rank[i] for k in beside)  # it gave way to an earlier one
    order = np.argsort(rank).tolist()
    twin = reference.star(order, similarity)
    assert twin == {i: (p, value[i]) for i, p in enumerate(partner) if p != i}


@settings(max_examples=500, deadline=None, derandomize=True)
@given(graphs())
def test_components(graph):
    rank, similarity = graph
    partner, value = (x.tolist() for x in native(_native.components, rank, similarity))
    near = neighbours(similarity)
    for a, b in similarity:
        assert partner[a] == partner[b]
    for i, p in enumerate(partner):
        assert rank[p] <= rank[i]
        assert partner[p] == p
        if p != i:
            assert value[i] == near[i][p] if p in near[i] else np.isnan(value[i])
    order = np.argsort(rank).tolist()
    assert reference.components(order, similarity) == {
        i: p for i, p in enumerate(partner) if p != i
    }
