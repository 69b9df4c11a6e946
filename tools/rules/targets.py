"""Every source is named by a CMakeLists.txt, every header is included by someone."""

import re

from . import tree as trees

WORD = re.compile(r"[^\s()\"]+")


def check(tree):
    named = set()
    for path in tree.files:
        if path.rsplit("/", 1)[-1] == "CMakeLists.txt":
            named |= set(words_of(tree, path))
    problems = [f"{path}: no CMakeLists.txt names it" for path in tree.sources if path not in named]

    included = {tree.resolve(path, include) for path in tree.code for include in tree.includes(path)}
    problems += [f"{path}: nothing includes it" for path in tree.headers
                 if path not in included and path not in named
                 and not path.startswith("include/") and not trees.is_foreign(path)]

    # A test file among SOURCES would be compiled and never run.
    problems += [f"{cmake}: {test} stands among SOURCES" for cmake in tree.files
                 if cmake.startswith("src/") and cmake.endswith("CMakeLists.txt")
                 for test in misplaced_tests(tree.text(cmake))]
    return problems


def words_of(tree, cmake):
    """The paths, relative to the root, of every word in a CMake file that could be one."""
    folder = cmake.rsplit("/", 1)[0] + "/" if "/" in cmake else ""
    for line in tree.text(cmake).splitlines():
        for word in WORD.findall(line.split("#")[0]):
            if word.startswith("${PROJECT_SOURCE_DIR}/"):
                yield word[len("${PROJECT_SOURCE_DIR}/"):]
            else:
                yield folder + word.removeprefix("${CMAKE_CURRENT_SOURCE_DIR}/")


def misplaced_tests(text):
    keyword = ""
    for word in WORD.findall("\n".join(line.split("#")[0] for line in text.splitlines())):
        if word.isupper():
            keyword = word
        elif keyword == "SOURCES" and word.endswith(("_test.cc", "_fuzz.cc")) and "ashlar_module" in text:
            yield word
