"""The files of the project, their includes, and the folder that each belongs to."""

import pathlib
import re

CODE_ROOTS = ("include", "src", "cli", "bench", "tests", "examples")
SOURCE_SUFFIXES = (".cc", ".cpp", ".c")
HEADER_SUFFIXES = (".h", ".hpp")
# Build trees and the dependencies that a package manager fetched; never ours.
SKIPPED_FOLDERS = {"build", ".git", ".cache", "target", "node_modules", "__pycache__"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<][^">]+[">])', re.MULTILINE)


class Tree:
    """Reads the project once. Paths are text relative to the root, with forward slashes."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = sorted(self._walk(self.root))
        self.texts = {}
        self.code = [f for f in self.files if self._is_code(f)]
        self.sources = [f for f in self.code if f.endswith(SOURCE_SUFFIXES)]
        self.headers = [f for f in self.code if f.endswith(HEADER_SUFFIXES)]

    def _walk(self, folder):
        for path in folder.iterdir():
            if path.is_symlink():
                continue
            if path.is_dir():
                if path.name not in SKIPPED_FOLDERS:
                    yield from self._walk(path)
            else:
                yield path.relative_to(self.root).as_posix()

    @staticmethod
    def _is_code(path):
        return path.split("/")[0] in CODE_ROOTS and path.endswith(SOURCE_SUFFIXES + HEADER_SUFFIXES)

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_bytes().decode("utf-8", errors="replace")
        return self.texts[path]

    def exists(self, path):
        return (self.root / path).is_file()

    def includes(self, path):
        """The includes of a file as written, with their quotes or angle brackets."""
        return INCLUDE.findall(self.text(path))

    def resolve(self, path, include):
        """The project file that an include names, or None when it is not ours."""
        name = include[1:-1]
        beside = f"{path.rsplit('/', 1)[0]}/{name}"
        top = path.split("/")[0]
        candidates = [f"src/{name}", f"include/{name}", f"{top}/{name}", name]
        if include[0] == '"':
            candidates.insert(0, beside)
        for candidate in candidates:
            normal = _normalized(candidate)
            if normal is not None and self.exists(normal):
                return normal
        return None

    def table(self, path):
        """The lines of one of tools/'s tables, without comments and blank lines."""
        if not self.exists(path):
            return []
        lines = (line.split("#")[0].strip() for line in self.text(path).splitlines())
        return [line for line in lines if line]


def is_test(path):
    """Tests and their kin beside the code, which may use anything."""
    return path.endswith(("_test.cc", "_test.h", "_fuzz.cc", "_bench.cc"))


def is_foreign(path):
    """Adapters of other engines, which follow those engines' ways of naming and including."""
    return path.startswith("bench/peers/")


def _normalized(path):
    parts = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
