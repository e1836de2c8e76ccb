#!/usr/bin/env python3
"""What the choice of flex models costs: instructions of the passive forces with it and without it.

  flex_overhead.py BUILD [MODEL ...]

Two libraries are linked from the objects of BUILD (an ordinary build without LTO): one with src/engine/flex/forces.c as it is,
one in which it calls MuJoCo's models by name, without a table and without a choice.  Callgrind counts the instructions
of mj_passive in both.  Exit code 1 if a model of bending and elasticity costs more than one percent (criterion 8 of
42B).  Needs valgrind.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
MODELS = ['tests/data/flex/sheet.xml', 'tests/data/flex/cube.xml']
PARTS = ['cotangent', 'linear', 'forces']  # one unit, so that both variants may inline what they like
LIMIT = 0.01

DRIVER = '''
#include <mujoco/mujoco.h>
#include <stdio.h>
int main(int argc, char** argv) {
  char error[500] = "";
  mjModel* m = mj_loadXML(argv[argc - 1], NULL, error, sizeof(error));
  if (!m) return printf("%s\\n", error), 1;
  mjData* d = mj_makeData(m);
  for (int i = 0; i < m->nq; i++) d->qpos[i] += 0.001 * (i % 7 - 3);
  mj_fwdPosition(m, d);
  for (int i = 0; i < 50; i++) mj_passive(m, d);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
'''

# what forces.c says, and what it says without a choice
DIRECT = [
    ('  const cfFlexUse bending = cfi_flexBending(m, f), elasticity = cfi_flexElasticity(m, f);\n', ''),
    ('bends = bending.model->acts(m, f), stretches = elasticity.model->acts(m, f);',
     'bends = bendsCotangent(m, f), stretches = isElastic(m, f);'),
    ('addModel(view, bending, has_spring, has_damper)', 'addBending(view, has_spring, has_damper)'),
    ('addModel(view, elasticity, has_spring, has_damper)', 'addElasticity(view, has_spring, has_damper)'),
]


def direct(text):
    """forces.c that calls MuJoCo's models by name"""
    model = re.search(r'^// forces of one model on all dofs\n(static void addModel\(.*?^}\n)', text, re.M | re.S)[1]
    copies = ''
    for name, function, spread in (('addBending', 'addCotangent', 'CF_SPREAD_TRANSLATION'),
                                   ('addElasticity', 'addLinear', 'CF_SPREAD_CHAIN')):
        copy = model.replace('addModel', name).replace(', cfFlexUse use', '').replace('use.model->addForces', function)
        copies += copy.replace('use.model->spread', spread).replace('  view.constant = use.constant;\n', '')
    if 'use' in re.findall(r'\w+', copies):
        sys.exit('flex_overhead: addModel in src/engine/flex/forces.c has changed; bring this script up to date')
    text = text.replace(model, copies)
    for old, new in DIRECT:
        if old not in text:
            sys.exit(f'flex_overhead: src/engine/flex/forces.c has no {old.strip()!r}; bring this script up to date')
        text = text.replace(old, new)
    return text


def ninja(build, target):
    """the variables with which ninja makes a target"""
    with open(os.path.join(build, 'build.ninja'), encoding='utf8') as f:
        block = re.search(rf'^build {re.escape(target)}[.\d]*: C_.*?\n((?:  .*\n)+)', f.read(), re.M)[1]
    return dict(re.findall(r'^  (\w+) = (.*)$', block, re.M))


def library(build, folder, name, change):
    """a shared library with the parts as one unit"""
    unit = os.path.join(folder, name + '.c')
    with open(unit, 'w', encoding='utf8') as f:
        for part in PARTS:
            text = open(os.path.join(ROOT, 'src', 'engine', 'flex', part + '.c'), encoding='utf8').read()
            f.write(change(text) if part == 'forces' else text)
    how = ninja(build, 'CMakeFiles/cf_objects.dir/src/engine/flex/forces.c.o')
    flags = f'{how.get("DEFINES", "")} {how["INCLUDES"]} {how["FLAGS"]}'.split()
    objects = sorted(glob.glob(os.path.join(build, 'CMakeFiles', 'cf_objects.dir', '**', '*.o'), recursive=True))
    objects = [o for o in objects if not o.endswith(tuple(f'/src/engine/flex/{part}.c.o' for part in PARTS))]
    links = ninja(build, 'libcortenforge.so').get('LINK_LIBRARIES', '').split()
    links = [word for word in links if not word.endswith('.o')]
    out = os.path.join(folder, f'lib{name}.so')
    subprocess.run(['cc', *flags, '-Wno-error', '-c', unit, '-o', unit[:-2] + '.o'], cwd=build, check=True)
    subprocess.run(['cc', '-shared', '-o', out, unit[:-2] + '.o', *objects, *links], cwd=build, check=True)
    return out


def count(folder, driver, lib, model):
    """instructions of mj_passive"""
    os.makedirs(os.path.join(folder, 'lib'), exist_ok=True)
    place = os.path.join(folder, 'lib', 'libcortenforge.so')
    if os.path.lexists(place):
        os.unlink(place)
    os.symlink(lib, place)
    text = subprocess.run(['valgrind', '--tool=callgrind', '--toggle-collect=mj_passive', '--callgrind-out-file=/dev/null',
                           driver, os.path.join(ROOT, model)], capture_output=True, text=True, check=True,
                          env={**os.environ, 'LD_LIBRARY_PATH': os.path.dirname(place)}).stderr
    return int(re.search(r'Collected : (\d+)', text)[1])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build, models = os.path.abspath(sys.argv[1]), sys.argv[2:] or MODELS
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        libraries = [library(build, folder, 'chosen', lambda text: text), library(build, folder, 'direct', direct)]
        driver, source = os.path.join(folder, 'driver'), os.path.join(folder, 'driver.c')
        with open(source, 'w', encoding='utf8') as f:
            f.write(DRIVER)
        os.makedirs(os.path.join(folder, 'lib'))
        os.symlink(libraries[0], os.path.join(folder, 'lib', 'libcortenforge.so'))
        subprocess.run(['cc', '-O2', '-I', os.path.join(ROOT, 'include'), source, '-o', driver,
                        '-L', os.path.join(folder, 'lib'), '-lcortenforge', '-lm'], check=True)
        for model in models:
            chosen, plain = (count(folder, driver, lib, model) for lib in libraries)
            worst = max(worst, chosen / plain - 1)
            print(f'{model}: {chosen} instructions with a choice, {plain} called directly, {100 * (chosen / plain - 1):+.3f} %')
    return 1 if worst > LIMIT else 0


if __name__ == '__main__':
    sys.exit(main())
