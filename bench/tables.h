// The tables. Each adds its rows to the session's results; the workloads are described in README.md beside this file.
#pragma once

#include "session.h"

namespace ashlar::bench {

// W: 200,000 keys of 20 bytes with values of 400, one caller, an acknowledged write survives kill -9.
void run_table_w(Session& session);

// D: 10,000 small entries, nothing need survive: one-transaction insert, gets, scan, count.
void run_table_d(Session& session);

// O: opening after kill -9 with one segment's worth unflushed; bytes on disk of a database of ten keys.
// `program` is this executable: it is run again to be the writer that gets killed.
void run_table_o(Session& session, const std::filesystem::path& program);
// The writer: fills as told, reports how many keys were acknowledged on standard output and dies by SIGKILL.
[[noreturn]] void fill_and_die(const Engine& engine, const std::filesystem::path& directory, size_t count,
                               uint64_t limit_ns);

}  // namespace ashlar::bench
