#include "json.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>

#include "text.h"

namespace ashlar::cli {

namespace {

constexpr int kMaxDepth = 200;
// The letter behind a backslash, and what it stands for.
constexpr std::string_view kEscapes = "\"\\/bfnrt";
constexpr std::string_view kEscaped = "\"\\/\b\f\n\r\t";

class ObjectReader {
 public:
  explicit ObjectReader(std::string_view line) : line_(line) {}

  bool object(std::vector<JsonMember>* members) {
    skip_blanks();
    if (!expect('{')) return false;
    skip_blanks();
    if (eat('}')) return at_end();
    do {
      JsonMember member;
      skip_blanks();
      if (!string(&member.name)) return false;
      skip_blanks();
      if (!expect(':')) return false;
      skip_blanks();
      if (!member_value(&member)) return false;
      members->push_back(std::move(member));
      skip_blanks();
    } while (eat(','));
    return expect('}') && at_end();
  }

  std::string problem() const { return fmt::format("column {}: {}", at_ + 1, problem_); }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  bool eat(char c) {
    if (peek() != c || at_ == line_.size()) return false;
    ++at_;
    return true;
  }
  bool expect(char c) { return eat(c) || fail(fmt::format("expected '{}'", c)); }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == line_.size() || fail("more than one object in the line");
  }

  bool member_value(JsonMember* member) {
    const size_t start = at_;
    member->is_string = peek() == '"';
    if (member->is_string ? !string(&member->text) : !value(0)) return false;
    member->raw = line_.substr(start, at_ - start);
    if (!member->is_string) member->text = member->raw;
    return true;
  }

  bool value(int depth) {
    std::string ignored;
    if (depth > kMaxDepth) return fail("nested too deeply");
    if (peek() == '"') return string(&ignored);
    if (peek() == '{' || peek() == '[') return container(depth);
    return word();
  }

  bool container(int depth) {
    const bool is_object = peek() == '{';
    const char close = is_object ? '}' : ']';
    ++at_;
    skip_blanks();
    if (eat(close)) return true;
    do {
      skip_blanks();
      if (is_object) {
        std::string ignored;
        if (!string(&ignored)) return false;
        skip_blanks();
        if (!expect(':')) return false;
        skip_blanks();
      }
      if (!value(depth + 1)) return false;
      skip_blanks();
    } while (eat(','));
    return expect(close);
  }

  // A number, true, false or null; the spelling of numbers is not checked further than their characters.
  bool word() {
    const size_t start = at_;
    while (at_ < line_.size() && (std::isalnum(static_cast<unsigned char>(line_[at_])) != 0 ||
                                  peek() == '-' || peek() == '+' || peek() == '.')) {
      ++at_;
    }
    const std::string_view word = line_.substr(start, at_ - start);
    const bool number = word.find_first_not_of("0123456789+-.eE") == std::string_view::npos && !word.empty();
    if (number || word == "true" || word == "false" || word == "null") return true;
    at_ = start;
    return fail("expected a value");
  }

  bool string(std::string* out) {
    if (!eat('"')) return fail("expected a string");
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        *out += c;
      } else if (!escape(out)) {
        return false;
      }
    }
    return fail("the string does not end");
  }

  bool escape(std::string* out) {
    const char kind = peek();
    ++at_;
    if (const size_t simple = kEscapes.find(kind); kind != '\0' && simple != std::string_view::npos) {
      *out += kEscaped[simple];
      return true;
    }
    uint32_t code = 0;
    if (kind != 'u' || !four_digits(&code)) return fail("no such escape");
    if (code >= 0xd800 && code < 0xdc00) {
      uint32_t low = 0;
      if (!eat('\\') || !eat('u') || !four_digits(&low) || low < 0xdc00 || low > 0xdfff) {
        return fail("half of a surrogate pair");
      }
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      return fail("half of a surrogate pair");
    }
    append_utf8(out, code);
    return true;
  }

  bool four_digits(uint32_t* code) {
    std::string bytes;
    std::string ignored;
    if (line_.size() - at_ < 4 || !read_hex(line_.substr(at_, 4), &bytes, &ignored)) return false;
    *code = static_cast<uint32_t>(static_cast<unsigned char>(bytes[0])) << 8 |
            static_cast<unsigned char>(bytes[1]);
    at_ += 4;
    return true;
  }

  static void append_utf8(std::string* out, uint32_t code) {
    const auto tail = [&](int shift) { *out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
    if (code < 0x80) {
      *out += static_cast<char>(code);
    } else if (code < 0x800) {
      *out += static_cast<char>(0xc0 | code >> 6);
      tail(0);
    } else if (code < 0x10000) {
      *out += static_cast<char>(0xe0 | code >> 12);
      tail(6);
      tail(0);
    } else {
      *out += static_cast<char>(0xf0 | code >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }

  std::string_view line_;
  size_t at_ = 0;
  std::string problem_;
};

}  // namespace

bool read_json_object(std::string_view line, std::vector<JsonMember>* members, std::string* problem) {
  members->clear();
  ObjectReader reader(line);
  if (reader.object(members)) return true;
  *problem = reader.problem();
  return false;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if ((c >= 0 && c < 0x20) || c == 0x7f) {
      out += "\\u00";
      append_hex(out, std::string_view(&c, 1));
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace ashlar::cli
