#include "lsm/run_meta.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ashlar::lsm {

namespace {

constexpr std::string_view kSuffix = ".run";
constexpr size_t kMinDigits = 6;

}  // namespace

std::string run_file_name(RunId id) {
  std::string digits = std::to_string(id.value);
  if (digits.size() < kMinDigits) digits.insert(0, kMinDigits - digits.size(), '0');
  return digits.append(kSuffix);
}

std::optional<RunId> parse_run_file_name(std::string_view name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  uint64_t value = 0;
  for (const char c : name.substr(0, name.size() - kSuffix.size())) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  if (run_file_name(RunId(value)) != name) return std::nullopt;
  return RunId(value);
}

RunMeta::RunMeta(std::shared_ptr<const RunContext> context, RunId id, run::Properties properties)
    : context_(std::move(context)), id_(id), properties_(std::move(properties)) {}

RunMeta::~RunMeta() {
  owned_.reset();
  if (!obsolete_.load(std::memory_order_acquire)) return;
  if (context_->cache != nullptr) context_->cache->erase(id_);
  if (context_->remove_file) {
    context_->remove_file(file_name());
    return;
  }
  // A file that cannot be removed now is a stray that the next open removes.
  (void)context_->directory->remove(file_name());
}

Result<const run::Reader*> RunMeta::reader() const {
  const run::Reader* known = reader_.load(std::memory_order_acquire);
  if (ASHLAR_LIKELY(known != nullptr)) return known;
  const std::lock_guard lock(opening_);
  if (owned_ == nullptr) ASHLAR_TRY(open());
  return owned_.get();
}

Status RunMeta::open() const {
  const std::string name = file_name();
  auto file = context_->directory->open(name, io::OpenMode::read_only);
  if (!file.ok()) {
    auto names = context_->directory->list();
    if (names.ok() && std::find(names->begin(), names->end(), name) == names->end())
      return corruption(name + ": expected a run of " + std::to_string(properties_.file_bytes) +
                        " bytes, which the manifest names; found no such file");
    return std::move(file).status();
  }
  ASHLAR_ASSIGN(auto reader, run::Reader::open(std::move(file).value(), properties_.file_bytes,
                                               context_->database, id_, context_->cache.get()));
  if (reader->properties() != properties_)
    return corruption(name + ": its properties are not those that the manifest holds: expected identity " +
                      std::to_string(properties_.identity) + ", found " +
                      std::to_string(reader->properties().identity));
  owned_ = std::move(reader);
  reader_.store(owned_.get(), std::memory_order_release);
  return ok_status();
}

uint64_t RunMeta::reader_bytes() const {
  const run::Reader* known = reader_.load(std::memory_order_acquire);
  return known == nullptr ? 0 : known->memory_bytes();
}

}  // namespace ashlar::lsm
