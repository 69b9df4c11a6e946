#include "api/handles.h"

#include <string>

namespace ashlar::api {

ashlar_code refuse_null(std::string_view what) {
  return fail(ASHLAR_INVALID_ARGUMENT, std::string(what) + " is NULL");
}

ashlar_code refuse_database(const ashlar_db* db) {
  if (db == nullptr) return refuse_null("the database handle");
  return fail(ASHLAR_CLOSED, "the database was opened by another process: a handle does not survive fork()");
}

ashlar_code refuse_foreign_snapshot() {
  return fail(ASHLAR_INVALID_ARGUMENT,
              "the snapshot belongs to another database, or to an earlier open of this one");
}

ashlar_code refuse_bytes(std::string_view what) {
  return fail(ASHLAR_INVALID_ARGUMENT, std::string(what) + " is NULL, but its size is not 0");
}

}  // namespace ashlar::api
