#!/usr/bin/env python3
"""Run the program with counters and put what it counted, widened (ways.py), beside the objects that are compiled with it.

  train.py PROGRAM MODELS COUNTED OBJECTS DONE     DONE: a file that lists the counts
  train.py PROGRAM MODELS COUNTED OBJECTS          count once more: 1 where anything differs

PROGRAM   steps the models that it is given (train.c)
MODELS    folder of models, with those in its folders
COUNTED   folder of the objects with counters, where the program would write counts as FILE.c.gcda; gcc's notes about
          them lie there as FILE.c.gcno
OBJECTS   folder of the objects of the library, with the same tree
"""
import glob, os, subprocess, sys, tempfile

from ways import widen


def count(program, models, folder):
    """Counts of a run that starts with none, in a folder of their own."""
    lessons = sorted(glob.glob(os.path.join(models, '*.xml')) + glob.glob(os.path.join(models, '*', '*.xml')))
    subprocess.run([program, *lessons], check=True, stdout=subprocess.DEVNULL, env={**os.environ, 'GCOV_PREFIX': folder})


def read(*path):
    with open(os.path.join(*path), 'rb') as f:
        return f.read()


def main():
    program, models, counted, objects = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        count(program, models, folder)
        root = folder + os.path.realpath(counted)
        names = sorted(os.path.relpath(file, root) for file in glob.glob(os.path.join(root, '**', '*.gcda'), recursive=True))
        if not names:
            sys.exit('train.py: nothing was counted')
        counts = {name: widen(read(counted, name[:-len('gcda')] + 'gcno'), read(root, name)) for name in names}
        if len(sys.argv) == 5:
            other = [name for name in names if counts[name] != read(objects, name)]
            print(f'{len(names)} files counted again, {len(other)} with other counts', *other)
            return 1 if other else 0
        for name in names:
            os.makedirs(os.path.dirname(os.path.join(objects, name)), exist_ok=True)
            with open(os.path.join(objects, name), 'wb') as f:
                f.write(counts[name])
    with open(sys.argv[5], 'w') as f:
        f.writelines(name + '\n' for name in names)
    return 0


if __name__ == '__main__':
    sys.exit(main())
