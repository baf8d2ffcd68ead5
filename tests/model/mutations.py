#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Takes one rule out of the model at a time: each must show a violation, or the rule is only a belt.
usage: mutations.py [RULE...]; a rule named here prints the steps. Exit 1 when one is not caught."""
import sys

from relocation import Layout, explore, part

SMALL = {
    'R': lambda: dict(N=12, parts=[part(2, 4, 4, 'shift', 2, {0: 0, 3: 1})]),
    'R1': lambda: dict(N=12, parts=[part(2, 4, 4, 'shift', 1, {0: 0})]),
    'R2': lambda: dict(N=12, parts=[part(2, 4, 4, 'shift', 2)], mods=2, free={(0, 2)}),
    'stale': lambda: dict(N=12, parts=[part(2, 4, 4, 'shift', 2)], stale=True),
    'wide': lambda: dict(N=12, parts=[part(2, 4, 3, 'shift', 2)]),
    'J': lambda: dict(N=10, parts=[part(2, 4, 3, 'journal', 2)]),
    'J1': lambda: dict(N=10, parts=[part(2, 4, 3, 'journal', 1)], hw=1),
    'two': lambda: dict(N=14, parts=[part(2, 3, 4, 'shift', 2, {0: 0}), part(6, 3, 8, 'shift', 1, {2: 0})]),
    'G': lambda: dict(N=12, parts=[part(3, 3, 5, 'shift', 2, {0: 0})], table='gpt'),
    'E': lambda: dict(N=16, parts=[part(3, 3, 5, 'shift', 2, {0: 0}), part(7, 3, 10, 'shift', 2)], table='ebr', ebr=((2, 6), (2, 9))),
    'Eg': lambda: dict(N=15, parts=[part(3, 2, 4, 'shift', 1), part(9, 2, 10, 'shift', 1)], table='ebr', ebr=((2, 6), (2, 8)), hw=1, mods=0),
    'K': lambda: dict(N=12, parts=[part(2, 4, 3, 'lanes', 1, lanes=2)], hw=1, mods=0),
    'K+': lambda: dict(N=11, parts=[part(2, 4, 3, 'lanes', 1, {0: 0}, 2)], hw=1, mods=2),
    'KK': lambda: dict(N=14, parts=[part(2, 3, 3, 'lanes', 1, {0: 0}, 2), part(6, 4, 7, 'lanes', 1, {3: 0}, 2)], hw=1, mods=0),
    'KJ': lambda: dict(N=14, parts=[part(2, 4, 3, 'journal', 2), part(7, 4, 8, 'lanes', 1, lanes=2)], mods=0),
    'Kw': lambda: dict(N=13, parts=[part(2, 6, 3, 'lanes', 2, lanes=2)], hw=1, mods=0),
}

# (invariant, rule that is off, what that means, [layouts], belt: not expected to be caught)
MUTATIONS = [
    (1, 'cover', 'no cover', ['R'], 0),
    (1, 'coverflush', 'cover in one flush with the first window', ['R'], 0),
    (1, 'reread', 'kernel nodes not dropped', ['R'], 0),
    (1, 'blankgpt', 'GPT headers left under the cover', ['G'], 0),
    (2, 'flushfirst', 'a run does not flush first', ['R1'], 0),
    (3, 'journalfirst', 'cover and journal in one flush', ['R'], 0),
    (3, 'planid', 'records not bound to the plan', ['stale'], 0),
    (4, 'slot', 'slot by parity, not where the newest is not', ['R1'], 0),
    (4, 'crc', 'a torn record passes for whole', ['R'], 0),
    (5, 'flusheach', 'no flush between rounds', ['R'], 0),
    (5, 'recordwith', 'record after its window, not with it', ['R'], 0),
    (5, 'none', 'window wider than |D|', ['wide'], 0),
    (5, 'flushdisk', 'the journal alone is flushed', ['R/2'], 0),
    (5, 'flushjournal', 'the disk alone is flushed', ['J/2'], 0),
    (5, 'orderwrong', 'partitions in the wrong order', ['two'], 0),
    (6, 'primeflush', 'first half not durable before the first destination', ['J'], 0),
    (6, 'otherhalf', 'next into the half that is in force', ['J1'], 0),
    (7, 'cksum', 'newest record means done', ['R'], 0),
    (7, 'wholecksum', 'checksum of the first block only', ['R'], 0),
    (7, 'nexthalf', 'recovery goes on from the source, not the half', ['J'], 0),
    (7, 'redoflush', 'redo not flushed before the frontier record', ['J'], 0),
    (7, 'freshrec', 'no frontier record after a journal recovery', ['J'], 0),
    (7, 'freshrecshift', 'no frontier record after a shift recovery', ['R', 'K'], 1),
    (9, 'mapundercover', 'map of used blocks taken before the cover', ['R2'], 0),
    (10, 'endrecord', 'no END record', ['R'], 0),
    (10, 'endflush', 'END record in one flush with what it announces', ['R'], 0),
    (10, 'fixflush', 'tables in one flush with the fields', ['G'], 0),
    (10, 'tableflush', 'sector 0 in one flush with the other table sectors', ['E'], 0),
    (10, 'fixlist', 'undo guesses which fields were changed', ['R'], 0),
    (10, 'donelist', 'DONE forgets the list', ['R'], 0),
    (10, 'wipe', 'undo leaves what the moves left behind', ['R'], 0),
    (10, 'wipesources', 'left-overs cleared where a partition came from', ['R'], 0),
    (10, 'wipelate', 'left-overs cleared in one flush with the last round', ['R'], 0),
    (10, 'wipefirst', 'left-overs cleared after the old EBRs are written', ['E'], 0),
    (10, 'wipeflush', 'left-overs in one flush with the END record', ['E', 'G'], 1),
    (10, 'gapsectors', 'an EBR left behind in a gap', ['Eg'], 0),
    (10, 'gapdata', 'what lay under a new EBR restored where it was data', ['E'], 0),
    (11, 'coveragain', 'undo after the end without a cover', ['R'], 0),
    (11, 'unfix', 'undo leaves the fields', ['R'], 0),
    (11, 'unfixflush', 'fields set back not durable before the frontier record', ['R'], 0),
    (11, 'fixfield', 'undo writes saved sectors instead of fields', ['R'], 0),
    (13, 'sillsave', 'sills not saved', ['K'], 0),
    (13, 'sillflush', 'sills not durable before the record that uses them', ['K'], 0),
    (13, 'sillrecord', 'no record that the sills are in the journal', ['K'], 0),
    (13, 'sillsource', 'last window from the disk, not from the sill', ['K'], 0),
    (13, 'sillskip', 'undo writes sill bytes in its rounds', ['K'], 0),
    (13, 'sillback', 'undo does not put the sills back', ['K'], 0),
    (13, 'sillbackflush', 'sills put back not durable before the record', ['K'], 0),
    (13, 'shortsill', 'a sill one block too high', ['Kw'], 0),
    (13, 'lanesums', 'checksum of the first lane only', ['K'], 0),
    (14, 'sillfree', 'data area used again while a record refers to its sills', ['K', 'KK', 'KJ'], 0),
    (14, 'sillfreelate', 'the same, where recovery finds the last round done', ['KK', 'KJ'], 0),
    (13, 'none', 'lanes with a window wider than |D|', ['Kw'], 0),
]


def main(wanted):
    missed = 0
    for number, rule, what, layouts, belt in MUTATIONS:
        if wanted and rule not in wanted:
            continue
        bad = {}
        for name in layouts:
            lay = Layout(sep=name.endswith('/2'), off=(rule,), **SMALL[name.split('/')[0]]())
            bad = bad or explore(lay, stop=True, limit=60000)[1]
        kind = min(bad) if bad else 'not caught' + (' (a belt)' if belt else '')
        missed += not bad and not belt
        print('%3d %-14s %-58s %s' % (number, rule, what, kind), flush=True)
        for steps in bad.values() if wanted else ():
            print('        ' + '\n        '.join(steps))
    print('%d rules left out, %d not caught' % (len(MUTATIONS), missed))
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
