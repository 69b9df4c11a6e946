// doctor: what a directory, its file system and its device can promise, and what each preset will do there.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "failure.h"
#include "machine_facts.h"
#include "session.h"
#include "text.h"

namespace ashlar::cli {

namespace {

struct DoctorCommand {
  std::vector<std::string> given;
  bool no_open = false;
};

void say(const char* what, const std::string& text) { write_out(fmt::format("{:<12} {}\n", what, text)); }

bool has_option(const MachineFacts& facts, const char* option) {
  return std::find(facts.mount_options.begin(), facts.mount_options.end(), option) !=
         facts.mount_options.end();
}

bool is_any(const std::string& text, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return text == name; });
}

std::string device_text(const DeviceFacts& device) {
  if (device.name.empty()) return "no block device stands behind it";
  std::string text = device.name;
  text += device.write_cache.empty() ? ", write cache not reported"
                                     : fmt::format(", write cache \"{}\"", device.write_cache);
  if (device.fua) text += *device.fua ? ", FUA" : ", no FUA";
  if (device.rotational) text += *device.rotational ? ", rotating" : ", not rotating";
  if (device.logical_block_bytes) {
    text += fmt::format(", blocks of {}", *device.logical_block_bytes);
    if (device.physical_block_bytes) text += fmt::format("/{}", *device.physical_block_bytes);
    text += " bytes";
  }
  if (device.atomic_write_bytes) {
    text += *device.atomic_write_bytes == 0
                ? ", no atomic writes"
                : fmt::format(", atomic writes to {} bytes", *device.atomic_write_bytes);
  }
  return text;
}

std::string direct_text(const MachineFacts& facts) {
  if (facts.direct_offset_alignment) {
    if (*facts.direct_offset_alignment == 0) return "not on this file system";
    return fmt::format("yes; memory aligned to {}, offsets to {} bytes",
                       facts.direct_memory_alignment.value_or(0), *facts.direct_offset_alignment);
  }
  return facts.direct_open_works ? "opens; the alignment is not reported" : "could not be tried here";
}

void say_facts(const std::string& directory, const MachineFacts& facts) {
  say("directory", facts.exists ? facts.existing_directory
                                : fmt::format("{} does not exist; the facts are those of {}", directory,
                                              facts.existing_directory));
  std::string options;
  for (const std::string& option : facts.mount_options) options += (options.empty() ? "" : ",") + option;
  say("file system", fmt::format("{} from {} at {} ({})", facts.file_system, facts.mount_source,
                                 facts.mount_point, options));
  say("space", fmt::format("{} free of {}", bytes_text(facts.free_bytes), bytes_text(facts.total_bytes)));
  say("device", device_text(facts.device));
  say("direct I/O", direct_text(facts));
  say("boot id", facts.boot_id.empty()
                     ? "not told: after a crash of the program alone, recovery must assume a power cut"
                     : facts.boot_id);
  say("machine", facts.machine.empty() ? "not told" : facts.machine);
}

// Memory only: a power cut takes everything, whatever the preset.
bool lives_in_memory(const MachineFacts& facts) {
  return is_any(facts.file_system, {"tmpfs", "ramfs", "devtmpfs"});
}
bool is_remote(const MachineFacts& facts) {
  return is_any(facts.file_system, {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs", "fuse.s3fs"});
}

std::string flush_text(const MachineFacts& facts) {
  if (lives_in_memory(facts))
    return "this file system lives in memory: a power cut takes everything, synced or not";
  if (has_option(facts, "nobarrier") || has_option(facts, "barrier=0")) {
    return "the mount has barriers off: a sync does not flush the device's cache, so a power cut can take "
           "what was synced";
  }
  if (facts.device.write_cache == "write back") {
    return "the device has a volatile cache, so each sync makes it flush; that holds as far as the device "
           "tells the truth";
  }
  if (facts.device.write_cache == "write through") {
    return "the device reports no volatile cache: what reached it is durable, if the report is right";
  }
  return "the kind of the device's cache is not reported: each sync asks for a flush";
}

void say_presets(const MachineFacts& facts) {
  write_out("\nWhat the presets do here\n");
  say("  fast", "no journal; acknowledged writes are lost unless flush or close succeeds");
  say("  durable", "a write is a store into a mapped journal: it survives kill -9 of the program");
  say("", lives_in_memory(facts) ? "a power cut takes everything: the file system lives in memory"
                                 : "a power cut takes about the last second (sync_interval)");
  say("  paranoid", "one sync of the journal per group of commits");
  say("", flush_text(facts));
}

void say_warnings(const MachineFacts& facts) {
  std::vector<std::string> warnings;
  if (facts.machine.find("virtual machine") != std::string::npos) {
    warnings.emplace_back(
        "flushes cannot be verified from inside a virtual machine: its host decides what they mean");
  }
  if (is_remote(facts)) {
    warnings.emplace_back(fmt::format(
        "{} is a network or shared file system: locks and syncs are its server's word", facts.file_system));
  }
  if (facts.file_system == "overlay") {
    warnings.emplace_back(
        "overlay file systems are made for containers' own files: put a database on a volume");
  }
  if (has_option(facts, "ro")) warnings.emplace_back("mounted read-only: a database cannot be opened here");
  if (has_option(facts, "data=writeback") || has_option(facts, "nobarrier") ||
      has_option(facts, "barrier=0")) {
    warnings.emplace_back("the mount options give up the order of writes for speed");
  }
  if (facts.total_bytes > 0 && facts.free_bytes < (uint64_t{256} << 20)) {
    warnings.emplace_back("less than 256 MiB free: a full journal and a compaction need about that");
  }
  if (warnings.empty()) return;
  write_out("\nKnow that\n");
  for (const std::string& warning : warnings) write_out(fmt::format("  - {}\n", warning));
}

// Opens what is there, as any program would; tells the lock and the format by what comes back.
Code say_database(const std::string& directory) {
  auto opened = Db::open(directory, durable().create_if_missing(false));
  if (!opened.ok()) {
    const bool none = opened.code() == Code::invalid_argument;
    say("database", none ? "none: " + opened.error().message : opened.error().to_string());
    return none ? Code::ok : opened.code();
  }
  Db db = std::move(opened).value();
  const Stats stats = db.stats().value();
  say("lock", "was free");
  say("database",
      fmt::format("opens; {} runs of {}, journal of {}, {} keyspaces, last sequence {}",
                  grouped(stats.run_files), bytes_text(stats.run_bytes), bytes_text(stats.journal_bytes),
                  grouped(stats.keyspaces), grouped(stats.last_sequence)));
  say("recovery", fmt::format("{} frames in {}, {} of a torn tail dropped", grouped(stats.recovered_frames),
                              duration_text(static_cast<double>(stats.recovery_ns) / 1e9),
                              bytes_text(stats.recovery_dropped_bytes)));
  const Status closed = db.close();
  if (!closed.ok()) say("closing", closed.to_string());
  return closed.code();
}

void doctor(const Globals& globals, const DoctorCommand& command) {
  const Arguments arguments = take_arguments(globals, command.given, "", 0, 0);
  const MachineFacts facts = read_machine_facts(arguments.directory);
  say_facts(arguments.directory, facts);
  Code code = Code::ok;
  if (facts.exists && !command.no_open) code = say_database(arguments.directory);
  say_presets(facts);
  say_warnings(facts);
  flush_out();
  if (code != Code::ok) throw Failure(exit_code(code), "the database does not open: see above");
}

}  // namespace

void add_doctor(CLI::App& app, const Globals& globals) {
  const auto command = std::make_shared<DoctorCommand>();
  CLI::App* sub = app.add_subcommand("doctor", "Tell what a directory, its disk and its database are like");
  sub->add_option("arguments", command->given, "DIR");
  sub->add_flag("--no-open", command->no_open, "Leave the database itself alone");
  sub->callback([&globals, command] { doctor(globals, *command); });
}

}  // namespace ashlar::cli
