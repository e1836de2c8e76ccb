#!/usr/bin/env python3
"""Widened counts (training/ways.py) of a small program: each way is taken, usual ways stay usual, gcc finds no fault.

  test_ways.py COMPILER     77 where it is not gcc 12 or later
"""
import os, struct, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../../training'))
import ways

PROGRAM = r'''
#include <stdlib.h>
static double table[100];
__attribute__((noinline)) double seen(int n, int kind) {
  double sum = 0;
  if (kind == 3) {  // never seen, with a loop
    for (int i = 0; i < n; i++) {
      table[i] *= 2;
    }
  } else if (kind > 7) {
    abort();  // ends the program
  }
  for (int i = 0; i < n; i++) {
    sum += kind == 2 ? -table[i] : table[i];
  }
  return sum;
}
__attribute__((noinline)) int unseen(int n) {
  return n > 3 ? n : -n;
}
int main(int argc, char** argv) {
  (void)argv;
  double sum = argc > 5 ? unseen(argc) : 0;
  for (int k = 0; k < 1000; k++) {
    sum += seen(50, k == 999 ? 2 : 1);
  }
  return sum != 0;
}
'''


def counts_of(data):
    """Counts by function, none where all are zero."""
    found, key = {}, None
    for tag, length, at in ways.records(data, 16):
        if tag == ways.TAG_FUNCTION:
            key = struct.unpack_from('<3I', data, at)
        elif tag == ways.TAG_COUNTS:
            found[key] = struct.unpack_from(f'<{length // 8}q', data, at) if length > 0 else None
    return found


def solve(arcs, counts):
    """Counts of all arcs: what enters a block leaves it, exit and entry are one."""
    flow = dict(zip([k for k, arc in enumerate(arcs) if not arc.flags & ways.ON_TREE], counts))
    ends = [(arc.source, ways.ENTRY if arc.target == ways.EXIT else arc.target) for arc in arcs]
    while len(flow) < len(arcs):
        before = len(flow)
        for block in {end for pair in ends for end in pair}:
            signed = [(k, (ends[k][1] == block) - (ends[k][0] == block)) for k in range(len(arcs)) if block in ends[k] and ends[k][0] != ends[k][1]]
            open_arcs = [(k, sign) for k, sign in signed if k not in flow]
            if len(open_arcs) == 1:
                k, sign = open_arcs[0]
                flow[k] = -sign * sum(s * flow[j] for j, s in signed if j in flow)
        assert len(flow) > before, 'counts do not determine the flow'
    return [flow[k] for k in range(len(arcs))]


def check_by_hand():
    """Arcs that are on no shortest way, a block that leads nowhere, a loop in a loop."""
    pairs = [(0, 2), (2, 3), (2, 5), (3, 5), (3, 1), (5, 1), (5, 6), (5, 5), (5, 2)]
    arcs = [ways.Arc(*pair, 0) for pair in pairs] + [ways.Arc(6, 1, ways.FAKE)]
    units = ways.Flow(arcs).fill()
    # one unit for each of eight arcs, with its way from the entry (through the third or second) and to the exit (from
    # block 2 by block 3); two loops, one of them of two arcs
    assert units == [8, 5, 4 + ways.ROUNDS, 1, 4, 4, 0, 1 + ways.ROUNDS, 1 + ways.ROUNDS, 0], units


def main():
    check_by_hand()
    compiler = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            subprocess.run(command, check=True, cwd=folder)

        def read(name):
            with open(os.path.join(folder, name), 'rb') as f:
                return f.read()

        with open(os.path.join(folder, 'p.c'), 'w') as f:
            f.write(PROGRAM)
        try:
            run(compiler, '-O2', '-fprofile-generate', '-ftest-coverage', '-fno-profile-values', '-c', 'p.c')
            run(compiler, 'p.o', '-o', 'p', '-fprofile-generate')
            run('./p')
            notes, data = read('p.gcno'), read('p.gcda')
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            print(f'skipped: {error}')
            return 77
        if not ways.is_known(notes):
            print('skipped: notes of another format')
            return 77
        wider = ways.widen(notes, data)
        with open(os.path.join(folder, 'p.gcda'), 'wb') as f:
            f.write(wider)
        # counts that contradict each other are an error without -fprofile-correction
        run(compiler, '-O2', '-fprofile-use', '-c', 'p.c')

    graphs, before, after = ways.read_graphs(notes), counts_of(data), counts_of(wider)
    assert len(data) == len(wider) and len(graphs) == 3
    nseen = nnew = nloop = 0
    for key, arcs in graphs.items():
        if before.get(key) is None:
            assert after.get(key) is None, 'a function that never ran has counts'
            continue
        nseen += 1
        for k, (old, new) in enumerate(zip(solve(arcs, before[key]), solve(arcs, after[key]))):
            assert new >= ways.SCALE * old
            ends = not any(arc.source == arcs[k].target and not arc.flags & ways.FAKE for arc in arcs) and arcs[k].target != ways.EXIT
            if arcs[k].flags & ways.FAKE or ends:
                assert new == old == 0, 'what ends the program was taken'
            else:
                assert new > 0, f'an arc is not taken: {arcs[k]}'
                nnew += old == 0
                nloop += old == 0 and new >= ways.ROUNDS
            assert new - ways.SCALE * old < 1000
    assert nseen == 2 and nnew >= 4 and nloop >= 1, (nseen, nnew, nloop)
    assert ways.widen(notes[:4] + b'*19A' + notes[8:], data) == data, 'another format was changed'
    print(f'{nseen} functions that ran, {nnew} arcs taken that were not, {nloop} of them around loops')
    return 0


if __name__ == '__main__':
    sys.exit(main())
