#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Explores the model. usage: explore.py [quick|full [SHARD SHARDS [WORD]]]: WORD, only layouts whose name
contains it. Exit 1 with the steps of a violation."""
import sys
import time

from layouts import LAYOUTS
from relocation import Layout, explore

LIMIT = 30000       # states of one layout; `(cut off)` says when it was met


def main(which='quick', shard='0', shards='1', word=''):
    total, failed, chosen = [0, 0], 0, [x for x in LAYOUTS if (which == 'full' or x[1]) and word in x[0]]
    for n, (name, _, arguments) in enumerate(chosen):
        if n % int(shards) != int(shard):
            continue
        for sep in (False, True) if which == 'full' else (bool(n % 2),):
            began = time.time()
            count, bad = explore(Layout(sep=sep, **arguments()), limit=LIMIT)
            total = [total[0] + count['states'], total[1] + count['outcomes']]
            print('%-34s %-8s %7d states %9d outcomes %5.1f s %s%s' % (
                name, '2 disks' if sep else '', count['states'], count['outcomes'], time.time() - began,
                'ok' if not bad else 'BROKEN', '' if count['complete'] else ' (cut off)'), flush=True)
            for kind, steps in bad.items():
                print('    %s\n        %s' % (kind, '\n        '.join(steps)))
            failed += bool(bad)
    print('%d states, %d crash outcomes, %d layouts broken' % (total[0], total[1], failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
