"""How long files and functions are, and how many tests there are."""

import re

MAX_LINES = 400
TABLE = "tools/LONG_FILES"

TEST_CASE = re.compile(r"^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(", re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
NOT_A_FUNCTION = re.compile(r"^\s*(if|for|while|switch|catch|do|else|namespace|class|struct|union|enum|extern)\b")


def check(tree):
    limits = {}
    problems = []
    for line in tree.table(TABLE):
        path, limit, *reason = line.split(None, 2)
        limits[path] = int(limit)
        if not reason:
            problems.append(f"{TABLE}: {path} has no reason")
        if path not in tree.code:
            problems.append(f"{TABLE}: {path} does not exist")
    for path in tree.code:
        limit = limits.get(path, MAX_LINES)
        count = line_count(tree, path)
        if count > limit:
            problems.append(f"{path}: {count} lines, limit {limit}")
    return problems


def report(tree):
    if not tree.code:
        return "no code"
    per_folder = {}
    for path in tree.code:
        parts = path.split("/")
        folder = "/".join(parts[:2]) if parts[0] == "src" else parts[0]
        kind = 1 if path.endswith(("_test.cc", "_fuzz.cc", "_bench.cc")) or parts[0] == "tests" else 0
        per_folder.setdefault(folder, [0, 0])[kind] += line_count(tree, path)
    rows = [f"  {folder:<16}{code:>8}{tests:>8}" for folder, (code, tests) in sorted(per_folder.items())]
    code_total, test_total = (sum(v[i] for v in per_folder.values()) for i in (0, 1))
    longest = max(tree.code, key=lambda p: line_count(tree, p))
    length, where, start = max(function for path in tree.code for function in functions(tree, path))
    cases = sum(len(TEST_CASE.findall(tree.text(path))) for path in tree.code)
    return "\n".join(
        [f"  {'lines':<16}{'code':>8}{'tests':>8}"] + rows + [f"  {'all':<16}{code_total:>8}{test_total:>8}",
         f"longest file: {longest}, {line_count(tree, longest)} lines",
         f"longest function: {where}:{start}, {length} lines",
         f"test cases: {cases}"])


def line_count(tree, path):
    return tree.text(path).count("\n")


def functions(tree, path):
    """(lines, path, first line) of each outermost function body; (0, path, 1) so that a file without one counts."""
    text = NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), tree.text(path))
    text = re.sub(r"^[ \t]*#.*(\\\n.*)*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.MULTILINE)
    yield 0, path, 1
    header_start, stack = 0, []
    for position, c in enumerate(text):
        if c == "{":
            header = text[header_start:position].strip()
            inside_function = any(is_function for is_function, _ in stack)
            is_function = not inside_function and "(" in header and not NOT_A_FUNCTION.match(header)
            stack.append((is_function, header_start + len(text[header_start:position]) -
                          len(text[header_start:position].lstrip())))
        elif c == "}" and stack:
            is_function, start = stack.pop()
            if is_function:
                first = text.count("\n", 0, start) + 1
                yield text.count("\n", 0, position) + 2 - first, path, first
        if c in "{};":
            header_start = position + 1
