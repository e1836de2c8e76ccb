"""docs/python-api.md: the Python package by name, with signatures and docs, from its sources and the tables."""
import ast
import os
import re

import gen_python as core
import gen_stubs as stubs
import tables

PACKAGE = os.path.join(tables.ROOT, 'python', 'cortenforge')
# modules of the page in its order, and the public names that are described elsewhere
MODULES = (('cortenforge', '__init__.py'), ('cortenforge', 'batch.py'), ('cortenforge', 'builder.py'), ('cortenforge', '_explain.py'),
           ('cortenforge', '_replay.py'), ('cortenforge', 'renderer.py'), ('cortenforge', '_alias.py'),
           ('cortenforge.viewer', 'viewer.py'), ('cortenforge.errors', 'errors.py'), ('cortenforge.ray', 'ray.py'),
           ('cortenforge.envs', 'envs/registration.py'), ('cortenforge.envs', 'envs/task.py'), ('cortenforge.envs', 'envs/vector.py'),
           ('cortenforge.envs', 'envs/vary.py'), ('cortenforge.envs', 'envs/simulation.py'), ('cortenforge.envs.recording', 'envs/recording.py'),
           *(('cortenforge.envs.adapters', f'envs/adapters/{name}.py')
             for name in ('stable', 'torchrl', 'skrl', 'pufferlib', 'rllib', 'dm', 'functional')),
           ('cortenforge.train', 'train/settings.py'), ('cortenforge.train', 'train/run.py'), ('cortenforge.train', 'train/policy.py'),
           ('cortenforge.mujoco.batch', 'mujoco/batch.py'), ('cortenforge.mujoco.rollout', 'mujoco/rollout.py'),
           ('cortenforge.mujoco.minimize', 'mujoco/minimize.py'), ('cortenforge.mujoco.msh2obj', 'mujoco/msh2obj.py'))
HEAD = '''# Python reference

Every public name of the package, from its sources and the tables; [python.md](python.md) is the guide. `m` is a `Model`, `d` a
`Data`; arrays are NumPy's. Fields of `Model`, `Data` and structs are those of [fields.md](fields.md), with the same names: arrays
are live views of the shapes listed there, numbers are attributes. Enumerations are `IntEnum` classes of the package, with the values
of [api.md](api.md#enumerations).
'''
FUNCTIONS = '''## Functions of the engine

`cortenforge.NAME` and `cortenforge.mujoco.NAME` are the same functions. Sizes follow from arrays; results are written into arrays
that are given. An argument that may be `None` is left out of the result.
'''


def text_of(node):
    """Docstring as Markdown: indented parts are code."""
    lines = (ast.get_docstring(node) or '').split('\n')
    out, inside = [], False
    for line in lines:
        is_code = line.startswith('    ') if line.strip() else inside
        if is_code and not inside:
            out.append('```python')
        elif inside and not is_code:
            out[-1:] = ['```', ''] if not out[-1] else [out[-1], '```', '']
        inside = is_code
        out.append(line[4:] if inside else re.sub(r'^([a-z_]+(?:, [a-z_]+)*):\s+', r'- `\1`: ', line))
    return out + (['```'] if inside else [])


def signature(node):
    """Parameters without annotations of their own classes' self."""
    parameters = ast.unparse(node.args)
    parameters = re.sub(r'^(self|cls)(, )?', '', parameters)
    result = ast.unparse(node.returns) if node.returns else ''
    return f'{node.name}({parameters})' + (f' -> {result}' if result and result != 'None' else '')


def is_public(node):
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith('_')


def decorated(node, name):
    return any(ast.unparse(d).endswith(name) for d in node.decorator_list)


def class_lines(node):
    start = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == '__init__'), None)
    yield f'#### {node.name}'
    yield ''
    if start:
        yield f'`{signature(start).replace("__init__", node.name, 1)}`'
        yield ''
    yield from text_of(node)
    yield ''
    for member in node.body:
        if not isinstance(member, ast.FunctionDef) or member.name.startswith('_') or decorated(member, 'setter'):
            continue
        shown = member.name if decorated(member, 'property') else signature(member)
        doc = ' '.join((ast.get_docstring(member) or '').split('\n\n')[0].split())
        yield f'- `{shown}`' + (f': {doc}' if doc else '')
    yield ''


def function_lines(node):
    yield f'#### {node.name}'
    yield ''
    yield f'`{signature(node)}`'
    yield ''
    yield from text_of(node)
    yield ''


def module_lines(title, file, is_new):
    with open(os.path.join(PACKAGE, file), encoding='utf-8') as f:
        tree = ast.parse(f.read())
    nodes = [n for n in tree.body if is_public(n)]
    if is_new:
        yield f'### {title}'
        yield ''
    yield from text_of(tree)
    yield ''
    for node in nodes:
        yield from class_lines(node) if isinstance(node, ast.ClassDef) else function_lines(node)


def engine_functions():
    section = None
    described = {f.name: f for f in tables.functions()}
    for row, names, _ in core.functions():
        if names is None:
            continue
        if described[row.name].section != section:
            section = described[row.name].section
            yield f'### {section}'
            yield ''
        head = ' '.join(stubs.function(row, names)[0][4:-1].split())
        head = re.sub(r'NDArray\[np\.(\w+)\]', r'\1 array', head).replace('SupportsIndex', 'int').replace('SupportsFloat', 'float')
        head = head.replace('MjModel', 'Model').replace('MjData', 'Data').replace('ArrayLike', 'array')
        yield f'`{head}`  '
        yield row.doc.replace('NULL', 'None')
        yield ''


def page(notice):
    yield notice
    yield HEAD
    yield '## The package'
    yield ''
    seen = set()
    for title, file in MODULES:
        yield from module_lines(title, file, title not in seen)
        seen.add(title)
        if file == '__init__.py':
            for name, text in (('Model', stubs.MODEL), ('Data', stubs.DATA)):
                yield from class_lines(ast.parse(text.replace(f'class Mj{name}', f'class {name}')).body[0])
    yield FUNCTIONS
    yield from engine_functions()
