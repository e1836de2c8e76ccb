"""Where the rooms of src are: a room is a folder of one topic, in src itself or in one of its houses."""
import os

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
HOUSES = ('engine', 'modeling', 'show', 'worlds')


def rooms():
    """{room: its folder, from the root of the project}"""
    found = {}
    for house in ('', *HOUSES):
        parent = os.path.join(ROOT, 'src', house)
        for name in sorted(os.listdir(parent)):
            if name not in HOUSES and os.path.isdir(os.path.join(parent, name)):
                found[name] = '/'.join(part for part in ('src', house, name) if part)
    return found


def room(path):
    """The room of a file, whose path is relative to the root of the project, to src or to a house."""
    parts = path.replace(os.sep, '/').split('/')
    while parts and parts[0] in ('src', *HOUSES):
        parts = parts[1:]
    return parts[0] if parts else ''


def strip(path):
    """The path of a file of src as includes write it: from its room on."""
    parts = path.replace(os.sep, '/').split('/')
    while parts and parts[0] in ('src', *HOUSES):
        parts = parts[1:]
    return '/'.join(parts)
