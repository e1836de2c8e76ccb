#!/usr/bin/env python3
"""Disassemble the library and show that the loops of a default step call nothing through a pointer.

  check_calls.py LIBRARY [--list]      LIBRARY: or a program that has the functions of the library

Every function that mj_step reaches by direct calls is looked at, and every function that those call inside a loop.  A
call through a pointer inside a loop, or in a function that is called in a loop, is a fault unless the list below says
what it is: a choice made once for a whole object, or a function of the user's program.  Exit status 77 where there is no objdump or the machine is not x86-64.
"""
import collections
import platform
import re
import shutil
import subprocess
import sys

# where a step starts, and what it calls through tables that were chosen for the whole model or object
STARTS = ['mj_step', 'mj_Euler', 'mj_implicit', 'mj_RungeKutta', 'solveNewton', 'solveCG', 'solvePGS', 'addLinear', 'addCotangent']

# stages with loops over elements, rows and actuators, which must be among what was looked at
REQUIRED = ['mj_fwdActuation', 'mj_transmission', 'mj_makeConstraint', 'cfi_fwdConstraint', 'mj_passive', 'runCollision']

# stages of a step: none belongs to the loop over the stages of RK4
STAGES = ['mj_forwardSkip', 'forwardSkip', 'cfi_forwardInner', 'fwdPosition', 'fwdVelocity', 'fwdFrames', 'fwdForces', 'mj_fwdPosition', 'mj_fwdVelocity', 'mj_fwdActuation', 'mj_fwdAcceleration', 'mj_fwdConstraint', 'cfi_fwdConstraint',
          'mj_kinematics', 'mj_comPos', 'mj_camlight', 'mj_flex', 'mj_tendon', 'mj_makeM', 'mj_factorM', 'mj_collision', 'runCollision',
          'mj_makeConstraint', 'mj_island', 'mj_transmission', 'mj_passive', 'mj_referenceConstraint', 'mj_rne',
          'mj_sensorPos', 'mj_sensorVel', 'mj_sensorAcc', 'mj_projectConstraint', 'mj_comVel', 'cfi_advance']

# functions that may call through a pointer inside a loop, with the reason
KNOWN = {
    'cfi_addGainForces cfi_gainRates cfi_nextGainStates cfi_gainForceSlope cfi_unlimitedForce cfi_stiffSlope viewGain': 'models that an actuator has chosen',
    'gainUser biasUser userRate': 'callbacks of the program, for user-defined actuators',
    'runActuatorPlugins mj_fwdActuation mj_passive cfi_advance runPlugins': 'plugins',
    'cfi_flexForces addModel flexEnergy cfi_flexEnergy': 'models of a flex, once for the flex',
    'cfi_flexStiffness stiffModels cfi_addStencils cfi_hasTrial cfi_hasTrialDamping cfi_addTrialForce cfi_addTrialDamping cfi_trialEnergy cfi_trialStiffness': 'implicit stiffness, once for a flex that has chosen it',
    'cfi_solvePrimal iterate': 'method of the solver, once an iteration',
    'cfi_solveRows solveIslands solveIsland': 'solver, once an island',
    'cfi_integrate': 'integrator of the model, once a step',
    'cfi_poolLoop runLoop takeRounds runStage rollJob': 'rounds of a loop that threads share: islands, stages',
    'senseStage senseRest cfi_senseOne cfi_computeSensor advanceHistory': 'function of a sensor',
    'detect cfi_collideGeoms mj_collision runCollision collidePair collidePairs cfi_shareInertia': 'collider of two geoms',
    'cfi_gjk cfi_addSupport cfi_epa cfi_supportPlain cfi_supportReady supportMixed': 'support function of a shape',
    'cfi_resetData cfi_arrayBytes cfi_tryMalloc mju_free': 'reset after bad numbers',
    'mju_error_v mju_warning mju_error mju_warning_v': 'handlers of the program',
}
KNOWN = {name for names in KNOWN for name in names.split()}


def disassemble(library):
    """{name: [(address, mnemonic, operands)]}, functions that stand under several names once"""
    text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', '-w', library],
                          capture_output=True, text=True, check=True).stdout
    functions, name = collections.OrderedDict(), None
    for line in text.splitlines():
        head = re.match(r'([0-9a-f]+) <([^>]+)>:$', line)
        if head:
            name = re.sub(r'\.(constprop|isra|part|cold|lto_priv)\b.*', '', head[2])
            functions.setdefault(name, [])
            continue
        row = re.match(r'\s*([0-9a-f]+):\s+(?:(?:bnd|notrack|rep\w*|lock|data16|cs)\s+)*(\S+)\s*(.*)$', line)
        if row and name:
            functions[name].append((int(row[1], 16), row[2], row[3]))
    return functions


def target_of(mnemonic, operands):
    """address that a direct jump goes to"""
    found = re.match(r'([0-9a-f]+) <', operands) if mnemonic.startswith('j') else None
    return int(found[1], 16) if found else None


def is_table_jump(body, k):
    """does the jump go to an address out of the table of a switch, not to a function"""
    return any(m == 'movslq' and re.search(r',4\),', o) for _, m, o in body[max(0, k - 8):k])


def blocks_of(body):
    """basic blocks as {first address: [successors]} and the block of each address"""
    places = [a for a, _, _ in body]
    leaders = {places[0]}
    for k, (_, mnemonic, operands) in enumerate(body):
        if mnemonic.startswith('j') or mnemonic.startswith('ret'):
            leaders.add(target_of(mnemonic, operands))
            leaders.update(places[k + 1:k + 2])
    leaders &= set(places)
    block, owner, next_of, tables = None, {}, {}, []
    for k, (address, mnemonic, operands) in enumerate(body):
        if address in leaders:
            if block is not None and body[k - 1][1] != 'jmp' and not body[k - 1][1].startswith('ret'):
                next_of[block].append(address)
            block = address
            next_of[block] = []
        owner[address] = block
        target = target_of(mnemonic, operands)
        if target in leaders:
            next_of[block].append(target)
        elif mnemonic == 'jmp' and operands.startswith('*'):
            tables.append(block)

    # a jump through a table goes to what nothing else goes to, padding left out
    padding = {a for a, mnemonic, _ in body if mnemonic.startswith(('nop', 'xchg', 'data16', 'cs', 'int3'))}
    open_ends = set(next_of) - {t for targets in next_of.values() for t in targets} - {places[0]} - padding
    for b in tables:
        next_of[b] += open_ends
    return next_of, owner


def looping(next_of):
    """blocks that can be reached from themselves, by Tarjan's strongly connected components"""
    index, low, stack, found, counter = {}, {}, [], set(), [0]
    for root in next_of:
        work = [(root, iter(next_of[root]))] if root not in index else []
        while work:
            b, successors = work[-1]
            if b not in index:
                index[b] = low[b] = counter[0]
                counter[0] += 1
                stack.append(b)
            descended = False
            for t in successors:
                if t not in index:
                    work.append((t, iter(next_of[t])))
                    descended = True
                    break
                if t in stack:
                    low[b] = min(low[b], index[t])
            if descended:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[b])
            if low[b] == index[b]:
                component = stack[stack.index(b):]
                del stack[stack.index(b):]
                if len(component) > 1 or b in next_of[b]:
                    found.update(component)
    return found


def calls_of(body):
    """[(called function or None for a pointer, is it in a loop)] for every call and tail call"""
    next_of, owner = blocks_of(body)
    loops = looping(next_of)
    for k, (address, mnemonic, operands) in enumerate(body):
        in_loop = owner[address] in loops
        if mnemonic.startswith('call'):
            direct = re.match(r'[0-9a-f]+ <([^>+]+)', operands)
            yield (re.sub(r'(@plt)?(\.(constprop|isra|part|cold|lto_priv)\b.*)?$', '', direct[1]) if direct else None), in_loop
        elif mnemonic == 'jmp':
            direct = re.match(r'[0-9a-f]+ <([^>+]+)>', operands)
            if direct:
                yield re.sub(r'(@plt)?(\.(constprop|isra|part|cold|lto_priv)\b.*)?$', '', direct[1]), in_loop
            elif operands.startswith('*') and not is_table_jump(body, k):
                yield None, in_loop


def reach(functions, calls):
    """functions that the step reaches, and those of them that are called inside a loop"""
    seen, looped, queue = set(), set(), [(name, False) for name in STARTS]
    while queue:
        name, in_loop = queue.pop()
        in_loop = in_loop and name not in STAGES
        if name not in calls or (name in seen and (not in_loop or name in looped)):
            continue
        seen.add(name)
        if in_loop:
            looped.add(name)
        for called, inside in calls[name]:
            if called:
                queue.append((called, in_loop or inside))
    return seen, looped


def main():
    if not shutil.which('objdump') or platform.machine() not in ('x86_64', 'AMD64'):
        print('no objdump for this machine: skipped')
        return 77
    functions = disassemble(sys.argv[1])
    calls = {name: list(calls_of(body)) for name, body in functions.items() if body}
    seen, looped = reach(functions, calls)
    faults = [f'{s} was not found in the step' for s in REQUIRED if s not in seen]
    found = collections.Counter()
    for name in sorted(seen):
        for called, inside in calls[name]:
            if called is None and (inside or name in looped):
                found[name] += 1
    if '--list' in sys.argv:
        for name, count in found.items():
            print(f'{count:3d} {name}')
    faults += [f'{name}: {count} calls through a pointer in a loop of the step' for name, count in found.items()
               if name not in KNOWN]
    for fault in faults:
        print(fault)
    print(f'{len(seen)} functions of a step, {len(looped)} of them called in loops, {sum(found.values())} calls through '
          f'a pointer, all known' if not faults else f'{len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
