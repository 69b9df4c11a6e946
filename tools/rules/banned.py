"""Headers that only some folders may include: tools/HEADERS."""

import fnmatch

from . import layers, tree as trees

TABLE = "tools/HEADERS"


def check(tree):
    allowed_folders, _ = layers.read_table(tree)
    rules = []
    for line in tree.table(TABLE):
        pattern, *where = line.split()
        rules.append((pattern, where))
    problems = [] if rules else [f"{TABLE}: missing or empty"]
    for path in tree.code:
        if not path.startswith("src/") or trees.is_test(path):
            continue
        own = layers.folder_of(path, allowed_folders)
        for include in tree.includes(path):
            if include[0] != "<":
                continue
            for pattern, where in rules:
                if fnmatch.fnmatchcase(include, pattern) and own not in where and path[len("src/"):] not in where:
                    problems.append(f"{path}: {include} belongs to {' '.join(where) if where != ['-'] else 'nobody'}")
    return problems
