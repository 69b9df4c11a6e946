#!/usr/bin/env python3
"""The command line tool, run as a person or a script would.

usage: cli_test.py PROGRAM [CLASS...]
"""

import csv
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
OK, NOT_FOUND, USAGE, CORRUPTION, BUSY, FAILED = range(6)

# Every byte, and what is most likely to be mangled: separators, escapes, halves of UTF-8.
NASTY = [bytes(range(256)), b"", b"\t", b"\n", b"\\", b"\\x41", b"\\n", b"a\tb\nc\rd\0e", "\u00e4\u20ac\U0001d11e".encode(),
         b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b'"quoted", and comma', b"\x7f"]


class Case(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ashlar-cli-"))
        self.db = str(self.scratch / "db")

    def tearDown(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def run_tool(self, *arguments, expect=OK, stdin=b"", env=None):
        done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, check=False, timeout=600, env=env)
        self.assertEqual(done.returncode, expect, f"{arguments}: {done.stderr.decode(errors='replace')}")
        if expect not in (OK, NOT_FOUND):
            self.assertIn(b"ashlar: ", done.stderr) if expect != USAGE else self.assertTrue(done.stderr)
        return done

    def out(self, *arguments, **more):
        return self.run_tool(*arguments, **more).stdout

    def file(self, name, content):
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def put_nasty(self):
        for i, value in enumerate(NASTY):
            self.run_tool("put", self.db, "--hex", value.hex(), NASTY[-1 - i].hex())


class Points(Case):
    def test_put_get_del(self):
        self.assertEqual(self.out("put", self.db, "apple", "12"), b"")
        self.assertEqual(self.out("get", self.db, "apple"), b"12\n")
        self.assertEqual(self.out("get", self.db, "apple", "--raw"), b"12")
        self.assertEqual(self.out("get", self.db, "apple", "--hex", expect=USAGE), b"")
        self.assertEqual(self.out("get", self.db, b"apple".hex(), "--hex"), b"12".hex().encode() + b"\n")
        self.run_tool("del", self.db, "apple")
        self.run_tool("get", self.db, "apple", expect=NOT_FOUND)
        self.run_tool("del", self.db, "apple", expect=NOT_FOUND)

    def test_the_directory_may_be_an_option_before_or_after(self):
        self.run_tool("--db", self.db, "put", "k", "v")
        self.assertEqual(self.out("get", "k", "--db", self.db), b"v\n")

    def test_escapes_and_hex_name_the_same_bytes(self):
        self.run_tool("put", self.db, r"a\x00b\\c\t", r"\xff")
        self.assertEqual(self.out("get", self.db, "--hex", b"a\0b\\c\t".hex()), b"ff\n")
        for wrong in ("\\q", "\\", "\\x4", "\\xzz"):
            self.run_tool("get", self.db, wrong, expect=USAGE)
        for wrong in ("abc", "zz"):
            self.run_tool("get", self.db, "--hex", wrong, expect=USAGE)

    def test_every_byte_survives(self):
        self.put_nasty()
        for i, key in enumerate(NASTY):
            self.assertEqual(self.out("get", self.db, "--hex", key.hex()), NASTY[-1 - i].hex().encode() + b"\n")

    def test_a_value_from_standard_input(self):
        self.run_tool("put", self.db, "k", stdin=NASTY[0])
        self.assertEqual(self.out("get", self.db, "k", "--raw"), NASTY[0])
        self.run_tool("put", self.db, "k", stdin=b"")
        self.assertEqual(self.out("get", self.db, "k", "--raw"), b"")

    def test_keyspaces_are_apart(self):
        self.run_tool("put", self.db, "k", "default")
        self.run_tool("--keyspace", "side", "put", self.db, "k", "side")
        self.assertEqual(self.out("get", self.db, "k"), b"default\n")
        self.assertEqual(self.out("get", self.db, "k", "--keyspace", "side"), b"side\n")
        self.run_tool("get", self.db, "k", "--keyspace", "nowhere", expect=NOT_FOUND)

    def test_presets(self):
        for preset in ("fast", "durable", "paranoid"):
            self.run_tool("put", self.db, preset, "x", "--preset", preset, "--sync")
        self.assertEqual(self.out("scan", self.db, "--keys-only"), b"durable\nfast\nparanoid\n")
        self.run_tool("put", self.db, "k", "v", "--preset", "careless", expect=USAGE)


class Scans(Case):
    def setUp(self):
        super().setUp()
        self.run_tool("load", self.db, "-q", stdin=b"".join(b"k%02d\tv%d\n" % (i, i) for i in range(20)))

    def keys(self, *arguments):
        return self.out("scan", self.db, "--keys-only", *arguments).decode().split()

    def test_bounds_direction_and_limit(self):
        everything = [f"k{i:02}" for i in range(20)]
        self.assertEqual(self.keys(), everything)
        self.assertEqual(self.keys("--reverse"), everything[::-1])
        self.assertEqual(self.keys("--from", "k05", "--to", "k08"), ["k05", "k06", "k07"])
        self.assertEqual(self.keys("--prefix", "k1", "--limit", "3"), ["k10", "k11", "k12"])
        self.assertEqual(self.keys("--prefix", "k1", "--reverse", "--limit", "2"), ["k19", "k18"])
        self.assertEqual(self.keys("--prefix", "k1", "--from", "k15"), everything[15:])
        self.assertEqual(self.keys("--limit", "0"), [])
        self.assertEqual(self.keys("--prefix", "x"), [])
        self.assertEqual(self.keys("--to", ""), [])

    def test_values_are_escaped_in_one_line(self):
        self.run_tool("put", self.db, r"k\n1", r"tab\there")
        self.assertEqual(self.out("scan", self.db, "--limit", "1"), b"k\\n1\ttab\\there\n")
        self.assertEqual(self.out("scan", self.db, "--limit", "1", "--hex"),
                         b"k\n1".hex().encode() + b"\t" + b"tab\there".hex().encode() + b"\n")

    def test_a_reader_that_goes_away_is_no_mess(self):
        self.run_tool("load", self.db, "-q", stdin=b"".join(b"x%06d\tv\n" % i for i in range(100000)))
        head = subprocess.Popen(["head", "-n", "1"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        tool = subprocess.run([PROGRAM, "scan", self.db], stdout=head.stdin, stderr=subprocess.PIPE, check=False,
                              timeout=60)
        head.stdin.close()
        head.wait(timeout=60)
        self.assertEqual(tool.stderr, b"")
        self.assertEqual(len(self.keys("--prefix", "x", "--limit", "5")), 5)


class Loads(Case):
    def stored(self, *arguments):
        lines = self.out("dump", self.db, "--format", "jsonl", *arguments).decode().splitlines()
        return {line["key"]: line["value"] for line in map(json.loads, lines)}

    def test_tsv(self):
        report = self.out("load", self.db, self.file("a.tsv", "a\t1\nb\\t\t2\r\n\nc\t\n"))
        self.assertTrue(report.startswith(b"loaded 3 pairs, "), report)
        self.assertEqual(self.stored(), {"a": "1", "b\t": "2", "c": ""})

    def test_tsv_without_a_last_line_feed(self):
        self.run_tool("load", self.db, self.file("a.tsv", "a\t1\nb\t2"))
        self.assertEqual(self.stored(), {"a": "1", "b": "2"})

    def test_csv_of_two_columns(self):
        self.run_tool("load", self.db, self.file("a.csv", 'name,count\n"a,b",1\n"say ""hi""","two\nlines"\n'))
        self.assertEqual(self.stored(), {"a,b": "1", 'say "hi"': "two\nlines"})

    def test_csv_of_more_columns_keeps_the_row(self):
        self.run_tool("load", self.db, self.file("a.csv", "id,name,n\r\n7,\u00e4,1\r\n8,b,\r\n"))
        self.assertEqual({k: json.loads(v) for k, v in self.stored().items()},
                         {"7": {"id": "7", "name": "\u00e4", "n": "1"}, "8": {"id": "8", "name": "b", "n": ""}})

    def test_columns_by_name_and_number(self):
        path = self.file("a.csv", "id,name,n\n7,a,1\n")
        self.run_tool("load", self.db, path, "--key-column", "name", "--value-column", "n")
        self.run_tool("load", self.db, path, "--key-column", "1", "--value-column", "2")
        self.run_tool("load", self.db, path, "--no-header", "--key-column", "3", "--value-column", "1")
        self.assertEqual(self.stored(), {"a": "1", "7": "a", "n": "id", "1": "7"})
        for wrong in ("4", "0", "nme"):
            problem = self.run_tool("load", self.db, path, "--key-column", wrong, expect=USAGE).stderr.decode()
            self.assertIn(f"no column '{wrong}' among 'id', 'name', 'n'", problem)

    def test_tsv_with_a_header(self):
        self.run_tool("load", self.db, self.file("a.tsv", "x\ty\tz\n1\t2\t3\n"), "--header", "--key-column", "z",
                      "--value-column", "x")
        self.assertEqual(self.stored(), {"3": "1"})

    def test_a_csv_of_another_program(self):
        path = self.scratch / "a.csv"
        rows = [[f"k{i}", text] for i, text in enumerate(["plain", 'q"q', "a,b", "line\nline", "", " space ", "\u00fc"])]
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["key", "value"], *rows])
        self.run_tool("load", self.db, str(path))
        self.assertEqual(self.stored(), dict(rows))

    def test_jsonl(self):
        lines = [{"key": "a", "value": "1"}, {"key": "\u00e9\n", "value": 'q"\\\u2028'}, {"key_hex": "61ff", "value_hex": "00"},
                 {"key": "number", "value": 12.5}, {"key": "object", "value": {"x": [1, {}]}}]
        self.run_tool("load", self.db, self.file("a.jsonl", "\n".join(json.dumps(line) for line in lines)))
        stored = self.out("scan", self.db).decode()
        self.assertIn("a\t1\n", stored)
        self.assertIn('\u00e9\\n\tq"\\\\\u2028\n', stored)
        self.assertIn("a\\xff\t\\x00\n", stored)
        self.assertIn("number\t12.5\n", stored)
        self.assertIn('object\t{"x": [1, {}]}\n', stored)

    def test_jsonl_with_surrogates_and_columns(self):
        self.run_tool("load", self.db, "--key-column", "id", "--format", "jsonl", stdin=b'{"id": "\\ud834\\udd1e", "n": 1}\n')
        self.assertEqual(self.out("get", self.db, "\U0001d11e"), b'{"id": "\\ud834\\udd1e", "n": 1}\n')
        self.run_tool("load", self.db, "--key-column", "id", "--value-column", "n", "--format", "jsonl",
                      stdin=b'{"id": 5, "n": true}\n')
        self.assertEqual(self.out("get", self.db, "5"), b"true\n")

    def test_bad_input_names_file_and_line_and_keeps_what_came_before(self):
        bad = {"a.tsv": ("a\t1\nb\n", ":2: 1 column"), "b.tsv": ("a\t1\nb\\q\t2\n", ":2: "),
               "c.csv": ('k,v\na,1\n"b,2\n', ":3: the quote"), "d.csv": ("k,v\na,1\nb,2,3\n", ":3: 3 columns"),
               "e.csv": ('k,v\na,1\n"b"x,2\n', ":3: text after"), "f.jsonl": ('{"key":"a","value":"1"}\n{"key":}\n', ":2: column 8"),
               "g.jsonl": ('{"key":"a","value":"1"}\n{"value":"x"}\n', ':2: no member "key"'),
               "h.jsonl": ('{"key":"a","value":"1"}\n{"key":"x","value":"y"} {}\n', ":2: column"),
               "i.jsonl": ('{"key":"a","value":"1"}\n{"key":"\\ud834x","value":"y"}\n', ":2: column"),
               "j.jsonl": ('{"key":"a","value":"1"}\n{"key":"x","value":' + "[" * 500 + "\n", "nested too deeply")}
        for name, (content, wanted) in bad.items():
            with self.subTest(name):
                db = str(self.scratch / f"db-{name}")
                path = self.file(name, content)
                problem = self.run_tool("load", db, path, expect=USAGE).stderr.decode()
                self.assertIn(path if ":" not in wanted else path + wanted.split(" ")[0], problem)
                self.assertIn(wanted, problem)
                self.assertIn("1 pairs before", problem)
                self.assertEqual(self.out("get", db, "a"), b"1\n")

    def test_hex_columns(self):
        self.run_tool("load", self.db, "--hex", stdin=b"00ff\t61\n")
        self.assertEqual(self.out("scan", self.db), b"\\x00\\xff\ta\n")

    def test_several_files_and_standard_input(self):
        self.run_tool("load", self.db, self.file("a.tsv", "a\t1\n"), self.file("b.csv", "k,v\nb,2\n"), "-",
                      stdin=b"c\t3\n")
        self.assertEqual(self.stored(), {"a": "1", "b": "2", "c": "3"})
        self.run_tool("load", self.db, str(self.scratch / "absent.tsv"), expect=FAILED)

    def test_more_than_one_batch(self):
        lines = b"".join(b"key%07d\t%s\n" % (i, b"v" * 100) for i in range(50000))
        report = self.out("load", self.db, stdin=lines)
        self.assertTrue(report.startswith(b"loaded 50,000 pairs, "), report)
        self.assertEqual(self.out("dump", self.db), lines)

    def test_the_bar_is_for_terminals_only(self):
        lines = b"".join(b"key%07d\t%s\n" % (i, b"v" * 100) for i in range(400000))
        path = self.file("a.tsv", lines)
        self.assertEqual(self.run_tool("load", self.db, path).stderr, b"")
        ours, theirs = pty.openpty()
        with subprocess.Popen([PROGRAM, "load", str(self.scratch / "b"), path], stderr=theirs,
                              stdout=subprocess.DEVNULL) as tool:
            os.close(theirs)
            drawn = b""
            while True:
                try:
                    chunk = os.read(ours, 4096)
                except OSError:
                    break
                if not chunk:
                    break
                drawn += chunk
        os.close(ours)
        self.assertEqual(tool.returncode, OK)
        if drawn:  # a machine that loads 400,000 pairs within a tenth of a second draws nothing
            self.assertIn(b"%", drawn)
            self.assertTrue(drawn.endswith(b"\r\x1b[K"), drawn[-80:])


class Dumps(Case):
    def test_tsv_and_jsonl_round_trip_every_byte(self):
        self.put_nasty()
        for extra in ([], ["--format", "jsonl"]):
            with self.subTest(extra):
                first = self.out("dump", self.db, *extra)
                copy = str(self.scratch / f"copy{len(extra)}")
                self.run_tool("load", copy, *extra, stdin=first)
                self.assertEqual(self.out("dump", copy, *extra), first)
                self.assertEqual(self.out("scan", copy, "--hex"), self.out("scan", self.db, "--hex"))

    def test_a_dump_is_plain_utf8(self):
        self.put_nasty()
        tsv = self.out("dump", self.db).decode()
        self.assertEqual(tsv.count("\n"), len(NASTY))
        for line in self.out("dump", self.db, "--format", "jsonl").decode().splitlines():
            member = json.loads(line)
            key = bytes.fromhex(member["key_hex"]) if "key_hex" in member else member["key"].encode()
            value = bytes.fromhex(member["value_hex"]) if "value_hex" in member else member["value"].encode()
            self.assertEqual(NASTY[-1 - NASTY.index(key)], value)

    def test_all_keyspaces(self):
        self.run_tool("put", self.db, "k", "1")
        self.run_tool("put", self.db, "k", "2", "--keyspace", "side")
        self.run_tool("dump", self.db, "--all-keyspaces", expect=USAGE)
        dump = self.out("dump", self.db, "--all-keyspaces", "--format", "jsonl")
        copy = str(self.scratch / "copy")
        self.run_tool("load", copy, "--format", "jsonl", stdin=dump)
        self.assertEqual(self.out("get", copy, "k", "--keyspace", "side"), b"2\n")
        self.assertEqual(self.out("get", copy, "k"), b"1\n")

    def test_a_full_disk_is_not_silence(self):
        self.run_tool("load", self.db, "-q", stdin=b"".join(b"x%06d\tv\n" % i for i in range(10000)))
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "dump", self.db], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"standard output", done.stderr)


class Upkeep(Case):
    def setUp(self):
        super().setUp()
        self.run_tool("load", self.db, "-q", stdin=b"".join(b"x%06d\tv\n" % i for i in range(10000)))

    def test_stats(self):
        stats = json.loads(self.out("stats", self.db, "--json"))
        self.assertEqual(stats["last_sequence"], 10000)
        self.assertEqual(len(stats["level_bytes"]), 7)
        text = self.out("stats", self.db).decode()
        self.assertIn("last sequence          10,000\n", text)
        self.assertIn("background error       none\n", text)

    def test_verify_and_compact(self):
        self.assertTrue(self.out("verify", self.db).startswith(b"ok: "))
        self.assertIn(b" runs, ", self.out("compact", self.db))
        self.assertEqual(json.loads(self.out("stats", self.db, "--json"))["run_entries"], 10000)
        self.assertEqual(self.out("scan", self.db, "--limit", "1"), b"x000000\tv\n")


class Failures(Case):
    def test_use(self):
        self.run_tool(expect=USAGE)
        self.run_tool("frobnicate", expect=USAGE)
        self.run_tool("get", expect=USAGE)
        self.run_tool("get", self.db, expect=USAGE)
        self.run_tool("put", self.db, "a", "b", "c", expect=USAGE)
        self.run_tool("get", self.db, "a", "--frobnicate", expect=USAGE)
        self.run_tool("scan", self.db, "--limit", "-1", expect=USAGE)

    def test_a_database_that_is_not_there_is_not_made(self):
        for command in (["get", self.db, "k"], ["del", self.db, "k"], ["scan", self.db], ["dump", self.db],
                        ["stats", self.db], ["verify", self.db], ["compact", self.db]):
            done = subprocess.run([PROGRAM, *command], capture_output=True, check=False, timeout=60)
            self.assertIn(done.returncode, (USAGE, FAILED), command)
            self.assertIn(self.db.encode(), done.stderr)
            self.assertFalse(os.path.exists(self.db))

    def test_busy_names_the_holder(self):
        self.run_tool("put", self.db, "k", "v")
        with subprocess.Popen([PROGRAM, "load", self.db, "--format", "tsv"], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as holder:
            holder.stdin.write(b"a\t1\n")
            holder.stdin.flush()
            # Wait for it without taking the lock: the file names who took it last.
            deadline = time.monotonic() + 60
            while not (pathlib.Path(self.db) / "LOCK").read_bytes().startswith(b"%d " % holder.pid):
                self.assertIsNone(holder.poll())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            done = self.run_tool("get", self.db, "k", expect=BUSY)
            self.assertIn(str(holder.pid).encode(), done.stderr)
            holder.stdin.close()
        self.assertEqual(self.out("get", self.db, "a"), b"1\n")

    def test_corruption(self):
        self.run_tool("load", self.db, "-q", stdin=b"".join(b"x%06d\t%d\n" % (i, i * 7919) for i in range(50000)))
        self.run_tool("compact", self.db)
        runs = [p for p in pathlib.Path(self.db).iterdir() if "run" in p.name]
        largest = max(runs, key=lambda p: p.stat().st_size)
        content = bytearray(largest.read_bytes())
        content[len(content) // 2] ^= 0x10
        largest.write_bytes(content)
        problem = self.run_tool("verify", self.db, expect=CORRUPTION).stderr.decode()
        self.assertIn(largest.name, problem)
        self.run_tool("scan", self.db, "--keys-only", expect=CORRUPTION)
        self.run_tool("dump", self.db, expect=CORRUPTION)

    def test_a_directory_that_cannot_be(self):
        self.run_tool("put", self.file("plain", "x"), "k", "v", expect=FAILED)
        self.run_tool("put", "/proc/nowhere/db", "k", "v", expect=FAILED)

    def test_limits(self):
        self.run_tool("load", self.db, stdin=b"k" * (2 << 20) + b"\tv\n", expect=USAGE)


class Doctor(Case):
    def test_facts_without_a_database(self):
        text = self.out("doctor", self.db).decode()
        self.assertIn("does not exist", text)
        for word in ("file system", "space", "device", "direct I/O", "boot id", "machine", "fast", "durable", "paranoid"):
            self.assertIn(word, text)
        self.assertFalse(os.path.exists(self.db))

    def test_facts_of_the_file_system(self):
        line = next(l for l in self.out("doctor", str(self.scratch)).decode().splitlines() if l.startswith("file system"))
        kind = subprocess.run(["findmnt", "-n", "-o", "FSTYPE", "-T", str(self.scratch)], capture_output=True,
                              check=False).stdout.decode().strip()
        if kind:
            self.assertIn(f" {kind} from ", line)
        if os.path.isdir("/dev/shm"):
            text = self.out("doctor", "/dev/shm", "--no-open").decode()
            if " tmpfs from " in text:
                self.assertIn("a power cut takes everything", text)

    def test_a_database(self):
        self.run_tool("put", self.db, "k", "v")
        text = self.out("doctor", self.db).decode()
        self.assertIn("database     opens; ", text)
        self.assertIn("last sequence 1", text)
        self.assertNotIn("opens", self.out("doctor", self.db, "--no-open").decode())

    def test_a_virtual_machine_is_called_one(self):
        with open("/proc/cpuinfo", encoding="utf-8") as cpu:
            virtual = " hypervisor" in cpu.read()
        text = self.out("doctor", self.db).decode()
        self.assertEqual("flushes cannot be verified from inside a virtual machine" in text, virtual)


class Bench(Case):
    def test_runs_and_cleans_up(self):
        text = self.out("bench", "--count", "2000", "--in", str(self.scratch)).decode()
        for row in ("put, random order", "get, random order, from runs", "scan, all", "put, batches of 100"):
            self.assertIn(row, text)
        self.assertEqual(list(self.scratch.iterdir()), [])
        self.run_tool("bench", "--count", "0", expect=USAGE)


class Demo(Case):
    STANZAS = 3000

    def index(self, start=0, count=STANZAS):
        return "".join(
            f"Package: {'libreoffice-part' if i % 10 == 0 else 'package'}{i}\nVersion: 1.{i}\nDescription: number {i}\n"
            f" {'text ' * 40}\n\n" for i in range(start, start + count)).encode()

    def lists(self, files):
        directory = self.scratch / "lists"
        directory.mkdir()
        for name, content in files.items():
            (directory / name).write_bytes(content)
        return str(directory)

    def demo(self, lists, *arguments):
        env = dict(os.environ, TMPDIR=str(self.scratch))
        return self.out("demo", "--lists", lists, *arguments, env=env).decode()

    def check(self, text, count):
        for step in ("data", "load", "read", "scan", "snapshot", "verify", "kill", "recover"):
            self.assertIn(f"\n{step} ", text)
        self.assertIn("Everything checked was right.", text)
        self.assertIn(f"{count:,} ", text)

    def test_plain_and_compressed_lists(self):
        files = {"one_Packages": self.index(), "two_Packages.gz": gzip.compress(self.index(self.STANZAS, 1000))}
        for tool, end in (("lz4", "lz4"), ("xz", "xz"), ("zstd", "zst")):
            if shutil.which(tool):
                start = 10000 * len(files)
                files[f"{tool}_Packages.{end}"] = subprocess.run([tool, "-c"], input=self.index(start, 500),
                                                                 capture_output=True, check=True).stdout
        lists = self.lists(files)
        text = self.demo(lists)
        self.check(text, 4000 + 500 * (len(files) - 2))
        self.assertIn(f"{len(files)} lists", text)
        self.assertEqual([p.name for p in self.scratch.iterdir()], ["lists"])

    def test_one_list_and_a_stanza_twice(self):
        text = self.demo(self.lists({"one_Packages": self.index() + self.index(0, 5)}))
        self.check(text, self.STANZAS)
        self.assertIn("(5 more came twice)", text)

    def test_a_damaged_list_is_named_and_left_out(self):
        text = self.demo(self.lists({"one_Packages": self.index(), "two_Packages.lz4": b"\x04\x22\x4d\x18 no"}))
        self.check(text, self.STANZAS)
        self.assertIn("two_Packages.lz4", text)

    def test_without_lists_something_else_is_loaded(self):
        text = self.demo(self.lists({}))
        self.assertIn("no package list in", text)
        self.assertIn("Everything checked was right.", text)

    def test_a_directory_of_ones_own_is_kept(self):
        lists = self.lists({"one_Packages": self.index()})
        text = self.demo(lists, "--dir", self.db)
        self.check(text, self.STANZAS)
        left = self.out("scan", os.path.join(self.db, "main"), "--keys-only", "--prefix", "libreoffice").decode().split()
        self.assertTrue(left)
        self.run_tool("demo", "--lists", lists, "--dir", self.db, expect=USAGE)


class Help(Case):
    def test_help_and_version(self):
        text = self.out("--help").decode()
        for word in ("put", "load", "doctor", "demo", "Exit codes", "4  another process"):
            self.assertIn(word, text)
        self.assertNotIn("demo-writer", text)
        self.assertEqual(self.out("--version"), b"ashlar 0.1.0\n")

    def test_each_command_has_help_and_stands_in_the_manual(self):
        manual = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "CLI.md").read_text(encoding="utf-8")
        for command in ("put", "get", "del", "scan", "load", "dump", "stats", "verify", "compact", "bench", "doctor", "demo"):
            text = self.out(command, "--help").decode()
            self.assertIn(f"ashlar {command}", manual)
            for option in set(re.findall(r"--[a-z][a-z-]*", text)) - {"--help"}:
                self.assertIn(f"{option}", manual, f"{command}: docs/CLI.md lacks {option}")
            self.assertRegex(text, rf"Usage: ashlar {command} \[OPTIONS\]( DIR|\n)")


def main():
    global PROGRAM
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)


if __name__ == "__main__":
    main()
