// A part of a program that is compiled with -fno-exceptions and uses the C++ interface.
#pragma once

#include <string>

namespace ashlar_test::no_exceptions {

std::string put_and_get(const std::string& path);
void check_a_failure();
void loop_over_a_closed_database();

}  // namespace ashlar_test::no_exceptions
