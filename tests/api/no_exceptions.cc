#include "no_exceptions.h"

#include <ashlar/ashlar.hpp>

#ifdef __cpp_exceptions
#error "this file is about programs without exceptions"
#endif

namespace ashlar_test::no_exceptions {

std::string put_and_get(const std::string& path) {
  ashlar::Db db = ashlar::Db::open(path).value();
  db.put("key", "value").check();
  return db.get("key").value()->str();
}

void check_a_failure() {
  ashlar::Db db;
  db.put("key", "value").check();
}

void loop_over_a_closed_database() {
  const ashlar::Db db;
  for (auto [key, value] : db.scan()) (void)key, (void)value;
}

}  // namespace ashlar_test::no_exceptions
