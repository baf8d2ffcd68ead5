#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Crash model of the relocation protocol (include/alignck/relocate.h, the numbered invariants).

One cell is one atomic sector; journal cells lie behind the disk's, on the same device or on a second
one. A write is pending until its device is flushed. Power loss leaves every pending cell at its durable
value or at any pending one, each on its own; records may also be torn. kill -9 leaves writes pending and
the kernel's idea of the table alive; a failed flush leaves a subset, with `cached` the reader still sees
all. A user may change any block of a partition that some table reader shows whole.

explore() walks breadth-first to the fixpoint: any number of crashes, resumes and undos in any order, a
crash at every flush with every subset. `off` takes one rule out; mutations.py shows what then breaks."""
import collections
import itertools

VALUES, IDS = [], {}


def intern(value):
    if value not in IDS:
        IDS[value] = len(VALUES)
        VALUES.append(value)
    return IDS[value]


ZERO, TORN, COVER, PMBR = (intern((x,)) for x in ('zero', 'torn', 'cover', 'pmbr'))
MBR = {lay: intern(('mbr', lay)) for lay in ('old', 'new')}
SOURCE, TARGET = {'fwd': 'old', 'back': 'new'}, {'fwd': 'new', 'back': 'old'}


class Stuck(Exception):
    """The tool cannot go on: a violation."""


def part(s, size, t, mode='shift', w=1, fix=None, lanes=1):
    """A partition [s, s+size) that goes to t. fix: {block: 0 holds the old start, 1 the new by accident}"""
    return dict(s=s, L=size, t=t, mode=mode, w=w, fix=dict(fix or {}), K=lanes)


class Layout:
    """N disk cells, `parts` in disk order; everything a run must know that is in the journal's header."""

    def __init__(self, N, parts, table='mbr', ebr=None, sep=False, off=(), hw=2, mods=1, free=(), dup=0,
                 stale=False, cached=False, kill=True, wvar=0, readahead=False):
        self.N, self.parts, self.table, self.ebr, self.sep = N, parts, table, ebr, sep
        self.off, self.hw, self.mods, self.free, self.dup = frozenset(off), hw, mods, free, dup
        self.stale, self.cached, self.kill, self.wvar = stale, cached, kill, wvar
        self.readahead = readahead
        for i, p in enumerate(parts):
            p['D'], p['i'] = p['t'] - p['s'], i
            p['P'] = -(-p['L'] // p['K'])               # blocks in a part; the last one may be shorter
            p['K'] = -(-p['L'] // p['P'])
        sills = max((p['K'] - 1) * abs(p['D']) for p in parts)
        self.HDR, self.slots, self.MAP = N, (N + 1, N + 2), N + 3
        self.data = tuple(range(N + 4, N + 4 + max(2 * hw, sills)))
        self.half = self.data[:hw], self.data[hw:2 * hw]
        self.cells = self.data[-1] + 1
        right = [p for p in reversed(parts) if p['D'] > 0]
        left = [p for p in parts if p['D'] < 0]
        if 'orderwrong' in self.off:
            right.reverse(), left.reverse()
        self.moves = right + left
        self.end = (len(self.moves), 0, False)          # the frontier: move, blocks done in each part, sills?

    def device(self, cell):
        return 1 if self.sep and cell >= self.N else 0

    def table_cells(self, lay):
        """[(cell, value)] but sector 0, backup first"""
        if self.table == 'gpt':
            return [(self.N - 1, intern(('gpt', lay))), (2, intern(('gpte', lay))), (1, intern(('gpt', lay)))]
        if self.table == 'ebr':
            pos = self.ebr[lay == 'new']
            return [(pos[i], intern(('ebr', lay, i))) for i in reversed(range(len(pos)))] + self.kept_cells(lay)
        return []

    def kept_cells(self, lay):
        """What lies in a gap now and under an EBR later is part of the old table; what is data is not"""
        if lay == 'new' or 'gapsectors' in self.off:
            return []
        where = {p['s'] + j: (p['i'], j) for p in self.parts for j in range(p['L'])}
        return [(c, self.block(*where[c], 0, 'old') if c in where else ZERO)
                for c in self.ebr[1] if c not in self.ebr[0] and (c not in where or 'gapdata' in self.off)]

    def sector0(self, lay):
        return MBR[lay] if self.table == 'mbr' else PMBR

    def block(self, i, j, version, lay):
        """What block j of partition i is; a start field follows the layout, if it held the old start"""
        field = self.parts[i]['fix'].get(j)
        if self.dup and 0 < j < self.parts[i]['L'] - 1 and not version:
            i, j = 0, 1 + j % self.dup                  # equal contents
        return intern(('d', i, j, version, -1 if field is None else field or int(lay == 'new')))

    def left_over(self):
        """Where partitions had moved to and none was before"""
        sources = {p['s'] + j for p in self.moves for j in range(p['L'])}
        if 'wipesources' in self.off:
            sources = set()
        return [c for p in self.moves for c in range(p['t'], p['t'] + p['L']) if c not in sources]

    # ---- geometry of one move
    def lane_blocks(self, p, lane, lo, hi):
        """Blocks that lane moves while its frontier goes from lo to hi; parts are cut at multiples of P"""
        base = lane * p['P']
        a, b = (base + p['P'] - hi, base + p['P'] - lo) if p['D'] > 0 else (base + lo, base + hi)
        blocks = list(range(max(a, base), min(b, base + p['P'], p['L'])))
        return blocks[::-1] if p['D'] > 0 else blocks

    def sills(self, p):
        """{block: journal cell}: what a neighbour's first windows overwrite"""
        D, P, L, out = abs(p['D']), p['P'], p['L'], {}
        for k in range(p['K'] - 1):
            low = (k + 1) * P if p['D'] > 0 else (k + 1) * P - D
            if 'shortsill' in self.off:
                low += 1
            for n in range(D):
                if low + n < L:
                    out[low + n] = self.data[k * D + n]
        return out


def readers(lay, cells):
    """[(reader, [(partition, start)])]: the kernel, libfdisk with its backup, one that ignores the PMBR"""
    P = lay.parts

    def starts(which):
        return [(i, p['s'] if which == 'old' else p['t']) for i, p in enumerate(P)] if which else []
    s0 = cells[0]
    if lay.table == 'mbr':
        return [('any', starts(VALUES[s0][1] if VALUES[s0][0] == 'mbr' else None))]
    if lay.table == 'gpt':
        head, entries, backup = (VALUES[cells[c]] for c in (1, 2, lay.N - 1))
        first = head[1] if (head[0], entries[0]) == ('gpt', 'gpte') and head[1] == entries[1] else None
        second = backup[1] if backup[0] == 'gpt' else None
        guarded = s0 != PMBR
        return [('kernel', [] if guarded else starts(first)), ('libfdisk', [] if guarded else starts(first or second)),
                ('no-pmbr', starts(first or second))]
    seen, pos, i = [], lay.ebr[0][0], 0
    while s0 == PMBR and pos is not None and i < len(P):
        v = VALUES[cells[pos]]
        if v[0] != 'ebr' or v[2] != i:
            break
        seen.append((i, P[i]['s'] if v[1] == 'old' else P[i]['t']))
        chain = lay.ebr[v[1] == 'new']
        i += 1
        pos = chain[i] if i < len(chain) else None
    return [('any', seen)]


def complete(lay, cells, truth, i, start):
    """Which layout's bytes are whole at `start`, or None"""
    p = lay.parts[i]
    for which, at in (('old', p['s']), ('new', p['t'])):
        if start == at and all(v < 0 or cells[start + j] == lay.block(i, j, v, which) for j, v in enumerate(truth[i])):
            return which
    return None


def violations(lay, state):
    """What a reader of a crash state could be harmed by"""
    cells, _, kernel, truth, _ = state
    bad = []
    seen = readers(lay, cells)
    for name, entries in seen + [('stale kernel', list(kernel))]:
        for i, start in entries:
            if complete(lay, cells, truth, i, start):
                continue
            v = VALUES[cells[start]]
            if lay.parts[i]['D'] == 0:
                bad.append('V0 a partition that does not move is damaged')
            elif v[:3] == ('d', i, 0):
                bad.append('V1 an incomplete partition shows its head (%s)' % name)
            elif v[0] == 'd':
                bad.append('V2 a table start shows other data (%s)' % name)
    if cells[0] != COVER:
        for name, entries in seen:
            if name != 'no-pmbr' and (len(entries) < len(lay.parts) or
                                      not all(complete(lay, cells, truth, i, s) for i, s in entries)):
                bad.append('V3 neither cover nor complete table')
                break
    return bad


class Run:
    """One run of a command over a state; at every flush all crash outcomes go to `sink`."""

    def __init__(self, lay, state, sink, window=0):
        cells, pending, self.kernel, self.truth, self.mods = state
        self.lay, self.sink, self.window = lay, sink, window
        self.durable, self.view, self.pending, self.log = list(cells), list(cells), {}, []
        self.was_killed, self.fresh, self.stage = bool(pending), False, ''
        ghost = bool(pending) and pending[0] == ('ghost', 0)    # shown by the cache, never to reach the disk
        for c, v in pending[ghost:]:
            self.view[c] = v
            if not ghost:
                self.pending.setdefault(c, []).append(v)
                self.log.append((c, v))

    def on(self, rule):
        return rule not in self.lay.off

    # ---- the disk
    def write(self, cell, value):
        self.view[cell], self.fresh = value, True
        self.pending.setdefault(cell, []).append(value)
        self.log.append((cell, value))

    def put(self, cells, values):
        for c, v in zip(cells, values):
            self.write(c, v)

    def get(self, cells):
        return tuple(self.view[c] for c in cells)

    def may_be(self, cell):
        out = [self.durable[cell]] + self.pending[cell]
        if cell in self.lay.slots and not self.on('crc'):       # torn unnoticed: new sequence, old body
            a, b = VALUES[out[0]], VALUES[out[-1]]
            if a[0] == 'rec' == b[0]:
                out.append(intern(b[:3] + a[3:]))
        elif cell in self.lay.slots or cell == self.lay.HDR:
            out.append(TORN)
        return list(dict.fromkeys(out))

    def emit(self):
        if not self.fresh:
            return
        self.fresh = False
        lay, keys, base = self.lay, list(self.pending), list(self.durable)
        choices = [self.may_be(c) for c in keys]
        for combo in itertools.product(*choices):
            for c, v in zip(keys, combo):
                base[c] = v
            cells = tuple(base)
            self.sink(self, (cells, (), tuple(readers(lay, cells)[0][1]), self.truth, self.mods), 'power')
            if lay.kill and combo[-1] != TORN:                  # an I/O error: the kernel's view stays
                self.sink(self, (cells, (), self.kernel, self.truth, self.mods), 'error')
            if lay.cached and lay.kill and not self.was_killed:
                self.sink(self, (cells, (('ghost', 0),) + tuple(self.log), self.kernel, self.truth, self.mods), 'bad flush')
        if lay.kill and not self.was_killed and ('flushfirst' in lay.off or lay.cached):
            for n in range(1, len(self.log) + 1):
                self.sink(self, (tuple(self.durable), tuple(self.log[:n]), self.kernel, self.truth, self.mods), 'kill')

    def flush(self, rule=None):
        """Both devices; a rule that is off leaves this flush, or one device, out"""
        if rule and not self.on(rule):
            return
        self.emit()
        only = None
        if self.lay.sep:
            only = 1 if not self.on('flushdisk') else 0 if not self.on('flushjournal') else None
        for c in list(self.pending):
            if only is None or self.lay.device(c) == only:
                self.durable[c] = self.pending.pop(c)[-1]
        self.log = [(c, v) for c, v in self.log if c in self.pending]

    # ---- records
    def newest(self):
        best = None
        for k in (0, 1):
            v = VALUES[self.view[self.lay.slots[k]]]
            if v[0] == 'rec' and (v[1] == 1 or not self.on('planid')) and (best is None or v[2] > best[1][2]):
                best = k, v
        return best

    def record(self, *body):
        best = self.newest()
        slot, seq = (1 - best[0], best[1][2] + 1) if best else (0, 1)
        if best and not self.on('slot'):
            slot = (seq + self.salt) & 1
        self.write(self.lay.slots[slot], intern(('rec', 1, seq) + body))

    def frontier(self, pos, rule=None):
        if rule and not self.on(rule):
            return
        self.stage = 'frontier %s' % (pos,)
        self.record('at', pos)
        self.flush()

    # ---- positions of blocks
    def used(self, p, blocks):
        if not self.lay.free:
            return blocks
        saved = VALUES[self.view[self.lay.MAP]]
        if saved[0] != 'map':
            raise Stuck('no map')
        return [b for b in blocks if (p['i'], b) not in saved[1]]

    def where(self, p, blocks, which, sills=None):
        """Cells of those blocks; sill bytes are the journal's while it holds them"""
        base = p['s'] if which == 'old' else p['t']
        return [sills[b] if sills and b in sills else base + b for b in self.used(p, blocks)]

    def lane_cells(self, d, m, lo, hi):
        """[(cells read, cells written)] of a round, one a lane"""
        p = self.lay.moves[m]
        sills, out = self.lay.sills(p), []
        for lane in range(p['K']):
            blocks = self.lay.lane_blocks(p, lane, lo, hi)
            if d == 'back' and self.on('sillskip'):
                blocks = [b for b in blocks if b not in sills]
            source = sills if d == 'fwd' and self.on('sillsource') else None
            out.append((self.where(p, blocks, SOURCE[d], source), self.where(p, blocks, TARGET[d])))
        return out

    def next_window(self, d, m, f):
        p = self.lay.moves[m]
        w = min(self.window or p['w'], p['w'])
        return (f, min(p['P'], f + w)) if d == 'fwd' else (max(0, f - w), f)

    # ---- the engine
    def move(self, d, pos):
        lay = self.lay
        m, f, sill = pos
        while d == 'fwd' and m < len(lay.moves):
            self.move_one(d, m, f, sill)
            m, f, sill = m + 1, 0, False
        while d == 'back' and (m or f or sill):
            if not f and not sill:
                m -= 1
                f = lay.moves[m]['P']
            self.move_one(d, m, f, sill)
            f, sill = 0, False

    def move_one(self, d, m, f, sill):
        p = self.lay.moves[m]
        if p['mode'] == 'journal':
            return self.move_journal(d, m, f)
        sills = self.lay.sills(p)
        end = p['P'] if d == 'fwd' else 0
        if d == 'fwd' and f == end and (not sill or not self.on('sillfreelate')):
            return                                      # whole, and the journal is not needed for it
        if sills and not sill:
            self.save_sills(d, m, f, p, sills)
        ahead = None
        while f != end:
            lo, hi = self.next_window(d, m, f)
            f = hi if d == 'fwd' else lo
            self.stage = '%s move %d round [%d,%d)' % (d, m, lo, hi)
            lanes = self.lane_cells(d, m, lo, hi)
            data = ahead or [self.get(src) for src, _ in lanes]
            ahead = None
            if self.lay.readahead and f != end:
                ahead = [self.get(src) for src, _ in self.lane_cells(d, m, *self.next_window(d, m, f))]
            for (_, dst), values in zip(lanes, data):
                self.put(dst, values)
            if not self.on('recordwith'):
                self.flush()
            self.record('win', d, m, lo, hi, bool(sills), self.sums(data))
            if self.on('recordwith') and not (d == 'back' and m == 0 and f == end and not self.on('wipelate')):
                self.flush(None if f == end else 'flusheach')
        if not self.on('recordwith'):
            self.flush()
        if sills:
            self.leave_lanes(d, m, p, sills)

    def sums(self, data):
        if not self.on('lanesums'):
            data = [v if n == 0 else () for n, v in enumerate(data)]
        return tuple(tuple(v) if self.on('wholecksum') else tuple(v[:1]) for v in data)

    def save_sills(self, d, m, f, p, sills):
        self.stage = '%s move %d sills' % (d, m)
        if self.on('sillsave'):
            order = self.used(p, sorted(sills))
            self.put([sills[b] for b in order], self.get(self.where(p, sorted(sills), SOURCE[d])))
        self.flush('sillflush')
        self.frontier((m, f, True), 'sillrecord')

    def leave_lanes(self, d, m, p, sills):
        if d == 'back' and self.on('sillback'):
            self.stage = 'back move %d sills put back' % m
            order = self.used(p, sorted(sills))
            self.put(self.where(p, sorted(sills), 'old'), self.get([sills[b] for b in order]))
            self.flush('sillbackflush')
        self.frontier((m + 1, 0, False) if d == 'fwd' else (m, 0, False), 'sillfree')

    def move_journal(self, d, m, f):
        p, half, h = self.lay.moves[m], self.lay.half, 0
        end = p['P'] if d == 'fwd' else 0
        if f == end:
            return
        lo, hi = self.next_window(d, m, f)
        (src, dst), = self.lane_cells(d, m, lo, hi)
        data = self.get(src)
        self.stage = '%s journal move %d prime [%d,%d)' % (d, m, lo, hi)
        self.put(half[h], data)
        self.record('jwin', d, m, 0, 0, (), 1 - h, lo, hi, data)
        self.flush('primeflush')
        while True:
            f = hi if d == 'fwd' else lo
            self.stage = '%s journal move %d window [%d,%d)' % (d, m, lo, hi)
            self.put(dst, data)
            sums = data if self.on('wholecksum') else data[:1]
            if f == end:
                self.record('jwin', d, m, lo, hi, sums, h, 0, 0, ())
                return self.flush()
            nlo, nhi = self.next_window(d, m, f)
            if not self.on('otherhalf'):
                h = 1 - h
            (src, dst), = self.lane_cells(d, m, nlo, nhi)
            following = self.get(src)
            self.put(half[1 - h], following)
            self.record('jwin', d, m, lo, hi, sums, h, nlo, nhi, following)
            self.flush()
            lo, hi, data, h = nlo, nhi, following, 1 - h

    # ---- recovery
    def recover(self, rec):
        """The frontier that the newest record means; finishes what may be in flight"""
        if rec[3] == 'at':
            return rec[4]
        self.stage = 'recovery'
        pos = self.recover_round(rec) if rec[3] == 'win' else self.recover_halves(rec)
        self.frontier(pos, 'freshrec' if rec[3] == 'jwin' else 'freshrecshift')
        return pos

    def recover_round(self, rec):
        _, _, _, _, d, m, lo, hi, sill, sums = rec
        done = True
        for (src, dst), want in zip(self.lane_cells(d, m, lo, hi), sums):
            if self.get(dst)[:len(want)] == want or not self.on('cksum'):
                continue
            done = False
            if self.get(src)[:len(want)] != want:
                raise Stuck('round: neither destination nor source fits')
        return m, hi if (d == 'fwd') == done else lo, sill

    def recover_halves(self, rec):
        _, _, _, _, d, m, lo, hi, sums, h, nlo, nhi, nsums = rec
        if hi == lo:
            lo, hi = (nlo, nlo) if d == 'fwd' else (nhi, nhi)
        else:
            (_, dst), = self.lane_cells(d, m, lo, hi)
            if self.get(dst)[:len(sums)] != sums:
                data = self.get(self.lay.half[h])[:len(dst)]
                if data[:len(sums)] != sums:
                    raise Stuck('window: neither destination nor half fits')
                self.put(dst, data)
        pos = hi if d == 'fwd' else lo
        if nhi > nlo and self.on('nexthalf'):
            (_, dst), = self.lane_cells(d, m, nlo, nhi)
            if self.get(self.lay.half[1 - h])[:len(nsums)] == nsums:
                self.put(dst, nsums)
                pos = nhi if d == 'fwd' else nlo
        self.flush('redoflush')
        return m, pos, False

    # ---- cover, ends
    def create(self):
        self.stage = 'journal creation'
        self.take_map(early=True)
        self.record('at', (0, 0, False))
        self.write(self.lay.HDR, intern(('hdr', 1)))
        self.flush('journalfirst')

    def classify(self):
        if self.view[0] == COVER:
            return 'cover'
        for which in ('old', 'new'):
            if self.view[0] == self.lay.sector0(which) and \
               all(self.view[c] == v for c, v in self.lay.table_cells(which)):
                return which
        return 'other'

    def tell_kernel(self):
        if self.on('reread'):
            self.kernel = tuple(readers(self.lay, self.view)[0][1])

    def cover(self):
        self.stage = 'cover'
        if self.on('cover'):
            if self.view[0] != COVER:
                self.write(0, COVER)
                self.flush('coverflush')
            self.tell_kernel()
        if self.lay.table == 'gpt' and self.on('blankgpt'):
            heads = [c for c in (1, self.lay.N - 1) if VALUES[self.view[c]][0] == 'gpt']
            for c in heads:
                self.write(c, ZERO)
            if heads:
                self.flush()

    def take_map(self, early=False):
        if self.lay.free and early != self.on('mapundercover'):
            self.stage = 'map'
            self.write(self.lay.MAP, intern(('map', frozenset(
                (i, j) for i, t in enumerate(self.truth) for j, v in enumerate(t) if v < 0))))
            self.flush()

    def set_fields(self, fields, now, then):
        for entry in fields:
            i, j = entry[:2]
            c = self.lay.parts[i]['t'] + j
            v = VALUES[self.view[c]]
            if not self.on('fixfield') and not then:
                self.write(c, entry[2])                         # mutation: the saved sector, not the field
            elif v[:3] == ('d', i, j) and v[4] == now:
                self.write(c, intern(v[:4] + (then,)))

    def find_fields(self):
        out = []
        for p in self.lay.moves:
            for j in sorted(p['fix']):
                c = self.view[p['t'] + j]
                v = VALUES[c]
                if v[0] == 'd' and (v[4] == 0 or (v[4] == 1 and not self.on('fixlist'))):
                    out.append((p['i'], j) if self.on('fixfield') else (p['i'], j, c))
        return tuple(out)

    def wipe(self):
        self.stage = 'left-overs'
        self.put(self.lay.left_over(), itertools.repeat(ZERO))
        self.flush('wipeflush')

    def end(self, which, fields):
        if which == 'old' and self.on('wipe') and self.on('wipefirst'):
            self.wipe()
        self.stage = 'end ' + which
        if which == 'new' and fields is None:
            fields = self.find_fields()
        if self.on('endrecord'):
            self.record('end', which, fields)
            self.flush('endflush')
        if which == 'new':
            self.set_fields(fields, 0, 1)
            self.flush('fixflush')
        self.stage = 'tables ' + which
        for c, v in self.lay.table_cells(which):
            self.write(c, v)
        self.flush('tableflush')
        if which == 'old' and not self.on('wipefirst'):
            self.wipe()
        self.stage = 'uncover ' + which
        self.write(0, self.lay.sector0(which))
        self.flush()
        self.tell_kernel()
        self.stage = 'done record'
        self.record('done', which, fields)
        self.flush()
        return which

    # ---- a run: the state table
    def run(self, command):
        """fix, resume or undo; returns the layout it ends with"""
        lay, goal = self.lay, 'old' if command == 'undo' else 'new'
        self.salt = command == 'undo'
        if self.on('flushfirst'):
            self.stage, self.fresh = 'first flush', bool(self.pending)
            self.flush()
            self.view = list(self.durable)                      # past all caches
        if VALUES[self.view[lay.HDR]] != ('hdr', 1) or not self.newest():
            if self.view[0] == COVER:
                raise Stuck('a cover without a usable journal')
            if command == 'undo':
                return 'old'
            self.create()
        elif command == 'fix':
            self.create()
        table, rec = self.classify(), self.newest()[1]
        ended = rec[3] in ('end', 'done')
        if table == 'other' or table == 'old' and rec[3] in ('win', 'jwin'):
            raise Stuck('table and journal do not belong together')
        if table == goal:
            self.stage = 'done record'
            if rec[3] != 'done' or rec[4] != goal:
                keep = rec[5] if ended and rec[4] == goal and self.on('donelist') else ()
                self.record('done', goal, keep)
                self.flush()
            self.tell_kernel()
            return goal
        if table == 'cover' or command == 'fix' or self.on('coveragain'):
            self.cover()
        if not ended:
            pos = self.recover(rec)
        else:
            pos = (0, 0, False) if rec[4] == 'old' else lay.end
            if rec[4] == goal:
                return self.end(goal, rec[5])
        return self.go_on(goal, pos, ended, rec)

    def go_on(self, goal, pos, ended, rec):
        if goal == 'new':
            if ended:
                self.frontier((0, 0, False), 'atbeforemap')
            if pos == (0, 0, False):
                self.take_map()
            self.move('fwd', pos)
            return self.end('new', None)
        if ended:
            self.stage = 'fields back'
            if self.on('unfix'):
                self.set_fields(rec[5], 1, 0)
            self.flush('unfixflush')
            self.frontier(self.lay.end, 'atbeforemap')
        if pos == self.lay.end or pos[0] == len(self.lay.moves) - 1 and pos[1] == self.lay.moves[-1]['P']:
            self.take_map()
        self.move('back', pos)
        return self.end('old', ())


def start_state(lay):
    cells = [ZERO] * lay.cells
    truth = []
    for i, p in enumerate(lay.parts):
        truth.append(tuple(-1 if (i, j) in lay.free else 0 for j in range(p['L'])))
        for j in range(p['L']):
            cells[p['s'] + j] = lay.block(i, j, 0, 'old')
    cells[0] = lay.sector0('old')
    for c, v in lay.table_cells('old'):
        cells[c] = v
    if lay.stale:                                               # records of an earlier plan in the same gap
        cells[lay.slots[1]] = intern(('rec', 0, 9, 'at', lay.end))
        cells[lay.slots[0]] = intern(('rec', 0, 8, 'win', 'fwd', 0, 0, 1, False, ((cells[lay.parts[0]['s']],),)))
    cells = tuple(cells)
    return cells, (), tuple(readers(lay, cells)[0][1]), tuple(truth), lay.mods


def canonical(lay, state):
    """Of sequence numbers only the order matters"""
    cells, pending = state[:2]
    if pending or (lay.stale and 'planid' in lay.off):
        return state
    values = [VALUES[cells[c]] for c in lay.slots]
    seqs = [v[2] if v[:2] == ('rec', 1) else 0 for v in values]
    rank = {0: 0}
    for s in sorted(set(seqs) - {0}):
        rank[s] = len(rank)
    cells = list(cells)
    for c, v, s in zip(lay.slots, values, seqs):
        if s:
            cells[c] = intern(v[:2] + (rank[s],) + v[3:])
    return (tuple(cells),) + state[1:]


def user_changes(lay, state):
    cells, pending, kernel, truth, mods = state
    if mods <= 0 or pending:
        return
    seen = {e for name, entries in readers(lay, cells) + [('kernel', list(kernel))] if name != 'no-pmbr' for e in entries}
    for i, start in sorted(seen):
        which = complete(lay, cells, truth, i, start)
        for j in range(lay.parts[i]['L'] if which else 0):
            version = max(truth[i][j], 0) + 1
            changed = tuple(tuple(version if (a, b) == (i, j) else v for b, v in enumerate(t)) for a, t in enumerate(truth))
            new = list(cells)
            new[start + j] = lay.block(i, j, version, which)
            yield (tuple(new), (), kernel, changed, mods - 1), 'user changes partition %d block %d' % (i, j)


def wrong_end(lay, run, got):
    cells = tuple(run.durable)
    for name, entries in readers(lay, cells):
        if len(entries) != len(lay.parts):
            return 'V6 a partition is missing after the end (%s)' % name
        for i, start in entries:
            if start != lay.parts[i]['s' if got == 'old' else 't']:
                return 'V6 the wrong layout after the end'
            if complete(lay, cells, run.truth, i, start) is None or any(
                    v >= 0 and cells[start + j] != lay.block(i, j, v, got) for j, v in enumerate(run.truth[i])):
                return 'V6 DATA LOST: %s ended, partition %d is wrong' % (got, i)
    inside = {c for p in lay.parts for c in range(p['s'], p['s'] + p['L'])}
    if got == 'old' and any(cells[c] != v for c, v in enumerate(start_state(lay)[0][:lay.N]) if c not in inside):
        return 'V7 a gap is not as it was'
    return None


def explore(lay, stop=False, limit=0):
    """Closure over crashes of any depth: (statistics, {violation: the steps that lead there})"""
    begin = canonical(lay, start_state(lay))
    came_from, queue, bad = {begin: (None, 'start')}, collections.deque([begin]), {}
    count = dict(states=0, runs=0, outcomes=0, complete=True)

    def steps(state):
        out = []
        while state is not None:
            state, how = came_from[state]
            out.append(how)
        return out[::-1]

    def meet(state, parent, how):
        state = canonical(lay, state)
        if state not in came_from:
            came_from[state] = parent, how
            queue.append(state)
            for kind in violations(lay, state):
                bad.setdefault(kind, steps(state))

    while queue and not (stop and bad):
        if limit and len(came_from) > limit:
            count['complete'] = False
            break
        now = queue.popleft()
        for command, window in itertools.product(('fix',) if now is begin else ('resume', 'undo'),
                                                 range(1, lay.wvar + 1) if lay.wvar else (0,)):
            def sink(run, state, how):
                count['outcomes'] += 1
                meet(state, now, '%s: %s in <%s>' % (command, how, run.stage))
            run = Run(lay, now, sink, window)
            count['runs'] += 1
            try:
                got = run.run(command)
            except Stuck as why:
                bad.setdefault('V5 %s is stuck: %s' % (command, why), steps(now))
                continue
            wrong = wrong_end(lay, run, got)
            if got != ('old' if command == 'undo' else 'new'):
                wrong = 'V6 the wrong end'
            if wrong:
                bad.setdefault(wrong, steps(now) + [command])
            meet((tuple(run.durable), (), run.kernel, run.truth, run.mods), now, command + ' to its end')
        for state, how in user_changes(lay, now):
            meet(state, now, how)
    count['states'] = len(came_from)
    return count, bad
