#include "model/keys.h"

#include <algorithm>

namespace ashlar::model {

namespace {

std::string big_endian(uint64_t number, size_t bytes) {
  std::string key(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) key[bytes - 1 - i] = static_cast<char>(number >> (8 * i));
  return key;
}

std::string draw_key(Prng& prng) {
  switch (prng.below(10)) {
    case 0:
      return std::string(prng.below(6), '\0');
    case 1:
      return std::string(prng.below(5), '\xff');
    case 2:
      return std::string(prng.below(40), 'a');
    case 3:
      return "user/" + std::to_string(prng.below(30)) + "/" + std::to_string(prng.below(30));
    case 4:
      return big_endian(prng.below(300), 4);
    case 5:
      return "k" + big_endian(prng.below(100000), 8) + std::string(prng.below(3), '\0');
    case 6:
      return std::string(200, 'p') + std::to_string(prng.below(300));
    case 7:
      return prng.one_in(8) ? std::string(900 + prng.below(200), static_cast<char>('q' + prng.below(3)))
                            : big_endian(prng.next(), 8);
    case 8: {
      std::string key = big_endian(prng.below(256), 1);
      key.append(prng.below(3), static_cast<char>(prng.below(256)));
      return key;
    }
    default:
      return std::to_string(prng.below(2000));
  }
}

}  // namespace

KeySet::KeySet(Prng& prng, size_t count) {
  keys_.reserve(count + 2);
  keys_.emplace_back();
  keys_.emplace_back(1, '\0');
  for (size_t i = 0; i < count; ++i) keys_.push_back(draw_key(prng));
  std::sort(keys_.begin(), keys_.end(), [](Bytes a, Bytes b) { return a < b; });
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
}

Rank KeySet::lower_bound(Bytes key) const {
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), key, [](Bytes a, Bytes b) { return a < b; });
  return static_cast<Rank>(at - keys_.begin());
}

Rank KeySet::find(Bytes key) const {
  const Rank rank = lower_bound(key);
  return rank < size() && keys_[rank] == key ? rank : size();
}

std::string KeySet::near_key(Prng& prng) const {
  std::string key = keys_[prng.below(keys_.size())];
  switch (prng.below(6)) {
    case 0:
      key.push_back('\0');
      break;
    case 1:
      key.push_back('\xff');
      break;
    case 2:
      if (!key.empty()) key.pop_back();
      break;
    case 3:
      if (!key.empty()) key.back() = static_cast<char>(key.back() + 1);
      break;
    default:
      break;
  }
  return key;
}

std::string printable(Bytes key) {
  if (key.size() > 48) return printable(key.substr(0, 32)) + "...(" + std::to_string(key.size()) + " bytes)";
  const bool text = std::all_of(key.begin(), key.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (text) return "\"" + std::string(key) + "\"";
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "x'";
  for (const char c : key) {
    out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return out + "'";
}

}  // namespace ashlar::model
