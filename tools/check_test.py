#!/usr/bin/env python3
"""tools/check on small trees: a sound one passes, and each planted fault is found. Run by ctest."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

CHECK = pathlib.Path(__file__).resolve().parent / "check"

SOUND = {
    "tools/LAYERS": "include:\nbase:\nio: base\nkv: base\ncli: include\ntests: *\n",
    "tools/HEADERS": "<iostream> -\n<sys/*> io\nprintf() -\n",
    "dev": 'case $command in\n    setup)\n    test) x ;;\n    esac\n',
    "README.md": "Run `./dev test`, then `ashlar put`. See [the map](docs/MAP.md).\n",
    "docs/MAP.md": "The map.\n",
    "include/ashlar/ashlar.h": "#ifndef A\n#define A\n#endif\n",
    "src/base/CMakeLists.txt": "ashlar_module(NAME base SOURCES status.cc TESTS status_test.cc)\n",
    "src/base/status.h": "#pragma once\n#include <string>\nnamespace ashlar {\n// Asks; it holds.\nint ask();\n}\n",
    "src/base/status.cc": '#include "base/status.h"\nnamespace ashlar {\nint ask() { return 1; }\n}\n',
    "src/base/status_test.cc": '#include "base/status.h"\nTEST(Status, Asks) {}\n',
    "src/io/CMakeLists.txt": "ashlar_module(NAME io DEPS base SOURCES file.cc)\n",
    "src/io/file.h": '#pragma once\n#include "base/status.h"\nnamespace ashlar::io {\nint file();\n}\n',
    "src/io/file.cc": '#include <sys/stat.h>\n#include "io/file.h"\nnamespace ashlar::io {\n}\n',
    "src/kv/CMakeLists.txt": "ashlar_module(NAME kv DEPS base SOURCES key.cc)\n",
    "src/kv/key.cc": '#include "base/status.h"\nnamespace ashlar::kv {\n}\n',
    "cli/CMakeLists.txt": "add_executable(ashlar_cli main.cc)\n",
    "cli/main.cc": '#include <ashlar/ashlar.h>\nint main() { app.add_subcommand("put"); }\n',
}


def run(changes, options=("--fast",)):
    """The exit code and output of tools/check on the sound tree with `changes` (path to text; None removes)."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **changes}.items():
            if text is not None:
                target = pathlib.Path(root, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECK, *options, "--root", root], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr


class CheckTest(unittest.TestCase):
    def assert_sound(self, changes, options=("--fast",)):
        code, output = run(changes, options)
        self.assertEqual(code, 0, output)
        self.assertIn("0 problems", output)

    def assert_found(self, changes, *expected, options=("--fast",)):
        code, output = run(changes, options)
        self.assertEqual(code, 1, output)
        for text in expected:
            self.assertIn(text, output)

    def test_sound_tree(self):
        self.assert_sound({})
        self.assert_sound({}, options=())

    def test_cycle_of_files(self):
        self.assert_found({"src/io/file.h": '#pragma once\n#include "io/name.h"\n',
                           "src/io/name.h": '#pragma once\n#include "io/file.h"\n'},
                          "include cycle: src/io/file.h -> src/io/name.h -> src/io/file.h")

    def test_cycle_of_folders_in_the_table(self):
        self.assert_found({"tools/LAYERS": SOUND["tools/LAYERS"].replace("base:", "base: io")},
                          "tools/LAYERS: cycle base -> io -> base")

    def test_folder_that_may_not_be_included(self):
        self.assert_found({"src/kv/key.cc": '#include "io/file.h"\n'}, 'kv may not include io ("io/file.h")')
        self.assert_found({"cli/main.cc": '#include "../src/io/file.h"\nint main() { add_subcommand("put"); }\n'},
                          "cli may not include io")

    def test_folder_without_a_layer(self):
        self.assert_found({"src/sql/CMakeLists.txt": "ashlar_module(NAME sql SOURCES a.cc)\n",
                           "src/sql/a.cc": "\n"}, "src/sql/a.cc: no folder of tools/LAYERS covers it")

    def test_include_not_written_from_src(self):
        self.assert_found({"src/io/file.cc": '#include "file.h"\n'}, 'write #include "io/file.h"')

    def test_internal_header_of_another_folder(self):
        self.assert_found({"src/base/bits_internal.h": "#pragma once\n",
                           "src/io/file.cc": '#include "base/bits_internal.h"\n'}, "is internal to its folder")

    def test_forbidden_header(self):
        self.assert_found({"src/kv/key.cc": "#include <sys/mman.h>\n"}, "src/kv/key.cc: <sys/mman.h> belongs to io")
        self.assert_found({"src/io/file.cc": "#include <iostream>\n"}, "<iostream> belongs to nobody")

    def test_forbidden_function(self):
        for call in ("printf(text);", "std::printf(text);", "::printf(text);"):
            self.assert_found({"src/kv/key.cc": f"int a = {call}\n"}, "src/kv/key.cc: printf() belongs to nobody")
        for call in ("snprintf(text);", "log.printf(text);", "log->printf(text);", 'f("printf()");  // printf()'):
            self.assert_sound({"src/kv/key.cc": f"int a = {call}\n"})

    def test_unbuilt_source(self):
        self.assert_found({"src/io/lost_test.cc": "\n"}, "src/io/lost_test.cc: no CMakeLists.txt names it")
        self.assert_found({"src/io/lost_test.cc": "\n",
                           "src/io/CMakeLists.txt": SOUND["src/io/CMakeLists.txt"] + "# lost_test.cc\n"},
                          "no CMakeLists.txt names it")

    def test_test_that_is_compiled_into_the_library(self):
        self.assert_found({"src/base/CMakeLists.txt": "ashlar_module(NAME base SOURCES status.cc status_test.cc)\n"},
                          "status_test.cc stands among SOURCES")

    def test_header_that_nobody_includes(self):
        self.assert_found({"src/io/idle.h": "#pragma once\n"}, "src/io/idle.h: nothing includes it")

    def test_names_and_words(self):
        self.assert_found({"src/kv/key.cc": "class A { friend class B; };\n"}, "src/kv/key.cc:1: friend")
        self.assert_found({"src/base/status_test.cc": "TEST(Status, DISABLED_Asks) {}\n"}, "a disabled test")
        self.assert_found({"src/io/file.cc": "namespace ashlar::kv {\n}\n"}, "opens namespace ashlar::kv")
        self.assert_found({"src/io/CMakeLists.txt": "ashlar_module(NAME io SOURCES file.cc file_utils.cc)\n",
                           "src/io/file_utils.cc": "\n"}, "'utils' says nothing")
        self.assert_found({"docs/MAP.md": "caf\u00e9\n"}, "docs/MAP.md:1: not ASCII: U+00E9")

    def test_dead_code(self):
        for line in ("// return ask();", "// #include <map>", "// if (a) {", "// log.write(1);", "// int a = 1;"):
            self.assert_found({"src/kv/key.cc": line + "\n"}, "src/kv/key.cc:1: commented-out code")
        for line in ("// Returns what ask() said; see there.", "//   return ask();  is what callers write",
                     "// The caller holds the lock;", "// if it fails (rarely) the caller waits"):
            self.assert_sound({"src/kv/key.cc": line + "\n"})

    def test_long_file(self):
        long_text = "\n" * 401
        self.assert_found({"src/kv/key.cc": long_text}, "src/kv/key.cc: 401 lines, limit 400")
        self.assert_sound({"src/kv/key.cc": long_text, "tools/LONG_FILES": "src/kv/key.cc 450 one table of keys\n"})
        self.assert_found({"src/kv/key.cc": long_text, "tools/LONG_FILES": "src/kv/key.cc 450\n"}, "has no reason")

    def test_longest_function(self):
        body = "int one() {\n  return 1;\n}\n\nint two(int a) {\n  if (a) {\n    a = 2;\n  }\n  return a;\n}\n"
        code, output = run({"src/kv/key.cc": body})
        self.assertEqual(code, 0, output)
        self.assertIn("longest function: src/kv/key.cc:5, 6 lines", output)

    def test_docs(self):
        self.assert_found({"README.md": "`./dev fly`\n"}, "README.md: ./dev has no command fly")
        self.assert_found({"README.md": "```\nashlar fly\n```\n"}, "README.md: ashlar has no command fly")
        self.assert_found({"README.md": "[gone](docs/GONE.md)\n"}, "link to docs/GONE.md, which does not exist")

    def test_header_that_does_not_compile_alone(self):
        self.assert_found({"src/io/file.h": "#pragma once\nstd::string name();\n"},
                          "src/io/file.h: does not compile alone", options=())


if __name__ == "__main__":
    unittest.main()
