#!/usr/bin/env python3
"""Run the program with counters and put what it counted beside the objects that are compiled with it.

  train.py PROGRAM MODELS COUNTED OBJECTS DONE     DONE: a file that lists the counts
  train.py PROGRAM MODELS COUNTED OBJECTS          count once more: 1 where anything differs

PROGRAM   steps the models that it is given (train.c)
MODELS    folder of models, with those in its folders
COUNTED   folder of the objects with counters, where the program would write counts as FILE.c.gcda
OBJECTS   folder of the objects of the library, with the same tree
"""
import filecmp, glob, os, shutil, subprocess, sys, tempfile


def count(program, models, folder):
    """Counts of a run that starts with none, in a folder of their own."""
    lessons = sorted(glob.glob(os.path.join(models, '*.xml')) + glob.glob(os.path.join(models, '*', '*.xml')))
    subprocess.run([program, *lessons], check=True, stdout=subprocess.DEVNULL, env={**os.environ, 'GCOV_PREFIX': folder})


def main():
    program, models, counted, objects = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        count(program, models, folder)
        root = folder + os.path.realpath(counted)
        names = sorted(os.path.relpath(file, root) for file in glob.glob(os.path.join(root, '**', '*.gcda'), recursive=True))
        if not names:
            sys.exit('train.py: nothing was counted')
        if len(sys.argv) == 5:
            other = [name for name in names if not filecmp.cmp(os.path.join(root, name), os.path.join(objects, name), shallow=False)]
            print(f'{len(names)} files counted again, {len(other)} with other counts', *other)
            return 1 if other else 0
        for name in names:
            os.makedirs(os.path.dirname(os.path.join(objects, name)), exist_ok=True)
            shutil.copy(os.path.join(root, name), os.path.join(objects, name))
    with open(sys.argv[5], 'w') as f:
        f.writelines(name + '\n' for name in names)
    return 0


if __name__ == '__main__':
    sys.exit(main())
