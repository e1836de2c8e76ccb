#!/usr/bin/env python3
"""Compile the models of tests/data/mjb with MuJoCo 3.5.0 and store them as binary files beside their source.

  record_mjb.py [FOLDER]     needs the mujoco==3.5.0 package
"""
import glob
import os
import sys

import mujoco


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), '..', 'tests', 'data', 'mjb')
    if mujoco.__version__ != '3.5.0':
        sys.exit('record_mjb.py: needs mujoco 3.5.0')
    for source in sorted(glob.glob(os.path.join(folder, '*.xml'))):
        model = mujoco.MjModel.from_xml_path(source)
        target = source[:-4] + '.mjb'
        mujoco.mj_saveModel(model, target, None)
        print(f'{os.path.basename(target)}: {os.path.getsize(target)} bytes')


if __name__ == '__main__':
    main()
