#!/usr/bin/env python3
"""Let each way of a function that ran be taken at least a little, in counts for -fprofile-use.

gcc compiles for size what was never seen, and puts it elsewhere: loops without vectors, bytes cleared one by one.  Users'
models go ways that ours do not.  So to what was counted, times SCALE, a flow is added that goes once through each branch
from the entry of the function to its exit, and ROUNDS times around each loop: usual ways stay usual, and none is cold.
Functions that never ran stay as they are (gcc compiles these as if there were no counts), and so does what ends the
program.

Counts stand for arcs of the control flow that are not part of a spanning tree; the rest follows, since what enters a block
leaves it.  The graph is in the notes (.gcno, -ftest-coverage), counts are in the data (.gcda): files of words, described in
gcc's gcov-io.h and shown by gcov-dump.
"""
import collections
import struct

TAG_FUNCTION, TAG_ARCS, TAG_COUNTS, TAG_SUMMARY = 0x01000000, 0x01430000, 0x01a10000, 0xa1000000
ENTRY, EXIT = 0, 1
ON_TREE, FAKE = 1, 2
SCALE, ROUNDS = 4096, 100

Arc = collections.namedtuple('Arc', 'source target flags')


def is_known(data):
    """Little-endian notes or data of gcc 12 (B2) or later: lengths of records are bytes since then."""
    return data[:4] in (b'oncg', b'adcg') and b'B2' <= data[7:5:-1] <= b'B9'


def records(data, at):
    """Tag, length and place of the content of each record; a negative length says that all its counts are zero."""
    while at + 8 <= len(data):
        tag, length = struct.unpack_from('<Ii', data, at)
        yield tag, length, at + 8
        at += 8 + max(length, 0)


def read_graphs(notes):
    """Arcs of each function, in the order of their counts."""
    folder, = struct.unpack_from('<I', notes, 16)
    graphs = {}
    for tag, length, at in records(notes, 20 + folder + 4):
        if tag == TAG_FUNCTION:
            arcs = graphs[struct.unpack_from('<3I', notes, at)] = []
        elif tag == TAG_ARCS:
            source, *pairs = struct.unpack_from(f'<{length // 4}I', notes, at)
            arcs += [Arc(source, *pair) for pair in zip(pairs[::2], pairs[1::2])]
    return graphs


class Flow:
    """Units that run through the arcs of one function."""

    def __init__(self, arcs):
        self.arcs = arcs
        self.units = [0] * len(arcs)
        self.leaving, self.entering = collections.defaultdict(list), collections.defaultdict(list)
        for k, arc in enumerate(arcs):
            if not arc.flags & FAKE:
                self.leaving[arc.source].append(k)
                self.entering[arc.target].append(k)

    def reach(self, start, links, end):
        """The arc by which each block is reached first from `start`; `end`: where an arc leads to."""
        by, queue = {start: None}, collections.deque([start])
        while queue:
            for k in links[queue.popleft()]:
                block = getattr(self.arcs[k], end)
                if block not in by:
                    by[block] = k
                    queue.append(block)
        return by

    def send(self, by, block, end, n):
        """n units along the way by which `block` was reached; `end`: where its arcs come from."""
        while by[block] is not None:
            self.units[by[block]] += n
            block = getattr(self.arcs[by[block]], end)

    def backward(self):
        """Arcs to a block on the way that a walk into the depth has taken: they close loops."""
        is_open, stack, found = {ENTRY: True}, [(ENTRY, iter(self.leaving[ENTRY]))], []
        while stack:
            block, rest = stack[-1]
            k = next(rest, None)
            if k is None:
                is_open[block] = False
                stack.pop()
                continue
            target = self.arcs[k].target
            if target not in is_open:
                is_open[target] = True
                stack.append((target, iter(self.leaving[target])))
            elif is_open[target]:
                found.append(k)
        return found

    def fill(self):
        ahead = self.reach(ENTRY, self.leaving, 'target')
        behind = self.reach(EXIT, self.entering, 'source')
        for k, arc in enumerate(self.arcs):
            if not arc.flags & FAKE and arc.source in ahead and arc.target in behind:
                self.send(ahead, arc.source, 'source', 1)
                self.units[k] += 1
                self.send(behind, arc.target, 'target', 1)
        for k in self.backward():
            arc = self.arcs[k]
            if arc.target in behind:
                self.send(self.reach(arc.target, self.leaving, 'target'), arc.source, 'source', ROUNDS)
                self.units[k] += ROUNDS
        return self.units


def widen(notes, data):
    """The data with these flows added; as they are where the format is not known."""
    if not (is_known(notes) and is_known(data)):
        return data
    graphs, changed, arcs, summary, most = read_graphs(notes), bytearray(data), [], None, 0
    for tag, length, at in records(data, 16):
        if tag == TAG_SUMMARY:
            summary = at
        elif tag == TAG_FUNCTION:
            arcs = graphs.get(struct.unpack_from('<3I', data, at), []) if length else []
        elif tag == TAG_COUNTS and length > 0:
            counts = struct.unpack_from(f'<{length // 8}q', data, at)
            counted = [k for k, arc in enumerate(arcs) if not arc.flags & ON_TREE]
            if len(counts) != len(counted):
                continue
            units = Flow(arcs).fill()
            wider = [SCALE * count + units[k] for count, k in zip(counts, counted)]
            struct.pack_into(f'<{len(wider)}q', changed, at, *wider)
            most = max(most, *wider)
    if summary is not None:
        struct.pack_into('<I', changed, summary + 4, min(most, 0xffffffff))
    return bytes(changed)
