"""A client of the public API under mypy --strict; test_public.py checks and runs it."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import neardup

U32 = npt.NDArray[np.uint32]

sketcher = neardup.FastSimilaritySketch(size=64, seed=1)
one = sketcher(["to", b"be", 1])
many = sketcher.batch([["a"], ["b", "c"]], num_threads=1)
flat = sketcher.batch_csr(np.arange(3), [0, 1, 3])
assert_type(one, U32)
assert_type(many, U32)
assert_type(flat, U32)
assert_type(neardup.estimate_jaccard(one, many[0]), float)
assert_type(sketcher.identity, str)
assert_type(neardup.Sketcher("oph", 64)(["to"]), U32)
assert_type(neardup.estimate_oph(one, many[0]), float)

signatures = neardup.sketch(["a text", "another"], shingle="char:3", size=64)
assert_type(signatures, neardup.Signatures)
assert_type(signatures.matrix, U32)
assert_type(signatures.counts, npt.NDArray[np.int64])
assert_type(signatures.jaccard(0, 1), float)
assert_type(
    neardup.Signatures.concat([signatures, signatures.merge(signatures)]), neardup.Signatures
)
assert_type(neardup.jaccard("a", "b"), float)

assert_type(neardup.duplicate_flags(signatures, 8, keep=False), npt.NDArray[np.bool_])
index = neardup.LSH(64, 8, keep_signatures=True)
assert_type(index.insert(signatures), range)
assert_type(index.insert_and_query_duplicates(many, keep=False), npt.NDArray[np.bool_])
assert_type(len(index), int)

forest = neardup.Forest(8, num_perm=64)
assert_type(forest.insert(many), range)
probed = sketcher.batch_with_runners_up([["a"]])
assert_type(probed, tuple[U32, U32])
probes = neardup.MultiProbeLSH(num_perm=64, probes="both")
assert_type(probes.insert(probed), range)
assert_type(probes.plan.curve(0.5), float)
stream = neardup.BloomStream(100)
stream.add(["a text"])
assert_type(stream.fill, neardup.BloomFill)
passages = neardup.ContainmentIndex(["a text"])
assert_type(passages.insert(["another"]), range)
assert_type(neardup.containment("a", "b"), float)

plan = neardup.explain(threshold=0.9)
assert_type(plan, neardup.Banding)
assert_type(plan.curve(0.5), float)

try:
    neardup.explain(threshold=2)
except neardup.NeardupValueError as error:
    assert_type(error.args, tuple[Any, ...])
    print("ok")
