"""File names, words and characters: names that say nothing, friends, disabled tests, dead code, non-ASCII text."""

import fnmatch
import re

from . import tree as trees

EMPTY_NAMES = ("util", "utils", "helper", "helpers", "common", "manager", "misc")
SNAKE_CASE = re.compile(r"^[a-z][a-z0-9_]*\.[a-z]+$")

# Text that holds other scripts on purpose.
NON_ASCII_ALLOWED = ("tests/sql/*",)
TEXT_SUFFIXES = (".md", ".txt", ".py", ".cmake", ".json", ".rs", ".toml", ".sh")

# A statement one blank behind the slashes. Examples in comments are indented further and stay.
DEAD_CODE = re.compile(
    r"^\s*// ?("
    r"#\s*(include|define|if|ifdef|endif)\b.*"
    r"|return\b[^.]*;"
    r"|(if|for|while|switch) \(.*\) ?\{"
    r"|(const |auto |int |size_t |std::)[\w:<>*& ,]*=.*;"
    r"|[\w.]+(->|\.|::)?\w+\([^ ]*\);"
    r"|(EXPECT|ASSERT)_\w+\(.*"
    r"|\} ?(else ?\{)?"
    r")$")


def check(tree):
    problems = []
    for path in tree.files:
        if path in tree.code or path.endswith(TEXT_SUFFIXES):
            problems += characters(tree, path)
    for path in tree.code:
        problems += name(path)
        problems += lines(tree, path)
        problems += namespaces(tree, path)
        # The C header has a guard of its own: C knows no other standard way.
        once = "#pragma once" in tree.text(path) or path == "include/ashlar/ashlar.h" or trees.is_foreign(path)
        if path in tree.headers and not once:
            problems.append(f"{path}: no #pragma once")
    return problems


def name(path):
    last = path.rsplit("/", 1)[-1]
    problems = [] if SNAKE_CASE.match(last) else [f"{path}: file names are snake_case"]
    parts = re.split(r"[/_.]", path)
    return problems + [f"{path}: '{word}' says nothing about what is inside" for word in EMPTY_NAMES if word in parts]


def lines(tree, path):
    problems = []
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        code = line.split("//")[0]
        if path.startswith("src/") and re.search(r"\bfriend\b", code):
            problems.append(f"{path}:{number}: friend")
        if re.search(r"\b(DISABLED_|TEST_?P?\(.*DISABLED)", code):
            problems.append(f"{path}:{number}: a disabled test")
        if DEAD_CODE.match(line):
            problems.append(f"{path}:{number}: commented-out code: {line.strip()}")
        if code.rstrip() != code and not line.split("//")[1:]:
            problems.append(f"{path}:{number}: blanks at the end of the line")
    return problems


def namespaces(tree, path):
    """Each folder of src/ has one namespace; base is the root one, whose names everybody speaks."""
    if not path.startswith("src/"):
        return []
    folder = path.split("/")[1]
    opened = re.findall(r"^namespace (ashlar[\w:]*)", tree.text(path), re.MULTILINE)
    wanted = "ashlar" if folder == "base" else f"ashlar::{folder}"
    problems = [f"{path}: opens namespace {n}, lives in {wanted}" for n in sorted(set(opened))
                if n != wanted and not n.startswith(wanted + "::")]
    if path in tree.headers and re.search(r"^using namespace\b", tree.text(path), re.MULTILINE):
        problems.append(f"{path}: using namespace in a header")
    return problems


def characters(tree, path):
    if any(fnmatch.fnmatchcase(path, pattern) for pattern in NON_ASCII_ALLOWED):
        return []
    text = tree.text(path)
    if text.isascii():
        return []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.isascii():
            odd = next(c for c in line if not c.isascii())
            return [f"{path}:{number}: not ASCII: U+{ord(odd):04X}"]
    return []
