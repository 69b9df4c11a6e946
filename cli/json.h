// JSON lines: one object a line. Only what loading and dumping need: the members of the outermost object, each with its
// text as written and, for strings, its content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ashlar::cli {

struct JsonMember {
  std::string name;
  std::string_view raw;  // as written, within the line
  bool is_string = false;
  std::string text;  // content of a string; `raw` otherwise
};

// False, with *problem set, where `line` is not exactly one object.
bool read_json_object(std::string_view line, std::vector<JsonMember>* members, std::string* problem);

// `text` is valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace ashlar::cli
