/* The C interface of the static library that bench/peers/rust builds: TurboKV, fjall, redb and sled alike.
 * Calls that fail return -1 (or NULL) and leave the text in ashpeer_error. A handle belongs to one thread at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ashpeer_handle ashpeer_handle;

typedef struct ashpeer_options {
  uint32_t promise; /* 0 nothing, 1 process crash, 2 power loss */
  uint64_t write_buffer_bytes;
  uint64_t cache_bytes;
} ashpeer_options;

typedef struct ashpeer_entry {
  const uint8_t* key;
  size_t key_size;
  const uint8_t* value;
  size_t value_size;
} ashpeer_entry;

typedef void (*ashpeer_value_sink)(void* context, const uint8_t* value, size_t value_size);
typedef void (*ashpeer_entry_sink)(void* context, const uint8_t* key, size_t key_size, const uint8_t* value,
                                   size_t value_size);

size_t ashpeer_count(void);
const char* ashpeer_name(size_t index);
const char* ashpeer_error(void);
/* Valid until the thread's next call of either. */
const char* ashpeer_version(const char* name);
int ashpeer_fit(const char* name, uint32_t promise, const char** text);

ashpeer_handle* ashpeer_open(const char* name, const char* path, const ashpeer_options* options);
const char* ashpeer_settings(const ashpeer_handle* handle);
int ashpeer_put(ashpeer_handle* handle, const uint8_t* key, size_t key_size, const uint8_t* value,
                size_t value_size);
int ashpeer_write(ashpeer_handle* handle, const ashpeer_entry* entries, size_t count);
/* 1 found, 0 not found. */
int ashpeer_get(ashpeer_handle* handle, const uint8_t* key, size_t key_size, ashpeer_value_sink sink,
                void* context);
int64_t ashpeer_scan(ashpeer_handle* handle, const uint8_t* from, size_t from_size, uint64_t limit,
                     ashpeer_entry_sink sink, void* context);
int ashpeer_remove(ashpeer_handle* handle, const uint8_t* key, size_t key_size);
int ashpeer_sync(ashpeer_handle* handle);
int ashpeer_drain(ashpeer_handle* handle);
/* The handle is gone whatever it returns. */
int ashpeer_close(ashpeer_handle* handle);

#ifdef __cplusplus
}
#endif
