"""The include graph: every edge is allowed by tools/LAYERS, and neither folders nor files form a cycle."""

from . import tree as trees

TABLE = "tools/LAYERS"


def check(tree):
    allowed, problems = read_table(tree)
    problems += [f"{TABLE}: cycle {' -> '.join(c)}" for c in cycles(
        {f: [g for g in may if g != "*"] for f, may in allowed.items() if "*" not in may})]
    file_edges = {}
    for path in tree.code:
        own = folder_of(path, allowed)
        if own is None:
            problems.append(f"{path}: no folder of {TABLE} covers it")
            continue
        for include in tree.includes(path):
            target = tree.resolve(path, include)
            if target is not None:
                file_edges.setdefault(path, []).append(target)
            problems += check_edge(path, own, include, target, allowed)
    problems += [f"include cycle: {' -> '.join(c)}" for c in cycles(file_edges)]
    return problems


def read_table(tree):
    """{folder: the folders it may include}, and what is wrong with the table itself."""
    allowed, problems = {}, []
    for line in tree.table(TABLE):
        folder, _, rest = line.partition(":")
        allowed[folder.strip()] = rest.split()
    for folder, may in allowed.items():
        problems += [f"{TABLE}: {folder} names {m}, which has no line" for m in may if m != "*" and m not in allowed]
    if not allowed:
        problems.append(f"{TABLE}: missing or empty")
    return allowed, problems


def folder_of(path, allowed):
    """The most specific folder of the table that a file lies in."""
    inner = path[len("src/"):] if path.startswith("src/") else path
    parts = inner.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        if name in allowed:
            return name
    return None


def check_edge(path, own, include, target, allowed):
    if target is None:
        # A quoted include that is not ours hides a misspelt one; another library's header takes angle brackets.
        ours = include[0] == '"' and not trees.is_foreign(path)
        return [f"{path}: {include} is no file of the project"] if ours else []
    if path.startswith("src/") and target.startswith("src/") and include != f'"{target[len("src/"):]}"':
        return [f"{path}: write #include \"{target[len('src/'):]}\" instead of {include}"]
    other = folder_of(target, allowed)
    problems = []
    if target.rsplit(".", 1)[0].endswith("_internal") and target.rsplit("/", 1)[0] != path.rsplit("/", 1)[0]:
        problems.append(f"{path}: {target} is internal to its folder")
    free = trees.is_test(path) or "*" in allowed[own]
    if not free and other != own and other not in allowed[own]:
        problems.append(f"{path}: {own} may not include {other} ({include})")
    return problems


def cycles(graph):
    """One representative of each cycle, as the list of its nodes with the first one repeated at the end."""
    found, done, on_path = [], set(), []

    def visit(node):
        if node in on_path:
            found.append(on_path[on_path.index(node):] + [node])
            return
        if node in done:
            return
        on_path.append(node)
        for following in graph.get(node, ()):
            visit(following)
        on_path.pop()
        done.add(node)

    for node in list(graph):
        visit(node)
    return found
