"""Reader of src/tables/*.def: every macro call becomes a row of strings.

A table line is a C macro call, `CF_FIELD( mjtNum, qpos, m->nq, 1, ... )`. Arguments are kept as written, except that
string literals lose their quotes and adjacent ones are joined.
"""
import ast
import functools
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLES = os.path.join(ROOT, 'src', 'tables')


class Row:
    """One macro call: `kind` is the macro, the arguments are reached by index or by column name."""

    COLUMNS = {
        'CF_SIZE': 'name set doc',
        'CF_FIELD': 'type name rows cols home writer compare unit doc',
        'CF_SCALAR': 'type name dims writer compare unit doc',
        'CF_GROUP': 'id title',
        'CF_CONSTANT': 'block name value doc',
        'CF_ENUM': 'name doc',
        'CF_VALUE': 'enum name value doc',
        'CF_FLAG': 'enum name value label preset key doc',
        'CF_ENUM_END': 'name',
        'CF_NOTE': 'title',
        'CF_STRUCT': 'name style doc',
        'CF_MEMBER': 'struct type name dims unit doc',
        'CF_COMPARED': 'struct type name dims compare unit doc',
        'CF_METHOD': 'struct type name params doc',
        'CF_PART': 'struct name doc',
        'CF_PART_END': 'struct name',
        'CF_UNION': 'struct',
        'CF_UNION_END': 'struct',
        'CF_SPLICE': 'struct what',
        'CF_STRUCT_END': 'name',
        'CF_FUNCTYPE': 'type name params doc',
        'CF_SECTION': 'title',
        'CF_FUNCTION': 'type name params doc',
        'CF_ALIAS': 'name double_name float_name',
        'CF_POINTER': 'type name params doc',
        'CF_CALLBACK': 'type name doc',
        'CF_STRINGS': 'name dims flags doc',
        'CF_COLLISION': 'type name dims doc',
        'CF_MESSAGE': 'id severity text hint',
        'CF_WARNING': 'name info text',
        'CF_TAG': 'id parent tag times group place',
        'CF_ATTRIBUTE': 'group places name form type field initial read save model back unit doc',
        'CF_SPECIAL': 'group places name form read save unit doc',
        'CF_EXTENSION': 'group places id name form read save unit doc',
        'CF_WORDS': 'set',
        'CF_KEYWORD': 'set word value',
        'CF_SENSOR': 'id type tag objects object reference dim stage datatype cutoff function reads team doc',
        'CF_FEATURE': 'id used lanes team device reason',
        'CF_FEATURE_NOW': 'id used lanes team device reason',
        'CF_DIFFERENCE': 'id differs team reason',
        'CF_WORLD_FIELD': 'name what lanes',
        'CF_WORLD_HELD': 'name what lanes',
        'CF_WORLD_OPTION': 'name lanes',
        'CF_WORLD_HELD_OPTION': 'name lanes',
        'CF_WORLD_RESULT': 'name',
        'CF_WORLD_BOUND': 'name',
        'CF_WORLD_COUNT': 'name',
        'CF_WORLD_RANGE': 'name range',
        'CF_WORLD_OPTION_RANGE': 'name range',
        'CF_WORLD_CARRIED': 'name',
        'CF_LENGTH': 'function parameter rows cols',
        'CF_NULLABLE': 'function parameters',
        'CF_DEDUCED': 'function parameter value',
        'CF_RANGE': 'function parameter low high',
        'CF_INDICES': 'function parameter high',
        'CF_SPARSE': 'function rownnz rowadr colind nr nc room',
        'CF_BLOCKING': 'functions',
        'CF_NAMED': 'names object rows prefixes',
        'CF_EXTENT': 'name rows start count',
        'CF_CONTACTDATA': 'word value size',
        'CF_RAYDATA': 'word value size',
    }

    def __init__(self, kind, args):
        self.kind = 'CF_MEMBER' if kind == 'CF_COMPARED' else kind   # the same but for comparisons
        self.args = args
        names = self.COLUMNS[kind].split()
        if kind == 'CF_GROUP' and len(args) == 1:
            names = ['id']
        if len(names) != len(args):
            raise ValueError(f'{kind} has {len(args)} columns, expected {len(names)}: {args}')
        for name, value in zip(names, args):
            setattr(self, name, value)

    def __getitem__(self, index):
        return self.args[index]

    def __repr__(self):
        return f'{self.kind}{tuple(self.args)}'


STRING = r'"(?:\\.|[^"\\])*"'
COMMENT = re.compile(STRING + r'|//[^\n]*')
SPLIT = re.compile(STRING + r'|[][(){},]')
CALL = re.compile(r'\b(CF_[A-Z_]+)\s*\(')


def _text(name):
    """A table file with the tables it includes."""
    with open(os.path.join(TABLES, name), encoding='utf-8') as f:
        return re.sub(r'^#include "tables/(\w+\.def)"$', lambda m: _text(m.group(1)), f.read(), flags=re.M)


def _clean(text):
    """Text without comments and preprocessor lines; string literals untouched."""
    kept = COMMENT.sub(lambda t: ' ' if t.group().startswith('//') else t.group(), text)
    return re.sub(r'^\s*#[^\n]*$', '', kept, flags=re.M)


def _value(text):
    """An argument: joined string literals, or the text itself with single spaces."""
    text = text.strip()
    if text.startswith('"'):
        return ''.join(ast.literal_eval(s) for s in re.findall(STRING, text))
    return ' '.join(text.split())


@functools.lru_cache(maxsize=None)
def rows(name):
    """All macro calls of a table file, in order."""
    text = _clean(_text(name))
    out, position = [], 0
    while True:
        start = CALL.search(text, position)
        if not start:
            return out
        args, depth, first = [], 1, start.end()
        for token in SPLIT.finditer(text, first):
            mark = token.group()
            depth += (mark in '([{') - (mark in ')]}') if len(mark) == 1 else 0
            if depth == 0 or (mark == ',' and depth == 1):
                args.append(_value(text[first:token.start()]))
                first = position = token.end()
            if depth == 0:
                break
        out.append(Row(start.group(1), args))


def functions():
    """Rows of functions.def that are functions, each with its section."""
    section, out = '', []
    for row in rows('functions.def'):
        if row.kind == 'CF_SECTION':
            section = row.title
        elif row.kind == 'CF_FUNCTION':
            row.section = section
            out.append(row)
    return out


def parameters(params):
    """`(int a, const mjtNum b[3])` as a list of declarations; a trailing attribute is left out."""
    depth, out, current = 0, [], ''
    for c in params:
        if c == ')' and depth == 1:
            break
        if c == ',' and depth == 1:
            out.append(current.strip())
            current = ''
        elif depth:
            current += c
        depth += (c == '(') - (c == ')')
    return out + [current.strip()]
