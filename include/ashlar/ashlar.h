/* Ashlar: an embedded database. One library, one directory on disk. This is the C interface, the only exported
 * surface; <ashlar/ashlar.hpp> is a C++20 wrapper over it.
 *
 *     ashlar_options options;
 *     ashlar_options_init(&options, ASHLAR_PRESET_DURABLE);
 *     ashlar_db *db;
 *     if (ashlar_open("inventory", &options, &db) != ASHLAR_OK) die(ashlar_last_error());
 *     ashlar_put(db, 0, "apple", 5, "12", 2, 0);
 *     ashlar_value v;
 *     if (ashlar_get(db, NULL, 0, "apple", 5, &v) == ASHLAR_OK) { use(v.data, v.size); ashlar_value_release(&v); }
 *     ashlar_close(db);
 *
 * Shapes. Keys and values are bytes: any content, NULs included; the empty key and the empty value are legal (an empty
 *   value is not a deletion). Keys are ordered by unsigned byte comparison; a proper prefix sorts first.
 * Limits. Key: 1 MiB. Value: 1 GiB. Batch: 2 GiB. Larger input is refused with ASHLAR_LIMIT, never truncated.
 * Errors. Calls return a code. ASHLAR_OK is 0. ASHLAR_NOT_FOUND is an answer, not an error. For every other code
 *   ashlar_last_error() gives the text of the last failed call of the calling thread.
 * Threads. A database handle and a snapshot may be used from any number of threads at once. An iterator, a batch and a
 *   pinned value belong to one thread at a time. Closing while another thread is inside a call is the caller's error;
 *   open iterators, snapshots and pinned values are not: iterators and values stay usable, snapshots can be released, and
 *   all of them keep the memory and the directory lock until then.
 * Processes. One process at a time has a database open (ASHLAR_BUSY otherwise). In the child after fork() every call on an
 *   inherited handle fails with ASHLAR_CLOSED.
 */
#ifndef ASHLAR_ASHLAR_H
#define ASHLAR_ASHLAR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ASHLAR_API __attribute__((visibility("default")))
#define ASHLAR_NODISCARD __attribute__((warn_unused_result))
#else
#define ASHLAR_API
#define ASHLAR_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ASHLAR_VERSION_MAJOR 0
#define ASHLAR_VERSION_MINOR 1
#define ASHLAR_VERSION_PATCH 0

/* "0.1.0"; static. */
ASHLAR_API const char* ashlar_version(void);

/* Numbers are stable. */
typedef enum ashlar_code {
  ASHLAR_OK = 0,
  ASHLAR_CORRUPTION = 1,         /* bytes on disk are not what was written; the text names file and offset */
  ASHLAR_IO = 2,                 /* the operating system refused or failed */
  ASHLAR_NO_SPACE = 3,           /* the disk is full; reads go on, writes resume when space is back */
  ASHLAR_CONFLICT = 4,           /* a transaction lost; run it again */
  ASHLAR_INVALID_ARGUMENT = 5,   /* the call itself is wrong */
  ASHLAR_UNSUPPORTED_FORMAT = 6, /* written by a newer version */
  ASHLAR_LIMIT = 7,              /* larger than the limits above */
  ASHLAR_BUSY = 8,               /* another process or handle has the database open; the text names it */
  ASHLAR_CLOSED = 9,             /* closed handle, or a handle inherited through fork() */
  ASHLAR_CANCELLED = 10,
  ASHLAR_CONSTRAINT = 11,
  ASHLAR_SYNTAX = 12,
  ASHLAR_INDETERMINATE = 13, /* the write may or may not survive; reopen to know */
  ASHLAR_NOT_FOUND = 100     /* no such key; not an error, sets no text */
} ashlar_code;

/* Stable lower-case name, e.g. "no_space"; static. */
ASHLAR_API const char* ashlar_code_name(ashlar_code code);

/* Text of the last call of this thread that failed; "" if none did. Valid until the next failure on this thread. */
ASHLAR_API const char* ashlar_last_error(void);

typedef struct ashlar_db ashlar_db;
typedef struct ashlar_snapshot ashlar_snapshot;
typedef struct ashlar_iterator ashlar_iterator;
typedef struct ashlar_batch ashlar_batch;

/* A keyspace: an independent ordered map inside the database. 0 is the default one and always exists. */
typedef uint32_t ashlar_keyspace;

typedef struct ashlar_bytes {
  const void* data; /* never NULL where the library fills it in, even when size is 0 */
  size_t size;
} ashlar_bytes;

/* ---------------------------------------------------------------------------------------------- options */

typedef enum ashlar_preset {
  ASHLAR_PRESET_FAST = 0,    /* acknowledged writes are lost unless ashlar_flush or ashlar_close succeeds */
  ASHLAR_PRESET_DURABLE = 1, /* survives the death of the process; a power cut takes about the last second */
  ASHLAR_PRESET_PARANOID = 2 /* survives power loss: one flush of the device per group of commits */
} ashlar_preset;

typedef enum ashlar_compression {
  ASHLAR_COMPRESSION_NONE = 0,
  ASHLAR_COMPRESSION_LZ4 = 1, /* default */
  ASHLAR_COMPRESSION_SNAPPY = 2,
  ASHLAR_COMPRESSION_ZSTD = 3
} ashlar_compression;

/* Fill with ashlar_options_init, then change what you need. Fields are only ever added at the end. */
typedef struct ashlar_options {
  uint32_t struct_size;      /* set by ashlar_options_init */
  int32_t preset;            /* ashlar_preset */
  int32_t compression;       /* ashlar_compression of newly written runs; existing ones keep theirs */
  int32_t create_if_missing; /* default 1 */
  int32_t error_if_exists;   /* default 0 */
  uint32_t
      sync_interval_ms; /* DURABLE: a power cut takes at most about this much; default 1000, 0 = never by itself */
  uint64_t delta_bytes;       /* in-memory part, journal segment and index; default 64 MiB, 64 KiB to 1 GiB */
  uint64_t block_cache_bytes; /* cache of run blocks; default 64 MiB, 0 = none */
} ashlar_options;

ASHLAR_API void ashlar_options_init(ashlar_options* options, ashlar_preset preset);

/* ---------------------------------------------------------------------------------------------- open, close */

/* Opens the database in directory `path`, creating it unless create_if_missing is 0. `options` may be NULL: DURABLE.
 * After a crash the database equals a prefix of the commits, whole batches only, holding every commit that its
 * promise covers. Errors: BUSY, CORRUPTION, UNSUPPORTED_FORMAT, INVALID_ARGUMENT, IO, NO_SPACE. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_open(const char* path, const ashlar_options* options,
                                                    ashlar_db** db);

/* Makes everything acknowledged durable against power loss, stops background work, releases the lock and the handle. The handle is
 * gone whatever the code says; a code other than OK tells what could not be made durable. NULL is OK. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_close(ashlar_db* db);

/* ---------------------------------------------------------------------------------------------- keyspaces */

/* Finds or creates the keyspace `name` (1 to 255 bytes, UTF-8 by convention); durable on return. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_keyspace_create(ashlar_db* db, const char* name,
                                                               size_t name_size, ashlar_keyspace* keyspace);
/* NOT_FOUND where there is none. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_keyspace_find(ashlar_db* db, const char* name,
                                                             size_t name_size, ashlar_keyspace* keyspace);
/* Drops the keyspace and everything in it; its space comes back in the background. Snapshots and iterators made before
 * still see it. Using the id afterwards is INVALID_ARGUMENT; ids are not reused. The default keyspace cannot be dropped. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_keyspace_drop(ashlar_db* db, ashlar_keyspace keyspace);
/* Calls `each` for every keyspace in order of id; the name is valid during the call. The default one is "default". */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_keyspace_list(
    ashlar_db* db, void (*each)(void* context, ashlar_keyspace keyspace, const char* name, size_t name_size),
    void* context);

/* ---------------------------------------------------------------------------------------------- writes */

/* Flag of a write: durable against power loss on return, whatever the preset. */
#define ASHLAR_SYNC 1u

/* Sets or replaces one key. On return the write is visible to every later read and durable as the preset says. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_put(ashlar_db* db, ashlar_keyspace keyspace, const void* key,
                                                   size_t key_size, const void* value, size_t value_size,
                                                   uint32_t flags);
/* Removes one key; OK as well when there was none. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_remove(ashlar_db* db, ashlar_keyspace keyspace,
                                                      const void* key, size_t key_size, uint32_t flags);

/* A batch is applied wholly or not at all, and becomes visible at once. The last operation on a key wins. */
ASHLAR_API ashlar_batch* ashlar_batch_create(void);
ASHLAR_API void ashlar_batch_destroy(ashlar_batch* batch);
ASHLAR_API void ashlar_batch_clear(ashlar_batch* batch); /* keeps its memory for reuse */
ASHLAR_API size_t ashlar_batch_count(const ashlar_batch* batch);
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_batch_put(ashlar_batch* batch, ashlar_keyspace keyspace,
                                                         const void* key, size_t key_size, const void* value,
                                                         size_t value_size);
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_batch_remove(ashlar_batch* batch, ashlar_keyspace keyspace,
                                                            const void* key, size_t key_size);
/* The batch is unchanged and may be written again. An empty batch changes nothing; with ASHLAR_SYNC it makes what was
 * acknowledged before durable, as ashlar_sync does. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_write(ashlar_db* db, const ashlar_batch* batch,
                                                     uint32_t flags);

/* Puts `count` pairs in bounded memory, in order, as a series of atomic batches of about 1 MiB. On an error
 * `*written` tells how many pairs, from the front, are in. `written` may be NULL. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_insert_many(ashlar_db* db, ashlar_keyspace keyspace,
                                                           const ashlar_bytes* keys,
                                                           const ashlar_bytes* values, size_t count,
                                                           uint32_t flags, size_t* written);

/* ---------------------------------------------------------------------------------------------- reads */

/* A value pinned in the database's memory: no copy was made. Release it soon: it holds back a segment or a block. */
typedef struct ashlar_value {
  const void* data; /* not NULL, even when size is 0 */
  size_t size;
  uint64_t pin_[4]; /* private */
} ashlar_value;

/* `snapshot` NULL reads the present. NOT_FOUND leaves *value zeroed (releasing it is harmless). */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_get(ashlar_db* db, const ashlar_snapshot* snapshot,
                                                   ashlar_keyspace keyspace, const void* key, size_t key_size,
                                                   ashlar_value* value);
/* From any thread, once; then the struct is zeroed. */
ASHLAR_API void ashlar_value_release(ashlar_value* value);
/* OK or NOT_FOUND. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_contains(ashlar_db* db, const ashlar_snapshot* snapshot,
                                                        ashlar_keyspace keyspace, const void* key,
                                                        size_t key_size);

/* The database as it is now, unchanged by whatever comes later. Holds back the space of what is overwritten. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_snapshot_create(ashlar_db* db, ashlar_snapshot** snapshot);
ASHLAR_API void ashlar_snapshot_release(ashlar_snapshot* snapshot);
ASHLAR_API uint64_t ashlar_snapshot_sequence(const ashlar_snapshot* snapshot);

/* ---------------------------------------------------------------------------------------------- iterators */

/* Zero it (or use an initialiser) and set what you need; {.struct_size = sizeof(ashlar_scan)} is the whole keyspace. */
typedef struct ashlar_scan {
  uint32_t struct_size;
  int32_t keys_only;   /* 1: value() is empty; cheaper */
  ashlar_bytes lower;  /* first key of the range, included; data NULL = from the beginning */
  ashlar_bytes upper;  /* end of the range, excluded; data NULL = to the end */
  ashlar_bytes prefix; /* data not NULL: only keys that begin with it; combines with the bounds */
} ashlar_scan;

/* An iterator sees the snapshot, or the moment of its creation, for its whole life. It is created unpositioned.
 * `scan` may be NULL; what it points to is copied. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_iterator_create(ashlar_db* db, const ashlar_snapshot* snapshot,
                                                               ashlar_keyspace keyspace,
                                                               const ashlar_scan* scan,
                                                               ashlar_iterator** iterator);
ASHLAR_API void ashlar_iterator_destroy(ashlar_iterator* iterator);
/* Each move returns 1 when it stands on an entry, else 0: past the end, or an error (see ashlar_iterator_status). */
ASHLAR_API int ashlar_iterator_first(ashlar_iterator* iterator);
ASHLAR_API int ashlar_iterator_last(ashlar_iterator* iterator);
/* First entry at or after `key`; last entry at or before `key`. Bounds hold. */
ASHLAR_API int ashlar_iterator_seek(ashlar_iterator* iterator, const void* key, size_t key_size);
ASHLAR_API int ashlar_iterator_seek_for_previous(ashlar_iterator* iterator, const void* key, size_t key_size);
/* No effect on an iterator that stands nowhere. */
ASHLAR_API int ashlar_iterator_next(ashlar_iterator* iterator);
ASHLAR_API int ashlar_iterator_previous(ashlar_iterator* iterator);
ASHLAR_API int ashlar_iterator_valid(const ashlar_iterator* iterator);
/* Valid until the next move. Only where the iterator stands on an entry. */
ASHLAR_API ashlar_bytes ashlar_iterator_key(const ashlar_iterator* iterator);
ASHLAR_API ashlar_bytes ashlar_iterator_value(const ashlar_iterator* iterator);
/* OK unless a move met an error; a scan is complete only if this is OK after it. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_iterator_status(const ashlar_iterator* iterator);

/* ---------------------------------------------------------------------------------------------- maintenance */

/* Makes everything acknowledged durable against power loss by syncing the journal (FAST: by flushing). */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_sync(ashlar_db* db);
/* Moves everything in memory into sorted runs; durable against power loss on return. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_flush(ashlar_db* db);
/* Flushes, then merges all runs into the bottom level, dropping what no snapshot can see. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_compact(ashlar_db* db);
/* Flushes, then waits until no background flush or compaction is due. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_wait_idle(ashlar_db* db);
/* Reads every byte and checks every checksum, order and count. CORRUPTION names the first damage. */
ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_verify(ashlar_db* db);

#define ASHLAR_LEVELS 7

typedef struct ashlar_stats {
  uint32_t struct_size; /* set by the caller to sizeof(ashlar_stats) */
  uint32_t keyspaces;
  uint64_t last_sequence;   /* mutations ever committed */
  uint64_t oldest_snapshot; /* its sequence; 0 = no snapshot is open */
  uint64_t snapshots;
  uint64_t delta_bytes; /* segments and indexes in memory, active and sealed */
  uint64_t sealed_deltas;
  uint64_t journal_bytes; /* segment files on disk, spare included */
  uint64_t run_files;
  uint64_t run_bytes;
  uint64_t run_entries; /* versions and tombstones, not live keys */
  uint64_t run_tombstones;
  uint64_t level_files[ASHLAR_LEVELS];
  uint64_t level_bytes[ASHLAR_LEVELS];
  uint64_t cache_bytes;
  uint64_t cache_hits;
  uint64_t cache_misses;
  uint64_t bytes_committed; /* since open: frames */
  uint64_t bytes_flushed;   /* since open: runs written by flushes */
  uint64_t bytes_compacted; /* since open: runs written by compactions */
  uint64_t flushes;
  uint64_t compactions;
  uint64_t write_stalls; /* writers that had to wait for a flush or a segment */
  uint64_t write_stall_ns;
  uint64_t journal_syncs;
  uint64_t recovered_frames;       /* at open */
  uint64_t recovery_dropped_bytes; /* at open: torn, never acknowledged tail */
  uint64_t recovery_ns;
} ashlar_stats;

ASHLAR_API ASHLAR_NODISCARD ashlar_code ashlar_get_stats(ashlar_db* db, ashlar_stats* stats);
/* The last failure of background work, "" if the last attempt succeeded. Copied into `text` (NUL-terminated, cut to fit).
 * Background work retries by itself; a full disk heals without reopening. */
ASHLAR_API void ashlar_background_error(ashlar_db* db, char* text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
