#include "text.h"

#include <fmt/format.h>

#include "failure.h"

namespace ashlar::cli {

namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_hex_byte(std::string& out, char byte) {
  const auto value = static_cast<unsigned char>(byte);
  out += kHexDigits[value >> 4];
  out += kHexDigits[value & 15];
}

}  // namespace

size_t utf8_sequence(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = at(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = utf8_sequence(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

void append_escaped(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const char c = bytes.front();
    const size_t length = utf8_sequence(bytes);
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (length == 0 || (c >= 0 && c < 0x20) || c == 0x7f) {
      out += "\\x";
      append_hex_byte(out, c);
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
}

bool unescape(std::string_view text, std::string* bytes, std::string* problem) {
  bytes->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      *bytes += text[i];
      continue;
    }
    const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
    ++i;
    if (kind == '\\') {
      *bytes += '\\';
    } else if (kind == 't') {
      *bytes += '\t';
    } else if (kind == 'n') {
      *bytes += '\n';
    } else if (kind == 'r') {
      *bytes += '\r';
    } else if (kind == 'x' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
               hex_value(text[i + 2]) >= 0) {
      *bytes += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      *problem = fmt::format("'{}' is no escape; a backslash begins \\\\, \\t, \\n, \\r or \\xNN",
                             text.substr(i - 1, 4));
      return false;
    }
  }
  return true;
}

void append_hex(std::string& out, std::string_view bytes) {
  for (const char c : bytes) append_hex_byte(out, c);
}

bool read_hex(std::string_view text, std::string* bytes, std::string* problem) {
  bytes->clear();
  if (text.size() % 2 != 0) {
    *problem = fmt::format("{} hexadecimal digits are no whole number of bytes", text.size());
    return false;
  }
  for (size_t i = 0; i < text.size(); i += 2) {
    if (hex_value(text[i]) < 0 || hex_value(text[i + 1]) < 0) {
      *problem = fmt::format("'{}' is not hexadecimal", text.substr(i, 2));
      return false;
    }
    *bytes += static_cast<char>(hex_value(text[i]) * 16 + hex_value(text[i + 1]));
  }
  return true;
}

std::string read_argument(std::string_view what, std::string_view text, bool hex) {
  std::string bytes;
  std::string problem;
  const bool good = hex ? read_hex(text, &bytes, &problem) : unescape(text, &bytes, &problem);
  if (!good) throw usage_failure(fmt::format("{}: {}", what, problem));
  return bytes;
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  const auto value = static_cast<double>(bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 1e9) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

std::string rate_text(double per_second) {
  if (per_second < 10e3) return fmt::format("{:.0f}/s", per_second);
  if (per_second < 1e6) return fmt::format("{:.0f} k/s", per_second / 1e3);
  return fmt::format("{:.2f} M/s", per_second / 1e6);
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

}  // namespace ashlar::cli
