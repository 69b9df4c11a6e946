#include "rows.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "failure.h"
#include "json.h"
#include "text.h"

namespace ashlar::cli {

namespace {

constexpr size_t kBufferBytes = 256 * 1024;

[[noreturn]] void refuse(const Input& input, uint64_t line, const std::string& problem) {
  throw usage_failure(fmt::format("{}:{}: {}", input.name(), line, problem));
}

// Splits records into fields; what is a record differs between tsv and csv.
class Records {
 public:
  virtual ~Records() = default;
  virtual bool next(std::vector<std::string>* fields) = 0;
  // Where the record began.
  uint64_t line() const noexcept { return line_; }

 protected:
  uint64_t line_ = 0;
};

class TsvRecords final : public Records {
 public:
  TsvRecords(Input& input, bool raw) : input_(input), raw_(raw) {}

  bool next(std::vector<std::string>* fields) override {
    fields->clear();
    if (!input_.line(&text_)) return false;
    line_ = input_.line_number();
    std::string_view rest = text_;
    for (;;) {
      const size_t tab = rest.find('\t');
      add(rest.substr(0, tab), fields);
      if (tab == std::string_view::npos) return true;
      rest.remove_prefix(tab + 1);
    }
  }

 private:
  void add(std::string_view text, std::vector<std::string>* fields) {
    std::string bytes;
    std::string problem;
    if (raw_) {
      bytes = text;
    } else if (!unescape(text, &bytes, &problem)) {
      refuse(input_, line_, problem);
    }
    fields->push_back(std::move(bytes));
  }

  Input& input_;
  bool raw_;
  std::string text_;
};

class CsvRecords final : public Records {
 public:
  explicit CsvRecords(Input& input) : input_(input) {}

  bool next(std::vector<std::string>* fields) override {
    fields->clear();
    line_ = std::max<uint64_t>(input_.line_number(), 1);
    int c = input_.get();
    if (c < 0) return false;
    for (;;) {
      std::string field;
      c = c == '"' ? quoted(&field) : plain(c, &field);
      fields->push_back(std::move(field));
      if (c != ',') return true;
      c = input_.get();
    }
  }

 private:
  // Both return what ended the field: a comma, '\n' or -1.
  int plain(int c, std::string* field) {
    for (; c != ',' && c != '\n' && c >= 0; c = input_.get()) *field += static_cast<char>(c);
    if (c != ',' && !field->empty() && field->back() == '\r') field->pop_back();
    return c;
  }

  int quoted(std::string* field) {
    const uint64_t start = input_.line_number();
    for (;;) {
      int c = input_.get();
      if (c < 0) refuse(input_, start, "the quote that opens here is not closed");
      if (c != '"') {
        *field += static_cast<char>(c);
        continue;
      }
      c = input_.get();
      if (c == '"') {
        *field += '"';
        continue;
      }
      if (c == '\r') c = input_.get();
      if (c != ',' && c != '\n' && c >= 0) refuse(input_, line_, "text after a closing quote");
      return c;
    }
  }

  Input& input_;
};

class FieldReader final : public RowReader {
 public:
  FieldReader(Input& input, std::unique_ptr<Records> records, const RowOptions& options)
      : input_(input), records_(std::move(records)), options_(options) {
    const bool header = options.header.value_or(options.format == RowFormat::csv);
    if (header) records_->next(&names_);
  }

  bool next(Row* row) override {
    do {
      if (!records_->next(&fields_)) return false;
    } while (fields_.size() == 1 && fields_[0].empty());
    if (!resolved_) resolve();
    if (fields_.size() != width_) {
      refuse(input_, records_->line(),
             fmt::format("{} columns; the ones before had {}", fields_.size(), width_));
    }
    row->keyspace.reset();
    row->key = bytes(fields_[key_]);
    row->value = value_ ? bytes(fields_[*value_]) : as_json();
    return true;
  }

 private:
  // Finds the columns, once the number of columns is known.
  void resolve() {
    resolved_ = true;
    width_ = names_.empty() ? fields_.size() : names_.size();
    key_ = options_.key_column.empty() ? 0 : column(options_.key_column);
    if (!options_.value_column.empty()) {
      value_ = column(options_.value_column);
    } else if (width_ == 2) {
      value_ = 1 - key_;
    } else if (width_ < 2 || names_.empty()) {
      refuse(input_, records_->line(),
             fmt::format("{} column{}; a key and a value are two (--value-column chooses one of more)",
                         width_, width_ == 1 ? "" : "s"));
    }
  }

  size_t column(const std::string& name) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    size_t number = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem == std::errc() && end == name.data() + name.size() && number >= 1 && number <= width_) {
      return number - 1;
    }
    throw usage_failure(fmt::format("{}: no column '{}' among {}", input_.name(), name,
                                    names_.empty() ? fmt::format("{} unnamed ones", width_)
                                                   : fmt::format("'{}'", fmt::join(names_, "', '"))));
  }

  std::string bytes(const std::string& field) const {
    if (!options_.hex) return field;
    std::string out;
    std::string problem;
    if (!read_hex(field, &out, &problem)) refuse(input_, records_->line(), problem);
    return out;
  }

  std::string as_json() const {
    std::string json = "{";
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (i > 0) json += ',';
      if (!is_utf8(names_[i]) || !is_utf8(fields_[i])) {
        refuse(input_, records_->line(),
               fmt::format("column {} is not UTF-8; choose one with --value-column", i + 1));
      }
      append_json_string(json, names_[i]);
      json += ':';
      append_json_string(json, fields_[i]);
    }
    return json + '}';
  }

  Input& input_;
  std::unique_ptr<Records> records_;
  RowOptions options_;
  std::vector<std::string> names_;
  std::vector<std::string> fields_;
  bool resolved_ = false;
  size_t width_ = 0;
  size_t key_ = 0;
  std::optional<size_t> value_;
};

class JsonReader final : public RowReader {
 public:
  JsonReader(Input& input, const RowOptions& options) : input_(input), options_(options) {}

  bool next(Row* row) override {
    do {
      if (!input_.line(&line_)) return false;
    } while (line_.find_first_not_of(" \t") == std::string::npos);
    std::string problem;
    if (!read_json_object(line_, &members_, &problem)) refuse(input_, input_.line_number(), problem);

    const std::string key_name = options_.key_column.empty() ? "key" : options_.key_column;
    if (!pick(key_name, &row->key))
      refuse(input_, input_.line_number(), fmt::format("no member \"{}\"", key_name));
    const std::string value_name = options_.value_column.empty() ? "value" : options_.value_column;
    if (!pick(value_name, &row->value)) {
      if (!options_.value_column.empty())
        refuse(input_, input_.line_number(), fmt::format("no member \"{}\"", value_name));
      row->value = line_;
    }
    std::string keyspace;
    row->keyspace.reset();
    if (options_.key_column.empty() && pick("keyspace", &keyspace)) row->keyspace = keyspace;
    return true;
  }

 private:
  // The member, or its _hex twin. The last one of a name counts, as everywhere in JSON.
  bool pick(const std::string& name, std::string* out) const {
    for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
      if (member->name == name) {
        *out = member->text;
        return true;
      }
      if (member->is_string && member->name == name + "_hex") {
        std::string problem;
        if (!read_hex(member->text, out, &problem)) refuse(input_, input_.line_number(), problem);
        return true;
      }
    }
    return false;
  }

  Input& input_;
  RowOptions options_;
  std::string line_;
  std::vector<JsonMember> members_;
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

Input::Input(const std::string& path)
    : file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb")),
      name_(path == "-" ? "standard input" : path) {
  if (file_ == nullptr) throw system_failure("cannot read " + path);
  struct stat info = {};
  if (fstat(fileno(file_), &info) == 0 && S_ISREG(info.st_mode))
    size_bytes_ = static_cast<uint64_t>(info.st_size);
}

Input::~Input() {
  if (file_ != stdin) std::fclose(file_);
}

bool Input::fill() {
  buffer_.resize(kBufferBytes);
  const size_t count = std::fread(buffer_.data(), 1, buffer_.size(), file_);
  if (count == 0 && std::ferror(file_) != 0) throw system_failure("cannot read " + name_);
  buffer_.resize(count);
  at_ = 0;
  return count > 0;
}

int Input::get() {
  if (at_ == buffer_.size() && !fill()) return -1;
  if (bytes_read_ == 0) line_number_ = 1;
  const char c = buffer_[at_++];
  ++bytes_read_;
  if (c == '\n') ++line_number_;
  return static_cast<unsigned char>(c);
}

bool Input::line(std::string* out) {
  out->clear();
  bool any = false;
  while (at_ < buffer_.size() || fill()) {
    any = true;
    const size_t end = buffer_.find('\n', at_);
    const size_t stop = end == std::string::npos ? buffer_.size() : end;
    out->append(buffer_, at_, stop - at_);
    bytes_read_ += stop - at_;
    at_ = stop;
    if (end == std::string::npos) continue;
    ++at_;
    ++bytes_read_;
    break;
  }
  if (any) ++line_number_;
  if (!out->empty() && out->back() == '\r') out->pop_back();
  return any;
}

std::unique_ptr<RowReader> make_row_reader(Input& input, const RowOptions& options) {
  switch (options.format) {
    case RowFormat::tsv:
      return std::make_unique<FieldReader>(input, std::make_unique<TsvRecords>(input, options.hex), options);
    case RowFormat::csv:
      return std::make_unique<FieldReader>(input, std::make_unique<CsvRecords>(input), options);
    case RowFormat::jsonl:
      return std::make_unique<JsonReader>(input, options);
  }
  return nullptr;
}

RowFormat guess_format(std::string_view path) {
  if (ends_with(path, ".csv")) return RowFormat::csv;
  if (ends_with(path, ".jsonl") || ends_with(path, ".ndjson")) return RowFormat::jsonl;
  return RowFormat::tsv;
}

}  // namespace ashlar::cli
