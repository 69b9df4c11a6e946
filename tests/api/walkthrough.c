/* Every function of the C interface, called from C. Returns 0, or the line that found something wrong. */
#include "walkthrough.h"

#include <ashlar/ashlar.h>
#include <stdio.h>
#include <string.h>

#define REQUIRE(condition)             \
  do {                                 \
    if (!(condition)) return __LINE__; \
  } while (0)

static int equals(ashlar_bytes bytes, const char* text) {
  return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

static void append_name(void* context, ashlar_keyspace keyspace, const char* name, size_t name_size) {
  char* names = (char*)context;
  const size_t length = strlen(names);
  (void)snprintf(names + length, 256 - length, "%u:%.*s ", (unsigned)keyspace, (int)name_size, name);
}

static int writes(ashlar_db* db) {
  ashlar_batch* batch = ashlar_batch_create();
  const ashlar_bytes keys[2] = {{"c", 1}, {"d", 1}};
  const ashlar_bytes values[2] = {{"3", 1}, {"4", 1}};
  size_t written = 99;
  REQUIRE(ashlar_put(db, 0, "a", 1, "1", 1, 0) == ASHLAR_OK);
  REQUIRE(ashlar_put(db, 0, "b", 1, "2", 1, ASHLAR_SYNC) == ASHLAR_OK);
  REQUIRE(ashlar_insert_many(db, 0, keys, values, 2, 0, &written) == ASHLAR_OK);
  REQUIRE(written == 2);
  REQUIRE(ashlar_insert_many(db, 0, keys, values, 2, 0, NULL) == ASHLAR_OK);
  REQUIRE(ashlar_batch_put(batch, 0, "e", 1, "5", 1) == ASHLAR_OK);
  REQUIRE(ashlar_batch_remove(batch, 0, "a", 1) == ASHLAR_OK);
  REQUIRE(ashlar_batch_count(batch) == 2);
  REQUIRE(ashlar_write(db, batch, 0) == ASHLAR_OK);
  ashlar_batch_clear(batch);
  REQUIRE(ashlar_batch_count(batch) == 0);
  REQUIRE(ashlar_write(db, batch, 0) == ASHLAR_OK);
  ashlar_batch_destroy(batch);
  REQUIRE(ashlar_remove(db, 0, "b", 1, 0) == ASHLAR_OK);
  return 0;
}

static int reads(ashlar_db* db) {
  ashlar_value value;
  ashlar_snapshot* snapshot = NULL;
  REQUIRE(ashlar_get(db, NULL, 0, "e", 1, &value) == ASHLAR_OK);
  REQUIRE(value.size == 1 && memcmp(value.data, "5", 1) == 0);
  ashlar_value_release(&value);
  REQUIRE(value.data == NULL && value.size == 0);
  REQUIRE(ashlar_get(db, NULL, 0, "a", 1, &value) == ASHLAR_NOT_FOUND);
  REQUIRE(ashlar_contains(db, NULL, 0, "c", 1) == ASHLAR_OK);
  REQUIRE(ashlar_contains(db, NULL, 0, "b", 1) == ASHLAR_NOT_FOUND);
  REQUIRE(ashlar_snapshot_create(db, &snapshot) == ASHLAR_OK);
  REQUIRE(ashlar_snapshot_sequence(snapshot) == 9);
  REQUIRE(ashlar_put(db, 0, "c", 1, "new", 3, 0) == ASHLAR_OK);
  REQUIRE(ashlar_get(db, snapshot, 0, "c", 1, &value) == ASHLAR_OK);
  REQUIRE(value.size == 1 && memcmp(value.data, "3", 1) == 0);
  ashlar_value_release(&value);
  ashlar_snapshot_release(snapshot);
  return 0;
}

static int scans(ashlar_db* db) {
  ashlar_scan scan = {.struct_size = sizeof scan};
  ashlar_iterator* it = NULL;
  scan.lower.data = "c";
  scan.lower.size = 1;
  REQUIRE(ashlar_iterator_create(db, NULL, 0, &scan, &it) == ASHLAR_OK);
  REQUIRE(!ashlar_iterator_valid(it));
  REQUIRE(ashlar_iterator_first(it) && equals(ashlar_iterator_key(it), "c"));
  REQUIRE(equals(ashlar_iterator_value(it), "new"));
  REQUIRE(ashlar_iterator_next(it) && equals(ashlar_iterator_key(it), "d"));
  REQUIRE(ashlar_iterator_previous(it) && equals(ashlar_iterator_key(it), "c"));
  REQUIRE(!ashlar_iterator_previous(it) && !ashlar_iterator_valid(it));
  REQUIRE(ashlar_iterator_last(it) && equals(ashlar_iterator_key(it), "e"));
  REQUIRE(ashlar_iterator_seek(it, "cc", 2) && equals(ashlar_iterator_key(it), "d"));
  REQUIRE(ashlar_iterator_seek_for_previous(it, "cc", 2) && equals(ashlar_iterator_key(it), "c"));
  REQUIRE(ashlar_iterator_status(it) == ASHLAR_OK);
  ashlar_iterator_destroy(it);
  return 0;
}

static int keyspaces(ashlar_db* db) {
  ashlar_keyspace made = 0;
  ashlar_keyspace found = 0;
  char names[256] = "";
  REQUIRE(ashlar_keyspace_find(db, "side", 4, &found) == ASHLAR_NOT_FOUND);
  REQUIRE(ashlar_keyspace_create(db, "side", 4, &made) == ASHLAR_OK);
  REQUIRE(ashlar_keyspace_find(db, "side", 4, &found) == ASHLAR_OK);
  REQUIRE(made == found && made != 0);
  REQUIRE(ashlar_put(db, made, "a", 1, "other", 5, 0) == ASHLAR_OK);
  REQUIRE(ashlar_contains(db, NULL, 0, "a", 1) == ASHLAR_NOT_FOUND);
  REQUIRE(ashlar_keyspace_list(db, append_name, names) == ASHLAR_OK);
  REQUIRE(strncmp(names, "0:default ", 10) == 0 && strstr(names, ":side ") != NULL);
  REQUIRE(ashlar_keyspace_drop(db, made) == ASHLAR_OK);
  REQUIRE(ashlar_put(db, made, "a", 1, "other", 5, 0) == ASHLAR_INVALID_ARGUMENT);
  return 0;
}

static int upkeep(ashlar_db* db) {
  ashlar_stats stats = {.struct_size = sizeof stats};
  char text[64] = "untouched";
  REQUIRE(ashlar_sync(db) == ASHLAR_OK);
  REQUIRE(ashlar_flush(db) == ASHLAR_OK);
  REQUIRE(ashlar_compact(db) == ASHLAR_OK);
  REQUIRE(ashlar_wait_idle(db) == ASHLAR_OK);
  REQUIRE(ashlar_verify(db) == ASHLAR_OK);
  REQUIRE(ashlar_get_stats(db, &stats) == ASHLAR_OK);
  REQUIRE(stats.struct_size == sizeof(ashlar_stats) && stats.keyspaces == 1 && stats.run_files >= 1);
  ashlar_background_error(db, text, sizeof text);
  REQUIRE(text[0] == '\0');
  return 0;
}

int ashlar_walkthrough(const char* path) {
  static int (*const steps[])(ashlar_db*) = {writes, reads, scans, keyspaces, upkeep};
  ashlar_options options;
  ashlar_db* db = NULL;
  size_t i;
  REQUIRE(strcmp(ashlar_version(), "0.1.0") == 0);
  REQUIRE(strcmp(ashlar_code_name(ASHLAR_NO_SPACE), "no_space") == 0);
  ashlar_options_init(&options, ASHLAR_PRESET_DURABLE);
  REQUIRE(options.struct_size == sizeof options && options.preset == ASHLAR_PRESET_DURABLE);
  REQUIRE(ashlar_open(path, &options, &db) == ASHLAR_OK);
  for (i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    const int line = steps[i](db);
    if (line != 0) return line;
  }
  REQUIRE(ashlar_close(db) == ASHLAR_OK);
  REQUIRE(ashlar_close(NULL) == ASHLAR_OK);
  return 0;
}
