"""The words of docs/accuracy.md that no measurement changes."""

HEAD = """# Accuracy

What is found of what is there, measured on real corpora against an exact join, which finds every
pair at the threshold. Written by `make accuracy`; every figure on this page is of the run named
below.

"""

MEASURED = """
Measured on {date} by `make accuracy` in {minutes} minutes (CPU time: {cpu}; load of the machine:
{load}): {machine}.{left}

A **pair** is one of two distinct texts: exact duplicates are folded into one first, and are all
found. A pair is *true* at a threshold T if its exact Jaccard similarity is T or more. *Expected*
is the mean over the true pairs of 1 - (1 - J^r)^b, for the b bands of r rows that the asked
recall leads to; it is above the asked recall, which holds for pairs exactly at T. *Sigma* is the
standard error of the measured share, families of connected pairs taken as wholes, since the pairs
of one share signatures.

![Share of pairs that became candidates, by similarity](accuracy/curve.svg)

![True pairs missed, measured against expected](accuracy/recall.svg)

## Recall

Measured / expected, for each asked recall; ✓: at least the asked one less 4 sigma; ✗: not; †: a
bucket cap acted. At .95 also: **2-30**, the recall over pairs in families of 2 to 30 texts, since
one giant family may hold most pairs; **resolved**, the share of true pairs of which not both
texts stay, which is what a user of the kept rows sees.
"""

RIGHT = """
## What verification and stars are for

At threshold .8 and recall .95: **candidates** and the share of them that is **true**. Then
documents removed, in brackets those less similar to the text that stays than the threshold, if
candidates are taken as they are and joined into components (*unverified*, as most pipelines do);
if verified pairs are joined into *components*; and with *stars*, the default. **Largest**: the
largest cluster of each of the three.

![Documents removed, and how many of them unlike](accuracy/removals.svg)
"""

PEERS = """
## Beside peers

Shingles of three words, threshold .8; else the peer's own settings and tokens. **Pairs left in**:
true pairs of which both texts stay. **Wrong**: documents removed for which neither a copy
nor a text at the threshold stays, by the exact join under `word:3`; **own words**: the same by the
exact join of three-word shingles of the words that the tool itself cuts, since each cuts its own
way. Peers join candidates without comparing them.
"""

CORPORA = """
## Corpora

The names are those of the builders; texts are manuals, RFCs, dictionaries, licence notices,
statutes, package descriptions and Bible verses, some with made variants. `word:3` unless said;
the Chinese ones with white space removed. `bench-en` holds the large ones before it
once more, as one corpus.
"""
