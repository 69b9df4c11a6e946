"""The documents tell the truth about commands and links: `./dev x`, `ashlar x` and relative links exist."""

import re

DEV_COMMAND = re.compile(r"\./dev ([a-z][\w-]*)")
TOOL_COMMAND = re.compile(r"(?:^|`|\$ |/)ashlar ([a-z][\w-]*)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


def check(tree):
    dev_commands = case_labels(tree.text("dev")) if tree.exists("dev") else set()
    tool_commands = subcommands(tree)
    problems = []
    for path in documents(tree):
        text = tree.text(path)
        code = "\n".join(CODE.findall(text)) if path.endswith(".md") else text
        problems += [f"{path}: ./dev has no command {c}" for c in sorted(set(DEV_COMMAND.findall(code)) - dev_commands)]
        # The format documents quote words of the files themselves, which begin with the product's name as well.
        if tool_commands and not path.startswith("docs/FORMAT"):
            spoken = set(TOOL_COMMAND.findall(code))
            problems += [f"{path}: ashlar has no command {c}" for c in sorted(spoken - tool_commands)]
        if path.endswith(".md"):
            problems += dead_links(tree, path, text)
    return problems


def documents(tree):
    return [p for p in tree.files if p == "README.md" or p == ".ci/run" or p.startswith("docs/") and p.endswith(".md")]


def case_labels(script):
    """The commands that main() of the dev script answers to."""
    labels = set()
    inside = False
    for line in script.splitlines():
        if line.strip() == "case $command in":
            inside = True
        elif inside and line.strip() == "esac":
            break
        elif inside and (match := re.match(r"^    ([a-z |-]+)\)", line)):
            labels |= {label.strip() for label in match.group(1).split("|")}
    return labels


def subcommands(tree):
    """What the command line tool registers, from its sources."""
    text = "\n".join(tree.text(path) for path in tree.code if path.startswith("cli/"))
    return set(re.findall(r'add_subcommand\(\s*"([a-z][\w-]*)"', text))


def dead_links(tree, path, text):
    folder = path.rsplit("/", 1)[0] if "/" in path else ""
    problems = []
    for target in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if re.match(r"[a-z]+:", target):
            continue
        if not (tree.root / folder / target).exists():
            problems.append(f"{path}: link to {target}, which does not exist")
    return problems
