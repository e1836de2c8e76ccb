#!/usr/bin/env python3
"""Write the public headers include/mujoco/*.h from the tables.

  gen_headers.py [--check] [FOLDER]

FOLDER is include/mujoco unless given. The frame of each header (guards, includes, section order) is a template in
tools/templates; a line `@directive argument` is replaced by what the tables say. With --check nothing is written and
the exit status is 1 if a file in FOLDER differs from what would be written.
"""
import os
import re
import sys
import textwrap

import tables

WIDTH = 100
COUNTER = re.compile(r'mjN[A-Z]')  # enumerators that count the others
TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'templates')


# ---- layout of lines -------------------------------------------------------------------------------------------

def commented(code, doc, column):
    """`code` followed by a comment that starts at `column` and continues below itself when it is long."""
    if not doc:
        return [code]
    if len(code) >= column:
        column = len(code) + 1
    room = max(WIDTH - column - 3, 30)
    first, *rest = textwrap.wrap(doc, room, break_long_words=False, break_on_hyphens=False)
    lines = [code.ljust(column) + '// ' + first]
    return lines + [' ' * column + '//   ' + more
                    for part in rest for more in textwrap.wrap(part, room - 2, break_on_hyphens=False)]


def comment(doc, indent=''):
    """A full-width comment."""
    return textwrap.wrap(doc, WIDTH - len(indent) - 3, initial_indent=indent + '// ',
                         subsequent_indent=indent + '// ', break_on_hyphens=False)


def column_for(lines, least, most):
    """Comment column that suits most of the code lines."""
    return min(max([least] + [len(line) + 1 for line in lines]), most)


def declaration(head, params, tail=';'):
    """A function declaration, broken after commas and aligned behind the opening parenthesis."""
    items = tables.parameters(params)
    attribute = params[params.rindex(')') + 1:] if ' mjPRINTFLIKE' not in params else ' ' + params.split(') ', 1)[1]
    line, lines, margin = head + '(', [], ' ' * (len(head) + 1)
    if len(margin) > 50 and len(head + ', '.join(items)) > WIDTH:
        margin = ' ' * 8
    for i, item in enumerate(items):
        piece = item + (')' + attribute + tail if i == len(items) - 1 else ',')
        if len(line) + len(piece) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = margin
        line += piece + ' '
    return lines + [line.rstrip()]


# ---- constants, enumerations, structs ----------------------------------------------------------------------------

def constants(block):
    chosen = [r for r in tables.rows('constants.def') if r.block == block]
    name_width = max(len(r.name) for r in chosen) + 2
    value_width = max(len(r.value) for r in chosen) + 2
    return [f'#define {r.name.ljust(name_width)}{(r.value.ljust(value_width) + "// " + r.doc) if r.doc else r.value}'
            for r in chosen]


def enum_lines(group):
    """One enumeration; `group` runs from CF_ENUM to CF_ENUM_END."""
    head, body = group[0], group[1:-1]
    values = [r for r in body if r.kind != 'CF_NOTE']
    width = max(len(r.name) for r in values)
    code = {}
    for r in values:
        text = f'  {r.name.ljust(width)} = {r.value}' if r.value else f'  {r.name}'
        code[r.name] = text + (',' if r is not values[-1] else '')
    column = column_for([c for c in code.values() if len(c) < 50], 34, 50)
    out = []
    for r in body:
        if r.kind == 'CF_NOTE':
            out += ([''] if out else []) + comment(r.title, '  ')
        elif len(code[r.name]) < 50:
            out += ([''] if COUNTER.match(r.name) else []) + commented(code[r.name], r.doc, column)
        else:
            out += comment(r.doc, '  ') + textwrap.wrap(code[r.name].strip(), WIDTH, initial_indent='  ',
                                                        subsequent_indent=' ' * (width + 5))
    return comment(head.doc) + [f'typedef enum {head.name}_ {{'] + out + [f'}} {head.name};']


def groups(rows, first, last):
    """Slices of `rows` that run from a `first` row to the next `last` row; other rows come alone."""
    current = None
    for r in rows:
        if r.kind == first:
            current = [r]
        elif current is not None:
            current.append(r)
            if r.kind == last:
                yield current
                current = None
        else:
            yield [r]


def enums(name):
    out = []
    for group in groups(tables.rows(f'enums_{name}.def'), 'CF_ENUM', 'CF_ENUM_END'):
        out += enum_lines(group) + ['', '']
    return out[:-2]


def with_unit(unit, doc):
    return f'{doc} [{unit}]' if unit != '-' and doc else doc


def shape_text(row):
    """`(nbody x 3)` as written in comments: sizes without the struct they come from."""
    plain = [text.replace('m->', '').replace('d->', '') for text in (row.rows, row.cols)]
    return f'({plain[0]} x {plain[1]})'


def array_lines(table):
    """Pointer fields of mjModel or mjData."""
    out = []
    for r in tables.rows(table):
        if r.kind == 'CF_GROUP':
            out += ['', f'  // {r.title}']
        else:
            pointer = (r.type + '*').ljust(9)
            out += commented(f'  {pointer} {r.name};', f'{shape_text(r)} {with_unit(r.unit, r.doc)}'.rstrip(), 34)
    return out


def size_lines():
    titles = {'BUILD': 'sizes known before the arrays are allocated',
              'DERIVED': 'sizes set while or after the arrays are filled', 'BYTES': 'sizes of memory blocks'}
    out, current = [], None
    for r in tables.rows('model_sizes.def'):
        if r.set != current:
            out += ([''] if current else []) + [f'  // {titles[r.set]}']
            current = r.set
        out += commented(f'  mjtSize {r.name};', r.doc, 34)
    return out


def scalar_lines(handles):
    """Fields of mjData held by value; those of the group HANDLE follow the arrays."""
    out, group = [], None
    for r in tables.rows('data_scalars.def'):
        if r.kind == 'CF_GROUP':
            group = r
            if (group.id == 'HANDLE') == handles:
                out += ['', f'  // {r.title}']
        elif (group.id == 'HANDLE') == handles:
            out += commented(f'  {r.type.ljust(13)} {r.name}{r.dims};', with_unit(r.unit, r.doc), 46)
    return out[1:] if not handles else out


SPLICES = {
    ('mjModel', 'SIZES'): size_lines,
    ('mjModel', 'ARRAYS'): lambda: array_lines('model_fields.def'),
    ('mjData', 'SCALARS'): lambda: scalar_lines(False),
    ('mjData', 'ARRAYS'): lambda: array_lines('data_fields.def'),
    ('mjData', 'HANDLES'): lambda: scalar_lines(True),
}


def member_lines(body):
    """The inside of a struct."""
    members = [r for r in body if r.kind == 'CF_MEMBER']
    width = max([len(r.type) for r in members] or [0])
    width = width if width <= 16 else 0
    column = column_for([f'  {r.type.ljust(width)} {r.name}{r.dims};' for r in members], 34, 46)
    out, indent = [], '  '
    for r in body:
        if r.kind == 'CF_NOTE':
            out += ([''] if out and not out[-1].endswith('{') else []) + comment(r.title, indent)
        elif r.kind == 'CF_PART':
            out += ([''] if out else []) + commented('  struct {', r.doc, column)
            indent = '    '
        elif r.kind == 'CF_PART_END':
            out.append(f'  }} {r.name};')
            indent = '  '
        elif r.kind == 'CF_UNION':
            out.append('  union {')
            indent = '    '
        elif r.kind == 'CF_UNION_END':
            out.append('  };')
            indent = '  '
        elif r.kind == 'CF_METHOD':
            out += [''] + comment(r.doc, '  ') + declaration(f'  {r.type} (*{r.name})', r.params)
        elif r.kind == 'CF_SPLICE':
            out += SPLICES[(r.struct, r.what)]()
        else:
            name = r.name.split('.')[-1]
            out += commented(f'{indent}{r.type.ljust(width)} {name}{r.dims};', with_unit(r.unit, r.doc), column)
    return out


def struct_lines(group):
    head, body = group[0], member_lines(group[1:-1])
    name, tag = head.name, head.name if head.style == 'BARE' else head.name + '_'
    open_line, close = {
        'TYPEDEF': (f'typedef struct {tag} {{', [f'}} {name};']),
        'TAG': (f'struct {tag} {{', ['};']),
    }.get(head.style, (f'struct {tag} {{', ['};', f'typedef struct {tag} {name};']))
    return comment(head.doc) + [open_line] + body + close


def functype_lines(r):
    return comment(r.doc) + declaration(f'typedef {r.type} (*{r.name})', r.params)


def structs(name):
    out = []
    for group in groups(tables.rows(f'structs_{name}.def'), 'CF_STRUCT', 'CF_STRUCT_END'):
        out += (functype_lines(group[0]) if group[0].kind == 'CF_FUNCTYPE' else struct_lines(group)) + ['', '']
    return out[:-2]


# ---- functions and globals ---------------------------------------------------------------------------------------

def global_lines(_):
    out = []
    for r in tables.rows('globals.def'):
        if r.kind == 'CF_NOTE':
            out += ([''] if out else []) + comment(r.title)
        elif r.kind == 'CF_POINTER':
            out += commented(f'MJAPI extern {r.type} (*{r.name}){r.params};', r.doc, 60)
        elif r.kind == 'CF_CALLBACK':
            out += commented(f'MJAPI extern {r.type} {r.name};', r.doc, 60)
        elif r.kind == 'CF_STRINGS':
            out += commented(f'MJAPI extern const char* {r.name}{r.dims};', r.doc, 60)
        else:
            out += comment(r.doc) + [f'MJAPI extern {r.type} {r.name}{r.dims};']
    return out


def alias_lines(aliases):
    """Mathematical functions that are plain macros, for either precision."""
    out = ['#ifdef mjUSESINGLE']
    out += [f'  #define {r.name.ljust(12)}{r.float_name}' for r in aliases]
    out += ['#else']
    out += [f'  #define {r.name.ljust(12)}{r.double_name}' for r in aliases]
    return out + ['#endif', '']


def function_lines(_):
    out, aliases = [], [r for r in tables.rows('functions.def') if r.kind == 'CF_ALIAS']
    for r in tables.rows('functions.def'):
        if r.kind == 'CF_SECTION':
            out += ['', f'//---------------------------------- {r.title} '.ljust(WIDTH, '-'), '']
        elif r.kind == 'CF_ALIAS':
            out += alias_lines(aliases) if r is aliases[0] or r.name == aliases[0].name else []
        else:
            out += comment(r.doc) + declaration(f'MJAPI {r.type} {r.name}', r.params) + ['']
    return out[1:-1]


# ---- mjxmacro.h --------------------------------------------------------------------------------------------------

def macro(name, lines):
    """A multi-line macro with its backslashes in one column."""
    width = max(len(line) for line in lines + [f'#define {name}']) + 1
    width = max(width, 40)
    body = [f'#define {name}'] + lines
    return [line.ljust(width) + '\\' for line in body[:-1]] + [body[-1]]


def x_row(args, widths, call='X'):
    cells = [(a + ',').ljust(w + 2) for a, w in zip(args[:-1], widths)] + [args[-1].ljust(widths[-1])]
    return f'    {call}( ' + ''.join(cells) + ' )'


def x_rows(entries, calls=None):
    widths = [max(len(e[i]) for e in entries) for i in range(len(entries[0]))]
    calls = calls or ['X'] * len(entries)
    pad = max(len(c) for c in calls)
    return [x_row(e, widths, c.ljust(pad)) for e, c in zip(entries, calls)]


def wrapped(expression, plain):
    """Size expression in the form of mjxmacro.h: sizes as MJ_M(n) and MJ_D(n), bare where `plain`."""
    for prefix, mark in (('m->', 'MJ_M'), ('d->', 'MJ_D')):
        if expression.startswith(prefix):
            name, star, rest = expression[len(prefix):].partition('*')
            return name if plain else f'{mark}({name}){star}{rest}'
    return expression


def field_entries(rows, plain_rows):
    entries = [(r.type, r.name, wrapped(r.rows, plain_rows), wrapped(r.cols, False)) for r in rows]
    calls = ['XNV' if 'BULK' in r.home else 'X' for r in rows]
    return x_rows(entries, calls)


def by_group(table):
    """(id, rows) per CF_GROUP, in order; a repeated id comes again."""
    out = []
    for r in tables.rows(table):
        if r.kind == 'CF_GROUP':
            out.append((r.id, []))
        else:
            out[-1][1].append(r)
    return out


# groups of mjModel that have a macro of their own
MODEL_MACROS = ('BODY JOINT DOF TREE GEOM SITE CAMERA LIGHT FLEX MESH SKIN HFIELD TEXTURE MATERIAL PAIR EXCLUDE '
                'EQUALITY TENDON ACTUATOR SENSOR').split()


def x_model(_):
    out, whole = [], []
    for group, rows in by_group('model_fields.def'):
        lines = field_entries(rows, True)
        if group in MODEL_MACROS:
            out += macro(f'MJMODEL_POINTERS_{group}', lines) + ['']
            whole.append(f'    MJMODEL_POINTERS_{group}')
        else:
            whole += lines
    return out + macro('MJMODEL_POINTERS', whole)


def column_sizes(table):
    """Names of sizes that occur as numbers of columns, in order of first use."""
    found = []
    for r in tables.rows(table):
        if r.kind == 'CF_FIELD' and r.cols.startswith('m->'):
            name = r.cols[3:].split('*')[0]
            if name not in found and r.home != 'ARENA':
                found.append(name)
    return found


def x_preamble(which):
    prefix, table = {'model': ('MJMODEL', 'model_fields.def'), 'data': ('MJDATA', 'data_fields.def')}[which]
    return macro(f'{prefix}_POINTERS_PREAMBLE( m )', [f'    int {n} = m->{n};' for n in column_sizes(table)])


def x_sizes(_):
    return macro('MJMODEL_SIZES', [f'    X( {r.name} )' for r in tables.rows('model_sizes.def')])


def x_data(_):
    rows = [r for r in tables.rows('data_fields.def') if r.kind == 'CF_FIELD' and not r.home.startswith('ARENA')]
    return macro('MJDATA_POINTERS', field_entries(rows, True))


def x_arena(group):
    rows = [r for g, rs in by_group('data_fields.def') if g == group for r in rs if r.home.startswith('ARENA')]
    return macro(f'MJDATA_ARENA_POINTERS_{group}', field_entries(rows, False))


def x_scalar(_):
    rows = [r for r in tables.rows('data_scalars.def')
            if r.kind == 'CF_SCALAR' and not r.dims and r.name != 'signature']
    return macro('MJDATA_SCALAR', x_rows([(r.type.replace('mjtSize', 'size_t'), r.name) for r in rows]))


def x_vector(_):
    entries = []
    for r in tables.rows('data_scalars.def'):
        if r.kind == 'CF_SCALAR' and r.dims:
            first, _, second = r.dims.strip('[]').partition('*')
            entries.append((r.type.replace('mjtSize', 'size_t'), r.name, first, second or '1'))
    return macro('MJDATA_VECTOR', x_rows(entries))


def members(struct):
    return [r for r in tables.rows('structs_model.def') if r.kind == 'CF_MEMBER' and r.struct == struct]


def x_option(which):
    rows = members('mjOption')
    if which == 'VECTORS':
        return macro('MJOPTION_VECTORS', x_rows([(r.name, r.dims.strip('[]')) for r in rows if r.dims]))
    wanted = {'FLOATS': 'mjtNum', 'INTS': 'int'}[which]
    return macro(f'MJOPTION_{which}',
                 x_rows([(r.type, r.name) for r in rows if r.type == wanted and not r.dims]))


def x_statistic(_):
    return macro('MJSTATISTIC_FIELDS',
                 x_rows([(r.type, r.name, r.dims.strip('[]') or '1') for r in members('mjStatistic')]))


def x_visual(_):
    entries = [(*r.name.split('.')[:1], r.type, r.name.split('.')[1], r.dims.strip('[]') or '1')
               for r in members('mjVisual')]
    return macro('MJVISUAL_FIELDS', x_rows(entries))


# ---- templates ---------------------------------------------------------------------------------------------------

DIRECTIVES = {
    'constants': constants, 'enums': enums, 'structs': structs, 'globals': global_lines,
    'functions': function_lines, 'x_sizes': x_sizes, 'x_model': x_model, 'x_data': x_data,
    'x_arena': x_arena, 'x_preamble': x_preamble, 'x_scalar': x_scalar, 'x_vector': x_vector,
    'x_option': x_option, 'x_statistic': x_statistic, 'x_visual': x_visual,
}


def generate(template):
    out = []
    with open(os.path.join(TEMPLATES, template), encoding='utf-8') as f:
        for line in f.read().split('\n'):
            if line.startswith('@'):
                name, _, argument = line[1:].partition(' ')
                out += DIRECTIVES[name](argument)
            else:
                out.append(line)
    return '\n'.join(line.rstrip() for line in out)


def main():
    check = '--check' in sys.argv[1:]
    folders = [a for a in sys.argv[1:] if a != '--check']
    folder = folders[0] if folders else os.path.join(tables.ROOT, 'include', 'mujoco')
    os.makedirs(folder, exist_ok=True)
    drifted = []
    for template in sorted(os.listdir(TEMPLATES)):
        if not template.endswith('.h.in'):
            continue
        text, path = generate(template), os.path.join(folder, template[:-3])
        old = open(path, encoding='utf-8').read() if os.path.exists(path) else None
        if text == old:
            continue
        drifted.append(path)
        if not check:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
    for path in drifted:
        print(('differs from the tables: ' if check else 'wrote ') + path)
    return 1 if check and drifted else 0


if __name__ == '__main__':
    sys.exit(main())
