#!/usr/bin/env python3
"""Which functions stay calls in kernels: tools/gpu/keepcalls.py on functions of chosen lengths."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tools/gpu'))
import keepcalls  # noqa: E402

GROUPS = ['attributes #0 = { nounwind }', 'attributes #1 = { inlinehint nounwind }', 'attributes #2 = { alwaysinline nounwind }']


def function(name, group, length):
    return [f'define internal void @{name}(ptr %0) #{group} !prof !7 {{'] + ['  ret void'] * (length - 1) + ['}']


def kept(name, group, length):
    """the first line of a function of that length, as keepcalls leaves it, and all lines"""
    lines, _ = keepcalls.keep(function(name, group, length) + GROUPS)
    return lines[0], lines


def main():
    long, longer = keepcalls.LONG, keepcalls.LONGER
    cases = [(0, long, False), (0, long + 1, True), (1, long + 1, False), (1, longer, False), (1, longer + 1, True),
             (2, longer, False), (2, longer + 1, True)]
    for group, length, is_call in cases:
        first, lines = kept('work', group, length)
        assert ('noinline' in first) == is_call, (group, length, first)
        assert first.endswith('!prof !7 {'), first
        assert ('#92' in first) == (is_call and group == 2), first
    assert 'attributes #92 = { nounwind }' in lines
    assert 'noinline' not in kept('cf_world', 0, 10 * longer)[0], 'the kernel itself'
    print(f'{len(cases)} functions are calls, or not, as they should')


if __name__ == '__main__':
    main()
