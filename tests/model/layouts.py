# SPDX-License-Identifier: GPL-2.0-or-later
"""The small layouts that are explored; `quick` ones are the shard of `make check`."""
from relocation import part


def both(size):
    return {0: 0, size - 1: 0}


def ends(size):
    return {0: 0, size - 1: 1}


# (name, quick, arguments of Layout)
LAYOUTS = [
    ('shift right D2 w2 L6', 1, lambda: dict(N=14, parts=[part(2, 6, 4, 'shift', 2, ends(6))])),
    ('shift right D3 w3 L7', 0, lambda: dict(N=16, parts=[part(2, 7, 5, 'shift', 3, both(7))])),
    ('shift left D2 w2 L6', 1, lambda: dict(N=14, parts=[part(6, 6, 4, 'shift', 2, ends(6))], mods=0)),
    ('shift left D3 w3 L7 equal data', 0, lambda: dict(N=16, parts=[part(6, 7, 3, 'shift', 3, both(7))], mods=0, dup=2)),
    ('shift right D1 w1 L5, 2 changes', 0, lambda: dict(N=12, parts=[part(2, 5, 3, 'shift', 1, both(5))], mods=2)),
    ('shift D5 > L4 w4', 0, lambda: dict(N=14, parts=[part(2, 4, 7, 'shift', 4, both(4))])),
    ('shift D6 > L4 left', 0, lambda: dict(N=14, parts=[part(8, 4, 2, 'shift', 2, both(4))])),
    ('shift right, window varies', 0, lambda: dict(N=14, parts=[part(2, 6, 5, 'shift', 3, ends(6))], mods=0, wvar=3)),
    ('shift, read ahead', 0, lambda: dict(N=14, parts=[part(2, 6, 4, 'shift', 2)], mods=0, readahead=True)),
    ('journal right D1 w2 L5', 0, lambda: dict(N=12, parts=[part(2, 5, 3, 'journal', 2, {0: 0})], mods=0)),
    ('journal right D1 w2 L3', 1, lambda: dict(N=10, parts=[part(2, 3, 3, 'journal', 2, {0: 0})], mods=0)),
    ('journal left D1 w2 L5', 0, lambda: dict(N=12, parts=[part(3, 5, 2, 'journal', 2, {0: 0})], mods=0)),
    ('journal right D1 w2 L4', 0, lambda: dict(N=11, parts=[part(2, 4, 3, 'journal', 2, {0: 0})])),
    ('journal right D1 w3 L6', 0, lambda: dict(N=12, parts=[part(2, 6, 3, 'journal', 3)], hw=3, mods=0)),
    ('journal right D2 w3 equal data', 0, lambda: dict(N=14, parts=[part(2, 6, 4, 'journal', 3)], hw=3, mods=0, dup=1)),
    ('journal, window varies', 0, lambda: dict(N=11, parts=[part(2, 4, 3, 'journal', 2)], mods=0, wvar=2)),
    ('journal, 2 partitions', 0, lambda: dict(N=14, parts=[part(2, 3, 3, 'journal', 2), part(5, 3, 7, 'journal', 2)], mods=0)),
    ('2 right, shift and journal', 0, lambda: dict(N=16, parts=[part(2, 3, 4, 'shift', 2, {0: 0}), part(6, 4, 7, 'journal', 2, {3: 0})], mods=0)),
    ('2 right, A covers B', 0, lambda: dict(N=16, parts=[part(2, 4, 5, 'shift', 2, {0: 0}), part(6, 3, 10, 'shift', 2, {2: 0})], hw=1)),
    ('2 left', 0, lambda: dict(N=16, parts=[part(5, 4, 2, 'shift', 2, {0: 0}), part(10, 4, 7, 'shift', 2, {3: 0})], hw=1)),
    ('right and left meet', 0, lambda: dict(N=16, parts=[part(2, 3, 4, 'shift', 2, {0: 0}), part(10, 4, 8, 'shift', 2, {0: 0})], hw=1)),
    ('right, fixed, left', 0, lambda: dict(N=18, parts=[part(2, 3, 4, 'shift', 2), part(8, 2, 8), part(13, 3, 11, 'shift', 2)], hw=1)),
    ('3 right', 0, lambda: dict(N=18, parts=[part(2, 3, 4, 'shift', 2), part(5, 3, 8, 'shift', 2), part(8, 2, 12, 'shift', 2)], hw=1, mods=0)),
    ('tiny L1, two', 1, lambda: dict(N=12, parts=[part(2, 1, 3, 'shift', 1, {0: 0}), part(3, 2, 4)], hw=1)),
    ('gpt right', 1, lambda: dict(N=13, parts=[part(3, 3, 5, 'shift', 2, both(3))], table='gpt', hw=1)),
    ('gpt left, two', 0, lambda: dict(N=18, parts=[part(5, 3, 3, 'shift', 2, {0: 0}), part(9, 4, 7, 'shift', 2)], table='gpt', hw=1, mods=0)),
    ('gpt journal', 0, lambda: dict(N=12, parts=[part(3, 4, 4, 'journal', 2, {0: 0})], table='gpt', mods=0)),
    ('ebr right, old EBR overwritten', 0, lambda: dict(N=16, parts=[part(3, 3, 5, 'shift', 2, {0: 0}), part(7, 3, 10, 'shift', 2)], table='ebr', ebr=((2, 6), (2, 9)), hw=1)),
    ('ebr right, no changes', 1, lambda: dict(N=14, parts=[part(3, 2, 4, 'shift', 1), part(6, 2, 8, 'shift', 2)], table='ebr', ebr=((2, 5), (2, 7)), hw=1, mods=0)),
    ('ebr in a gap, no changes', 1, lambda: dict(N=15, parts=[part(3, 2, 4, 'shift', 1), part(9, 2, 10, 'shift', 1)], table='ebr', ebr=((2, 6), (2, 8)), hw=1, mods=0)),
    ('ebr in a gap', 0, lambda: dict(N=15, parts=[part(3, 2, 4, 'shift', 1, {0: 0}), part(9, 2, 10, 'shift', 1)], table='ebr', ebr=((2, 6), (2, 8)), hw=1)),
    ('ebr left', 0, lambda: dict(N=18, parts=[part(6, 3, 3, 'shift', 2), part(11, 3, 8, 'shift', 2)], table='ebr', ebr=((2, 10), (2, 6)), hw=1, mods=0)),
    ('map of used blocks, 2 changes', 0, lambda: dict(N=12, parts=[part(2, 4, 4, 'shift', 2)], hw=1, free={(0, 2)}, mods=2)),
    ('map, journal', 0, lambda: dict(N=12, parts=[part(2, 4, 3, 'journal', 2)], free={(0, 1)})),
    ('records of an earlier plan', 0, lambda: dict(N=12, parts=[part(2, 3, 4, 'shift', 2)], hw=1, stale=True, mods=0)),
    # lanes
    ('2 lanes right D1 L4', 1, lambda: dict(N=12, parts=[part(2, 4, 3, 'lanes', 1, both(4), lanes=2)], hw=1)),
    ('2 lanes left D1 L5', 1, lambda: dict(N=12, parts=[part(4, 5, 3, 'lanes', 1, ends(5), lanes=2)], hw=1)),
    ('2 lanes right D2 w2 L7', 0, lambda: dict(N=16, parts=[part(2, 7, 4, 'lanes', 2, ends(7), lanes=2)], hw=1, mods=0)),
    ('2 lanes right D2 w1 L6', 0, lambda: dict(N=16, parts=[part(2, 6, 4, 'lanes', 1, both(6), lanes=2)], hw=1, mods=0)),
    ('2 lanes left D2 w2 L8', 0, lambda: dict(N=16, parts=[part(5, 8, 3, 'lanes', 2, both(8), lanes=2)], hw=1, mods=0)),
    ('2 lanes, all sill: D2 = P', 0, lambda: dict(N=14, parts=[part(2, 4, 4, 'lanes', 2, both(4), lanes=2)], hw=1)),
    ('3 lanes right D1 L8, short last', 0, lambda: dict(N=14, parts=[part(2, 8, 3, 'lanes', 1, both(8), lanes=3)], hw=1, mods=0)),
    ('3 lanes left D1 L8, short last', 0, lambda: dict(N=14, parts=[part(4, 8, 3, 'lanes', 1, both(8), lanes=3)], hw=1, mods=0)),
    ('3 lanes right D2 L7, last < D', 0, lambda: dict(N=15, parts=[part(2, 7, 4, 'lanes', 2, lanes=3)], hw=1, mods=0)),
    ('lanes, window varies', 0, lambda: dict(N=13, parts=[part(2, 6, 4, 'lanes', 2, lanes=2)], hw=1, mods=0, wvar=2)),
    ('lanes, equal data', 0, lambda: dict(N=13, parts=[part(2, 6, 4, 'lanes', 2, lanes=2)], hw=1, mods=0, dup=1)),
    ('lanes, read ahead', 0, lambda: dict(N=13, parts=[part(2, 6, 3, 'lanes', 1, lanes=2)], hw=1, mods=0, readahead=True)),
    ('lanes then lanes, right', 1, lambda: dict(N=14, parts=[part(2, 3, 3, 'lanes', 1, {0: 0}, 2), part(6, 4, 7, 'lanes', 1, {3: 0}, 2)], hw=1, mods=0)),
    ('lanes then journal', 0, lambda: dict(N=14, parts=[part(2, 4, 3, 'journal', 2, {0: 0}), part(7, 4, 8, 'lanes', 1, {3: 0}, 2)], mods=0)),
    ('lanes and shift meet', 0, lambda: dict(N=16, parts=[part(2, 4, 3, 'lanes', 1, {0: 0}, 2), part(10, 3, 8, 'shift', 2)], hw=1, mods=0)),
    ('lanes, 2 changes', 0, lambda: dict(N=11, parts=[part(2, 4, 3, 'lanes', 1, {0: 0}, 2)], hw=1, mods=2)),
    ('lanes gpt', 0, lambda: dict(N=12, parts=[part(3, 4, 4, 'lanes', 1, both(4), 2)], table='gpt', hw=1, mods=0)),
    ('lanes, map', 0, lambda: dict(N=12, parts=[part(2, 4, 3, 'lanes', 1, lanes=2)], hw=1, free={(0, 2)})),
]
