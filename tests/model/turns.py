#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Invariant 15: copies of one disk that share one journal file, explored state by state.

usage: tests/model/turns.py
A disk is the turn in its cover (None: uncovered) and how many of WINDOWS are at the new place. The journal is its
newest record. Runs go forward or back and die after any write; between runs a disk may be copied. Wherever a run takes
a record for its disk's, the disk must stand where the record says, and a disk that was never copied is never refused. Each rule is then left out, and must be missed."""
import collections
import sys

WINDOWS, COPIES, TURNS = 2, 3, 4
RULES = ('turns are not compared', 'any claim counts', 'a claim does not count', 'no turn is drawn',
         'the cover keeps its turn', 'the cover before the claim')

Disk = collections.namedtuple('Disk', 'cover place')
Record = collections.namedtuple('Record', 'turn claims_from lo hi ended')      # lo == hi: a frontier
Run = collections.namedtuple('Run', 'disk back phase turn')
State = collections.namedtuple('State', 'disks record run drawn')


class Lost(Exception):
    pass


def put(state, i, **changes):
    disks = list(state.disks)
    disks[i] = disks[i]._replace(**changes)
    return state._replace(disks=tuple(disks))


def belongs(disk, record, broken):
    """What check_turn() asks of a covered disk"""
    if broken == 'turns are not compared':
        return True
    if broken == 'any claim counts' and record.claims_from is not None:
        return True
    if broken == 'a claim does not count':
        return record.turn == disk.cover
    return record.turn == disk.cover or record.claims_from == disk.cover


def starts(state, broken):
    for i, disk in enumerate(state.disks):
        for back in (False, True):
            record = state.record
            if disk.cover is None:
                # check_pair(): a table that is whole goes with an end of its own, or with the start
                whole = record.lo == record.hi == disk.place and (record.ended or not disk.place)
                if whole and disk.place == (WINDOWS if back else 0):
                    yield put(state, i, cover=record.turn)._replace(run=Run(i, back, 'recover', record.turn))
            elif belongs(disk, record, broken):
                if disk.place not in (record.lo, record.hi):
                    raise Lost('a record is taken for that of another copy')
                yield state._replace(run=Run(i, back, 'recover', disk.cover))
            elif len(state.disks) == 1:
                raise Lost('a disk that was never copied is refused its journal')


def steps(state, broken):
    """What the run did next"""
    run, record = state.run, state.record
    disk, phase = state.disks[run.disk], run.phase
    at = lambda name, **more: state._replace(run=run._replace(phase=name), **more)
    if phase == 'recover':
        if record.lo != record.hi:
            record = Record(run.turn, None, disk.place, disk.place, False)
        yield at('move' if broken == 'no turn is drawn' else 'claim', record=record)
    elif phase == 'claim' and state.drawn < TURNS:
        turn = state.drawn + 1
        if broken == 'the cover before the claim':
            yield put(at('claim too', drawn=turn), run.disk, cover=turn)
            return
        done = at('cover', drawn=turn, record=record._replace(turn=turn, claims_from=run.turn))
        yield done._replace(run=done.run._replace(turn=turn))
    elif phase == 'claim too':
        done = at('move', record=record._replace(turn=disk.cover, claims_from=run.turn))
        yield done._replace(run=done.run._replace(turn=disk.cover))
    elif phase == 'cover':
        done = at('move')
        yield done if broken == 'the cover keeps its turn' else put(done, run.disk, cover=run.turn)
    elif phase == 'move':
        if disk.place == (0 if run.back else WINDOWS):
            yield at('end', record=Record(run.turn, None, disk.place, disk.place, True))
            return
        to = disk.place + (-1 if run.back else 1)
        window = Record(run.turn, None, min(disk.place, to), max(disk.place, to), False)
        yield put(state, run.disk, place=to)._replace(record=window)
        # It dies with the record alone; without the record, the window counts as not moved.
        yield state._replace(record=window, run=None)
    elif phase == 'end':
        yield put(state, run.disk, cover=None)._replace(run=None)


def successors(state, broken):
    if state.run:
        yield state._replace(run=None)                  # dies here
        yield from steps(state, broken)
        return
    yield from starts(state, broken)
    if len(state.disks) < COPIES:
        for disk in state.disks:
            yield state._replace(disks=tuple(sorted(state.disks + (disk,), key=str)))


def explore(broken=None):
    first = State((Disk(None, 0),), Record(0, None, 0, 0, False), None, 0)
    seen, todo = {first}, [first]
    while todo:
        for after in successors(todo.pop(), broken):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return len(seen)


def main():
    print('copies that share a journal: %d states ok' % explore())
    missed = []
    for broken in RULES:
        try:
            explore(broken)
            missed.append(broken)
        except Lost as how:
            print('%-28s caught: %s' % (broken, how))
    print('\n'.join('%-28s NOT CAUGHT' % m for m in missed) or 'every rule is needed')
    return bool(missed)


if __name__ == '__main__':
    sys.exit(main())
