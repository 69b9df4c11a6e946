// Keys and values: Bytes is what you pass (a view), Value is what you get (pinned in the database, not copied).
//
//   std::string text; std::vector<std::byte> blob;
//   db.put("literal", text); db.put(text, blob);        // anything that is text or contiguous bytes
//   if (auto v = db.get(text).value()) use(*v);         // as std::string_view or std::span<const std::byte>
#pragma once

#include <ashlar/ashlar.h>

#include <ashlar/cpp/error.hpp>
#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace ASHLAR_CPP_NAMESPACE {
namespace detail {

template <typename T>
concept Text = std::convertible_to<const T&, std::string_view>;

template <typename T>
concept ByteRange = !Text<T> && std::ranges::contiguous_range<const T> && std::ranges::sized_range<const T> &&
                    (std::same_as<std::remove_cv_t<std::ranges::range_value_t<const T>>, std::byte> ||
                     std::same_as<std::remove_cv_t<std::ranges::range_value_t<const T>>, unsigned char> ||
                     std::same_as<std::remove_cv_t<std::ranges::range_value_t<const T>>, char>);

}  // namespace detail

// A parameter type: a view of bytes for the length of one call. A `const char*` ends at its first NUL; every other
// source keeps its NULs.
class Bytes {
 public:
  constexpr Bytes() noexcept = default;
  constexpr Bytes(std::nullptr_t) = delete;
  constexpr Bytes(const char* data, std::size_t size) noexcept : view_(data, size) {}
  template <detail::Text T>
  constexpr Bytes(const T& text) : view_(static_cast<std::string_view>(text)) {}
  template <detail::ByteRange T>
  Bytes(const T& range)
      : view_(reinterpret_cast<const char*>(std::ranges::data(range)), std::ranges::size(range)) {}

  constexpr const char* data() const noexcept { return view_.data() == nullptr ? "" : view_.data(); }
  constexpr std::size_t size() const noexcept { return view_.size(); }
  constexpr operator std::string_view() const noexcept { return view_; }

 private:
  std::string_view view_;
};

// A value of the database, readable while this object lives, also after the key was overwritten or the database
// closed. Holds back memory: let it go soon, or copy with str(). Move-only; one thread at a time.
class Value {
 public:
  Value() noexcept : value_{} {}
  Value(Value&& other) noexcept : value_(std::exchange(other.value_, ashlar_value{})) {}
  Value& operator=(Value&& other) noexcept {
    if (this != &other) {
      ashlar_value_release(&value_);
      value_ = std::exchange(other.value_, ashlar_value{});
    }
    return *this;
  }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() { ashlar_value_release(&value_); }

  const char* data() const noexcept {
    return value_.data == nullptr ? "" : static_cast<const char*>(value_.data);
  }
  std::size_t size() const noexcept { return value_.size; }
  bool empty() const noexcept { return value_.size == 0; }
  std::string_view view() const& noexcept { return {data(), size()}; }
  std::span<const std::byte> bytes() const& noexcept {
    return {reinterpret_cast<const std::byte*>(data()), size()};
  }
  std::string str() const { return std::string(data(), size()); }

  operator std::string_view() const& noexcept { return view(); }
  operator std::span<const std::byte>() const& noexcept { return bytes(); }
  // A view of a Value that is about to die would dangle; use str() there.
  std::string_view view() const&& = delete;
  std::span<const std::byte> bytes() const&& = delete;
  operator std::string_view() const&& = delete;
  operator std::span<const std::byte>() const&& = delete;

  friend bool operator==(const Value& a, std::string_view b) noexcept { return a.view() == b; }
  friend bool operator==(const Value& a, const Value& b) noexcept { return a.view() == b.view(); }
  template <typename Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const Value& value) {
    return out << value.view();
  }

  // For calls of the C interface.
  ashlar_value* c() noexcept { return &value_; }

 private:
  ashlar_value value_;
};

}  // namespace ASHLAR_CPP_NAMESPACE
}  // namespace ashlar
