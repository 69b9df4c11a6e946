"""Every header compiles alone, and twice in one unit; the C header compiles as C."""

import concurrent.futures
import os
import shutil
import subprocess

from . import tree as trees


def check(tree):
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return ["no C++ compiler to compile the headers with"]
    # Foreign adapters need those engines' headers; the bench build covers them.
    work = [(path, language) for path in tree.headers if not trees.is_foreign(path)
            for language in (("c++", "c") if path == "include/ashlar/ashlar.h" else ("c++",))]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = pool.map(lambda item: compile_alone(tree, compiler, *item), work)
    return [problem for problem in results if problem]


def compile_alone(tree, compiler, path, language):
    standard = "-std=c++20" if language == "c++" else "-std=c11"
    folders = ["src", "include", path.split("/")[0]]
    command = [compiler, standard, "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               *(f"-I{tree.root / folder}" for folder in folders), "-"]
    unit = f'#include "{tree.root / path}"\n' * 2 + "extern int unit_is_not_empty;\n"
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
    return f"{path}: does not compile alone as {language}: {first}"
