/* The steps of quickstart.cpp through the C interface. Argument: the directory of the database.
 *
 * With CMake: see CMakeLists.txt. Without: cc quickstart.c $(pkg-config --cflags --libs ashlar) */
#include <ashlar/ashlar.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the library's own words when a call failed. */
static void check(ashlar_code code) {
  if (code == ASHLAR_OK) return;
  fprintf(stderr, "%s: %s\n", ashlar_code_name(code), ashlar_last_error());
  exit(1);
}

static void print_apples(ashlar_db* db, const ashlar_snapshot* snapshot) {
  ashlar_scan scan = {.struct_size = sizeof scan, .prefix = {"apple/", 6}};
  ashlar_iterator* it = NULL;
  check(ashlar_iterator_create(db, snapshot, 0, &scan, &it));
  for (int on = ashlar_iterator_first(it); on; on = ashlar_iterator_next(it)) {
    ashlar_bytes key = ashlar_iterator_key(it);
    ashlar_bytes value = ashlar_iterator_value(it);
    printf("%.*s = %.*s\n", (int)key.size, (const char*)key.data, (int)value.size, (const char*)value.data);
  }
  check(ashlar_iterator_status(it)); /* a scan is complete only if this is OK */
  ashlar_iterator_destroy(it);
}

int main(int argc, char** argv) {
  ashlar_db* db = NULL;
  check(ashlar_open(argc > 1 ? argv[1] : "inventory", NULL, &db)); /* NULL: survives kill -9 */

  check(ashlar_put(db, 0, "apple/green", 11, "12", 2, 0));

  ashlar_value value;
  check(ashlar_get(db, NULL, 0, "apple/green", 11, &value));
  printf("green apples: %.*s\n", (int)value.size, (const char*)value.data);
  ashlar_value_release(&value);

  ashlar_snapshot* before = NULL;
  check(ashlar_snapshot_create(db, &before));

  ashlar_batch* batch = ashlar_batch_create();
  check(ashlar_batch_put(batch, 0, "apple/red", 9, "7", 1));
  check(ashlar_batch_remove(batch, 0, "apple/green", 11));
  check(ashlar_write(db, batch, ASHLAR_SYNC)); /* this one survives a power cut as well */
  ashlar_batch_destroy(batch);

  printf("now:\n");
  print_apples(db, NULL);
  printf("before:\n");
  print_apples(db, before);
  ashlar_snapshot_release(before);

  check(ashlar_close(db));
  return 0;
}
