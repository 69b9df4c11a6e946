"""Headers and functions that only some folders of src/ may reach for: tools/HEADERS."""

import fnmatch
import re

from . import layers, tree as trees

TABLE = "tools/HEADERS"


def check(tree):
    allowed_folders, _ = layers.read_table(tree)
    rows = [line.split() for line in tree.table(TABLE)]
    problems = [] if rows else [f"{TABLE}: missing or empty"]
    for path in tree.code:
        if path.startswith("src/") and not trees.is_test(path):
            own = layers.folder_of(path, allowed_folders)
            reached = tree.includes(path) + calls(tree.text(path))
            problems += [f"{path}: {found} belongs to {'nobody' if where == ['-'] else ' '.join(where)}"
                         for pattern, *where in rows if own not in where and path[len("src/"):] not in where
                         for found in sorted(set(fnmatch.filter(reached, pattern)))]
    return problems


def calls(text):
    """The free functions that are called, as "name()", whether or not they are written with std::."""
    code = re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', "", text)
    return [name + "()" for name in re.findall(r"(?<![\w.>:])(?:std::|::)?([a-z_]+)\(", code)]
