// Bytes as text and back. Every sequence of bytes has an escaped form of one line, and reading it gives the same bytes.
//
//   \\ backslash   \t tab   \n newline   \r return   \xNN any byte
//
// Written escaped: control characters, the backslash, and bytes that are not part of valid UTF-8. Read: the five forms
// above; any other backslash is an error, never a guess.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::cli {

void append_escaped(std::string& out, std::string_view bytes);
// False, with *problem set, where `text` is not the escaped form of anything.
bool unescape(std::string_view text, std::string* bytes, std::string* problem);

void append_hex(std::string& out, std::string_view bytes);
bool read_hex(std::string_view text, std::string* bytes, std::string* problem);

bool is_utf8(std::string_view bytes);
// Length of the valid UTF-8 sequence that `bytes` begins with; 0 where there is none.
size_t utf8_sequence(std::string_view bytes);

// Arguments of the command line: escaped text, or hexadecimal where `hex`. Throws Failure(usage).
std::string read_argument(std::string_view what, std::string_view text, bool hex);

// "1,234,567", "61.2 MB", "227 k/s", "12 ms"
std::string grouped(uint64_t number);
std::string bytes_text(uint64_t bytes);
std::string rate_text(double per_second);
std::string duration_text(double seconds);

}  // namespace ashlar::cli
