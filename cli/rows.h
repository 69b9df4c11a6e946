// Input of `load`: a file or standard input as a sequence of key-value pairs.
//
//   tsv    key TAB value, escaped as in text.h; a line each
//   csv    RFC 4180: quotes, doubled quotes, line breaks inside quotes; the first record names the columns
//   jsonl  an object a line: {"key":"k","value":"v"}, or key_hex and value_hex; or any object and --key-column
//
// Columns are chosen by name, or by number from 1 where there is no header. Without --value-column: the other one of two
// columns; of more, a JSON object of the whole row. For jsonl: the member "value", else the line itself.
// Errors: Failure(usage) that names file and line, Failure(failed) where reading fails.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar::cli {

enum class RowFormat { tsv, csv, jsonl };

struct RowOptions {
  RowFormat format = RowFormat::tsv;
  std::string key_column;
  std::string value_column;
  std::optional<bool> header;  // default: csv yes, tsv no
  bool hex = false;            // tsv and csv: key and value are hexadecimal
};

struct Row {
  std::string key;
  std::string value;
  std::optional<std::string> keyspace;  // jsonl may name it
};

// Buffered bytes of a file, counted.
class Input {
 public:
  // "-" is standard input.
  explicit Input(const std::string& path);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  // The next byte, or -1 at the end.
  int get();
  // A line without its LF or CRLF; false at the end.
  bool line(std::string* out);
  const std::string& name() const noexcept { return name_; }
  uint64_t bytes_read() const noexcept { return bytes_read_; }
  uint64_t line_number() const noexcept { return line_number_; }
  // 0 where it is not known.
  uint64_t size_bytes() const noexcept { return size_bytes_; }

 private:
  bool fill();
  std::FILE* file_;
  std::string name_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t line_number_ = 0;
  uint64_t size_bytes_ = 0;
};

class RowReader {
 public:
  virtual ~RowReader() = default;
  // False at the end.
  virtual bool next(Row* row) = 0;
};

// `input` outlives the reader.
std::unique_ptr<RowReader> make_row_reader(Input& input, const RowOptions& options);

// By the end of the name: .csv, .jsonl, .ndjson; everything else is tsv.
RowFormat guess_format(std::string_view path);

}  // namespace ashlar::cli
