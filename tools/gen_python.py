#!/usr/bin/env python3
"""Write what the Python extension (python/core) takes from the tables: descriptors of fields and structs, enumerations,
constants, and a wrapper for each function of the C API whose arguments the tables describe.

  gen_python.py FOLDER        write python_tables.h and python_functions.h, which python/core/functions.c includes
  gen_python.py --skipped     list functions without a wrapper
"""
import re
import sys

import tables

NUMBERS = {'mjtNum': 'NUM', 'double': 'NUM', 'float': 'FLOAT', 'int': 'INT', 'mjtByte': 'BYTE', 'char': 'CHAR',
           'mjtSize': 'SIZE', 'size_t': 'UNSIGNED', 'uint64_t': 'UNSIGNED', 'uintptr_t': 'UNSIGNED',
           'unsigned char': 'BYTE', 'unsigned int': 'UINT'}
VECTORS = {'mjString*': 'STRING', 'mjStringVec*': 'STRINGS', 'mjIntVec*': 'INTS', 'mjFloatVec*': 'FLOATS',
           'mjDoubleVec*': 'DOUBLES', 'mjIntVecVec*': 'INTLISTS', 'mjFloatVecVec*': 'FLOATLISTS', 'mjByteVec*': 'BYTES'}
ENUM_FILES = 'model data thread spec plugin visualize render ui'.split()
STRUCT_FILES = ('model', 'data', 'visualize', 'render', 'spec')
UNBOUND = {'mjModel', 'mjData', 'mjCache', 'mjVFS'}
KEYWORDS = {'from': 'from_', 'global': 'global_', 'def': 'default', 'in': 'in_'}
ALLOCATED = {'mjvScene': 'mjv_freeScene', 'mjrContext': 'mjr_freeContext'}
DEFAULTS = {'mjOption': 'mj_defaultOption', 'mjVisual': 'mj_defaultVisual', 'mjLROpt': 'mj_defaultLROpt',
            'mjvPerturb': 'mjv_defaultPerturb', 'mjvCamera': 'mjv_defaultCamera', 'mjvOption': 'mjv_defaultOption',
            'mjvFigure': 'mjv_defaultFigure', 'mjvScene': 'mjv_defaultScene', 'mjrContext': 'mjr_defaultContext',
            'mjsOrientation': 'mjs_defaultOrientation'}

# functions written by hand in python/core/functions.c, with their Python signatures
BY_HAND = {
    'mj_step': 'm, d, nstep=1',
    'mj_saveLastXML': 'filename, m',
    'mj_saveModel': 'm, filename=None, buffer=None',
    'mj_setLengthRange': 'm, d, index, opt',
    'mju_getXMLDependencies': 'filename',
    'mj_printSchema': 'flg_html, flg_pad',
    'mj_loadAllPluginLibraries': 'directory',
    'mj_readSensor': 'm, d, id, time, result, interp',
    'mjr_readPixels': 'rgb, depth, viewport, con',
    'mjr_drawPixels': 'rgb, depth, viewport, con',
}


def named(where):
    """Methods that give views of one object by name, of the model or the data."""
    return []


def quoted(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n') + '"'


def with_unit(doc, unit):
    return doc if unit in ('-', '') else f'{doc} [{unit}]'


def python_name(name):
    return KEYWORDS.get(name, name)


def class_name(struct):
    return 'M' + struct[1:] if struct.startswith('mj') else struct


def structs():
    """(struct, members) of all structs, parts of structs first; a member is (name, type, dims, unit, doc)."""
    out = []
    for file in STRUCT_FILES:
        name, members, parts, docs = None, [], {}, {}
        for r in tables.rows(f'structs_{file}.def'):
            if r.kind == 'CF_STRUCT':
                name, members, parts, docs = r.name, [], {}, {}
            elif r.kind == 'CF_PART':
                parts[r.name] = []
                docs[r.name] = r.doc
                members.append((r.name, f'{name}.{r.name}', '', '-', r.doc))
            elif r.kind == 'CF_MEMBER':
                part, dot, inner = r.name.partition('.')
                if dot:
                    parts[part].append((inner, r.type, r.dims, r.unit, r.doc))
                else:
                    members.append((r.name, r.type, r.dims, r.unit, r.doc))
            elif r.kind == 'CF_STRUCT_END' and name not in UNBOUND:
                out += [(f'{name}.{part}', rows) for part, rows in parts.items()]
                out.append((name, members))
    return out


def identifier(struct):
    return struct.replace('.', '_')


def lengths():
    return {(r.function, r.parameter): (r.rows, r.cols) for r in tables.rows('parameters.def') if r.kind == 'CF_LENGTH'}


def shape_of(dims):
    return re.findall(r'\[([^\]]*)\]', dims)


def struct_fields(struct, members, known, enumerations):
    """C initializers of the fields of one struct."""
    counts = lengths()
    base = struct.split('.')[0]
    origin = f' - offsetof({struct.replace(".", ", ")})' if '.' in struct else ''
    for name, kind, dims, unit, doc in members:
        place = name if '.' not in struct else struct.split('.', 1)[1] + '.' + name
        shape = shape_of(dims)
        plain = 'int' if kind in enumerations else kind
        number = NUMBERS.get(plain)
        pointer = plain.rstrip('*') if plain.endswith('*') else None
        desc, count, size = 'NULL', 'NULL', 'sizeof(((%s*)0)->%s)' % (base, place)
        if plain in known:
            what, desc = ('STRUCTS' if shape else 'STRUCT'), f'&desc_{identifier(plain)}'
            number, size = 'NONE', f'desc_size_{identifier(plain)}'
        elif plain in VECTORS:
            what, number = VECTORS[plain], 'NONE'
        elif plain == 'char' and dims:
            what = 'TEXTS' if len(shape) == 2 else 'TEXT'
        elif number:
            what, size = ('INLINE' if shape else 'SCALAR'), f'sizeof({plain})'
        elif pointer and (base, name) in counts:
            count = f'count_{base}_{name}'
            number = NUMBERS.get(pointer, 'NONE')
            what = 'POINTER' if pointer in NUMBERS else 'STRUCT_POINTER'
            size = f'sizeof({pointer})'
            if what == 'STRUCT_POINTER':
                desc = f'&desc_{identifier(pointer)}'
        elif plain == 'mjsElement*':
            what, number = 'ELEMENT', 'NONE'
        elif pointer in known:
            what, number, desc = 'REFERENCE', 'NONE', f'&desc_{identifier(pointer)}'
        else:
            continue
        dimensions = ', '.join(shape) or '0'
        yield (f'  {{{quoted(python_name(name))}, {quoted(with_unit(doc, unit))}, F_{what}, E_{number}, {size}, '
               f'offsetof({base}, {place}){origin}, {len(shape)}, {{{dimensions}}}, 0, NULL, {desc}, {count}}},')


def write_structs(out):
    every = structs()
    known = {s for s, _ in every}
    enumerations = {r.name for f in ENUM_FILES
                    for r in tables.rows(f'enums_{f}.def') if r.kind == 'CF_ENUM'}
    for struct, _ in every:
        out.append(f'static Desc desc_{identifier(struct)};')
    for struct, _ in every:
        size = f'sizeof({struct})' if '.' not in struct else f'sizeof((({struct.split(".")[0]}*)0)->{struct.split(".")[1]})'
        out.append(f'enum {{ desc_size_{identifier(struct)} = {size} }};')
    for (struct, name), (rows, cols) in lengths().items():
        if struct in known:
            out.append(f'static Py_ssize_t count_{struct}_{name}(const void* q) {{ const {struct}* p = q; return ({rows}) * ({cols}); }}')
    for struct, members in every:
        key = identifier(struct)
        fields = list(struct_fields(struct, members, known, enumerations))
        out.append(f'static Field fields_{key}[] = {{')
        out += fields
        out.append('};')
    for struct, _ in every:
        if struct in DEFAULTS:
            out.append(f'static void default_{struct}(void* p) {{ {DEFAULTS[struct]}(p); }}')
        if struct in ALLOCATED:
            out.append(f'static void free_{struct}(void* p) {{ {ALLOCATED[struct]}(p); }}')
    for struct, _ in every:
        key = identifier(struct)
        start = f'default_{struct}' if struct in DEFAULTS else 'NULL'
        end = f'free_{struct}' if struct in ALLOCATED else 'NULL'
        name = class_name(struct) if '.' not in struct else class_name(struct.split('.')[0]) + struct.split('.')[1].capitalize()
        out.append(f'static Desc desc_{key} = {{"{name}", desc_size_{key}, fields_{key}, COUNT(fields_{key}), {start}, {end}, NULL, NULL}};')
    out.append('static Desc* const all_descs[] = {' + ', '.join(f'&desc_{identifier(s)}' for s, _ in every) + '};')


def write_arrays(out):
    """Fields of mjModel and mjData."""
    struct_types = {'mjContact', 'mjSolverStat', 'mjWarningStat', 'mjTimerStat'}
    for struct, table in (('mjModel', 'model_fields.def'), ('mjData', 'data_fields.def')):
        for r in tables.rows(table):
            if r.kind == 'CF_FIELD':
                out.append(f'static void sizes_{struct}_{r.name}(const mjModel* m, const mjData* d, mjtSize* s) '
                           f'{{ (void)m; (void)d; s[0] = ({r.rows}); s[1] = ({r.cols}); }}')
    for struct, table in (('mjModel', 'model_fields.def'), ('mjData', 'data_fields.def')):
        index = 0
        out.append(f'static Field fields_{struct}[] = {{')
        for r in tables.rows(table):
            if r.kind != 'CF_FIELD':
                continue
            where = 'STEP' if r.home.startswith('ARENA') else 'ARRAY'
            number = 'NONE' if r.type in struct_types else NUMBERS[r.type]
            desc = f'&desc_{r.type}' if r.type in struct_types else 'NULL'
            plain = [e.replace('m->', '').replace('d->', '') for e in (r.rows, r.cols)]
            shape = f'({plain[0]},)' if r.cols == '1' else f'({plain[0]}, {plain[1]})'
            out.append(f'  {{{quoted(r.name)}, {quoted(with_unit(r.doc, r.unit) + ", shape " + shape)}, F_{where}, E_{number}, '
                       f'sizeof({r.type}), offsetof({struct}, {r.name}), {1 if r.cols == "1" else 2}, {{0}}, {index}, '
                       f'sizes_{struct}_{r.name}, {desc}, NULL}},')
            index += 1
        if struct == 'mjModel':
            for r in tables.rows('model_sizes.def'):
                if r.kind == 'CF_SIZE':
                    out.append(f'  {{{quoted(r.name)}, {quoted(r.doc)}, F_SIZE, E_SIZE, sizeof(mjtSize), offsetof(mjModel, {r.name}), '
                               f'0, {{0}}, 0, NULL, NULL, NULL}},')
            for name, kind in (('opt', 'mjOption'), ('vis', 'mjVisual'), ('stat', 'mjStatistic')):
                doc = next(r.doc for r in tables.rows('structs_model.def') if r.kind == 'CF_STRUCT' and r.name == kind)
                out.append(f'  {{"{name}", {quoted(doc)}, F_STRUCT, E_NONE, sizeof({kind}), offsetof(mjModel, {name}), 0, {{0}}, '
                           f'{index}, NULL, &desc_{kind}, NULL}},')
                index += 1
        else:
            for r in tables.rows('data_scalars.def'):
                if r.kind != 'CF_SCALAR':
                    continue
                doc, shape = quoted(with_unit(r.doc, r.unit)), shape_of(r.dims)
                if r.type in struct_types:
                    what, number, desc = 'STRUCTS', 'NONE', f'&desc_{r.type}'
                else:
                    what, number, desc = ('INLINE' if shape else 'SCALAR'), NUMBERS[r.type], 'NULL'
                out.append(f'  {{{quoted(r.name)}, {doc}, F_{what}, E_{number}, sizeof({r.type}), offsetof(mjData, {r.name}), '
                           f'{len(shape)}, {{{", ".join(shape) or "0"}}}, {index}, NULL, {desc}, NULL}},')
                index += 1
        out.append('};')
        out.append(f'enum {{ slots_{struct} = {index} }};')
    out.append('static const size_t size_offsets[] = {' + ', '.join(
        f'offsetof(mjModel, {r.name})' for r in tables.rows('model_sizes.def')
        if r.kind == 'CF_SIZE' and not r.name.startswith('nbuffer')) + '};')


def write_enums(out):
    out.append('static const EnumValue enum_values[] = {')
    names = []
    for file in ENUM_FILES:
        for r in tables.rows(f'enums_{file}.def'):
            if r.kind == 'CF_ENUM':
                names.append((r.name, r.doc))
            if r.kind in ('CF_VALUE', 'CF_FLAG'):
                out.append(f'  {{"{r.enum}", "{r.name}", {r.name}}},')
    out.append('};')
    out.append('static const EnumName enum_names[] = {')
    out += [f'  {{"{name}", {quoted(doc)}}},' for name, doc in names]
    out.append('};')
    out.append('static const Constant constants[] = {')
    for r in tables.rows('constants.def'):
        whole = 1 if re.fullmatch(r'\d+', r.value) else 0
        out.append(f'  {{"{r.name}", {r.name}, {whole}}},')
    out.append('};')


# ---- functions -----------------------------------------------------------------------------------------------------

class Skip(Exception):
    pass


class Wrapper:
    """Text of one wrapper, or Skip with the reason."""

    def __init__(self, row, extra):
        self.row, self.extra = row, extra
        self.declared, self.converted, self.called, self.arrays, self.names = [], [], [], [], []
        self.data = self.model = None
        items = tables.parameters(row.params)
        for item in [] if items == ['void'] else items:
            self.parameter(item)

    def rows(self, kind):
        return [r for r in self.extra.get(self.row.name, []) if r.kind == kind]

    def nullable(self, name):
        return any(name in r.parameters.split() for r in self.rows('CF_NULLABLE'))

    def parameter(self, item):
        match = re.match(r'(.*?)(\w+)((?:\[[^\]]*\])*)$', item)
        if not match or '(' in item or '...' in item:
            raise Skip(f'parameter {item}')
        kind, name, dims = match.group(1).strip(), match.group(2), match.group(3)
        deduced = {r.parameter for r in self.rows('CF_DEDUCED')}
        constant, plain = kind.startswith('const'), kind.replace('const', '').replace(' ', '')
        pointer = plain.rstrip('*') if plain.endswith('*') else None
        if name in deduced:
            self.declared.append(f'long long {name} = 0;')
            self.called.append(f'(int){name}')
            return
        i = len(self.names)
        self.names.append(python_name(name))
        given, shown = f'o_[{i}]', quoted(python_name(name))
        if dims or (pointer in NUMBERS and plain.count('*') == 1 and plain != 'char*'):
            number = NUMBERS.get(pointer or plain)
            if not number:
                raise Skip(f'type {item}')
            if not dims and (self.row.name, name) not in lengths():
                raise Skip(f'no length for {item}')
            self.declared.append(f'Array a_{name} = {{{{0}}}};')
            self.arrays.append((name, pointer or plain, dims))
            self.converted.append((1, f'to_array({given}, {shown}, E_{number}, {0 if constant else 1}, {int(self.nullable(name))}, &a_{name})'))
            self.called.append(name)
        elif pointer == 'mjModel':
            self.model = name
            self.declared.append(f'mjModel* {name} = NULL;')
            self.converted.append((0, f'to_model({given}, {shown}, &{name})'))
            self.called.append(name)
        elif pointer == 'mjData':
            self.data = self.data or name
            self.declared.append(f'mjData* {name} = NULL;')
            self.converted.append((0.5, f'to_data({given}, {shown}, {self.model or "NULL"}, &{name})'))
            self.called.append(name)
        elif plain == 'mjCache*':
            self.declared.append(f'mjCache* {name} = NULL;')
            self.converted.append((0, f'to_cache({given}, {shown}, &{name})'))
            self.called.append(name)
        elif plain == 'char*' and constant:
            self.declared.append(f'const char* {name} = NULL;')
            self.converted.append((0, f'to_text({given}, {shown}, {int(self.nullable(name))}, &{name})'))
            self.called.append(name)
        elif plain in ('int', 'mjtByte', 'mjtObj', 'unsignedint', 'unsignedchar', 'mjtSize', 'size_t'):
            self.declared.append(f'long long {name} = 0;')
            small = plain in ('mjtByte', 'unsignedchar')
            limits = {'mjtSize': ('0', 'LLONG_MAX'), 'size_t': ('0', 'LLONG_MAX')}.get(plain, ('0', '255') if small else ('INT_MIN', 'INT_MAX'))
            self.converted.append((0, f'to_int({given}, {shown}, {limits[0]}, {limits[1]}, &{name})'))
            self.called.append({'mjtSize': name, 'size_t': f'(size_t){name}'}.get(plain, f'(int){name}'))
        elif plain in ('mjtNum', 'double', 'float'):
            self.declared.append(f'double {name} = 0;')
            self.converted.append((0, f'to_number({given}, {shown}, &{name})'))
            self.called.append(f'(float){name}' if plain == 'float' else name)
        elif plain == 'mjrRect':
            self.declared.append(f'mjrRect* {name} = NULL;')
            self.converted.append((0, f'to_struct({given}, {shown}, &desc_mjrRect, 0, (void**)&{name})'))
            self.called.append(f'*{name}')
        elif pointer and re.match(r'mj(v|r|Option|Visual|Contact|LROpt)', pointer) and plain.count('*') == 1:
            self.declared.append(f'{pointer}* {name} = NULL;')
            self.converted.append((0, f'to_struct({given}, {shown}, &desc_{pointer}, {int(self.nullable(name))}, (void**)&{name})'))
            self.called.append(name)
        else:
            raise Skip(f'type {item}')

    RESULTS = {'void': '', 'int': 'PyLong_FromLong(result)', 'mjtNum': 'PyFloat_FromDouble(result)',
               'double': 'PyFloat_FromDouble(result)', 'const char*': 'text_or_none(result)',
               'mjtSize': 'PyLong_FromLongLong(result)', 'size_t': 'PyLong_FromSize_t(result)',
               'mjtByte': 'PyLong_FromLong(result)', 'mjCache*': 'cache_object(result)',
               'mjrRect': 'struct_copy(&desc_mjrRect, &result)', 'mjvGLCamera': 'struct_copy(&desc_mjvGLCamera, &result)'}

    def text(self, blocking):
        row, name = self.row, self.row.name
        if row.type not in self.RESULTS:
            raise Skip(f'result {row.type}')
        n, names = len(self.names), ', '.join(f'"{x}"' for x in self.names) or 'NULL'
        out = [f'static PyObject* py_{name}(PyObject* self, PyObject* const* args_, Py_ssize_t nargs_, PyObject* kw_) {{',
               f'  static const char* const names_[] = {{{names}}};', f'  PyObject* o_[{max(n, 1)}];', '  (void)self;']
        out += ['  ' + d for d in self.declared]
        if row.type != 'void':
            out.append(f'  {row.type} result = {{0}};' if row.type.startswith('mj') and row.type not in ('mjtNum', 'mjtSize', 'mjtByte', 'mjCache*')
                       else f'  {row.type} result = 0;')
        out.append('  PyObject* out_ = NULL;')
        checks = [f'arguments("{name}", names_, {n}, {n}, args_, nargs_, kw_, o_)']
        checks += [text for _, text in sorted(self.converted, key=lambda c: c[0])]
        out.append('  if (' + ' ||\n      '.join(checks) + ') {\n    goto end;\n  }')
        for array, kind, dims in self.arrays:
            out.append(f'  {kind}* {array} = a_{array}.b.buf;')
        for r in self.rows('CF_DEDUCED'):
            value = re.sub(r'\b(rows|cols|length)\((\w+)\)', r'array_\1(&a_\2)', r.value)
            out.append(f'  {r.parameter} = {value};')
        tests = []
        expression = lambda e: re.sub(r'\blength\((\w+)\)', r'array_length(&a_\1)', e)
        for r in self.rows('CF_RANGE'):
            tests.append(f'check_range({quoted(python_name(r.parameter))}, {r.parameter}, {r.low}, {r.high})')
        for array, kind, dims in self.arrays:
            if dims:
                size, cols = '*'.join(f'({d})' for d in shape_of(dims)), '1'
            else:
                size, cols = (expression(e) for e in lengths()[name, array])
            tests.append(f'check_length(&a_{array}, {quoted(python_name(array))}, {size}, {cols})')
        for r in self.rows('CF_INDICES'):
            tests.append(f'check_indices(&a_{r.parameter}, {quoted(r.parameter)}, {expression(r.high)})')
        for r in self.rows('CF_SPARSE'):
            tests.append(f'check_sparse(&a_{r.rownnz}, &a_{r.rowadr}, &a_{r.colind}, {expression(r.nr)}, {expression(r.nc)}, {expression(r.room)})')
        if tests:
            out.append('  if (' + ' ||\n      '.join(tests) + ') {\n    goto end;\n  }')
        result = '' if row.type == 'void' else 'result = '
        out.append(f'  GUARD({int(blocking)}, {self.data or "NULL"}, {result}{name}({", ".join(self.called)}), goto end);')
        out.append(f'  out_ = {self.RESULTS[row.type] or "Py_NewRef(Py_None)"};')
        out.append('end:')
        for array, _, _ in self.arrays:
            out.append(f'  end_array(&a_{array});')
        out += ['  return out_;', '}', '']
        return out


def parameter_rows():
    extra = {}
    for r in tables.rows('parameters.def'):
        if r.kind != 'CF_BLOCKING':
            extra.setdefault(r.function, []).append(r)
    blocking = {f for r in tables.rows('parameters.def') if r.kind == 'CF_BLOCKING' for f in r.functions.split()}
    return extra, blocking


def skip_section(row):
    return row.name.startswith(('mjs_', 'mjui_', 'mjp_', 'mju_error', 'mju_warning_', 'mj_stackAlloc')) or row.name in {
        'mju_error', 'mju_warning', 'mj_markStack', 'mj_freeStack', 'mju_malloc', 'mju_free', 'mj_resetCallbacks',
        'mju_clearHandlers', 'mj_deleteModel', 'mj_deleteData', 'mjv_makeScene', 'mjv_freeScene', 'mjv_defaultScene',
        'mjr_defaultContext', 'mjr_makeContext', 'mjv_copyModel', 'mjv_copyData', 'mj_copyData', 'mj_copyModel', 'mj_freeLastXML',
        'mj_makeData', 'mj_recompile', 'mju_threadPoolDestroy', 'mju_bindThreadPool'}


def functions():
    """(row, names, text) for functions with a wrapper; (row, None, reason) for the others."""
    extra, blocking = parameter_rows()
    for row in tables.functions():
        if row.name in BY_HAND:
            yield row, BY_HAND[row.name], None
            continue
        try:
            if skip_section(row):
                raise Skip('has another form in Python')
            wrapper = Wrapper(row, extra)
            yield row, ', '.join(wrapper.names), wrapper.text(row.name in blocking)
        except Skip as reason:
            yield row, None, str(reason)


def write_functions(out):
    methods = []
    for row, names, text in functions():
        if names is None:
            continue
        out += text or []
        doc = quoted(f'{row.name}($module, {names})\n--\n\n{row.doc}'.replace('($module, )', '($module)'))
        methods.append(f'  {{"{row.name}", (PyCFunction)(void (*)(void))py_{row.name}, METH_FASTCALL | METH_KEYWORDS, {doc}}},')
    out.append('static PyMethodDef generated_methods[] = {')
    out += methods + ['  {NULL, NULL, 0, NULL}', '};']


def main(arguments):
    if arguments == ['--skipped']:
        for row, names, reason in functions():
            if names is None:
                print(f'{row.name:32} {reason}')
        return
    parts = {'tables': (write_structs, write_arrays, write_enums), 'functions': (write_functions,)}
    for part, writers in parts.items():
        out = ['// Generated by tools/gen_python.py from src/tables.']
        for writer in writers:
            writer(out)
        with open(f'{arguments[0]}/python_{part}.h', 'w', encoding='utf-8') as f:
            f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main(sys.argv[1:])
