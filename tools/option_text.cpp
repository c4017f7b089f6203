// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "option_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "spelling.hpp"

namespace hyperplane::tools {

namespace {

/// Makes 1000 of "1e3"; what is wrong with the text if it is not a whole number.
std::string to_whole_number(std::string& text, std::int64_t& whole) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (auto const [after, error] = std::from_chars(begin, end, whole); error == std::errc{} && after == end) return {};
  double value = 0.0;
  auto const [after, error] = std::from_chars(begin, end, value);
  if (after != end || text.empty() || error == std::errc::invalid_argument || std::trunc(value) != value) {
    return fmt::format("'{}' is not a whole number", text);
  }
  constexpr double limit = 9007199254740992.0;  // from here on not every integer is a double
  if (error != std::errc{} || std::abs(value) > limit) return fmt::format("'{}' is too large", text);
  whole = static_cast<std::int64_t>(value);
  text = std::to_string(whole);
  return {};
}

}  // namespace

std::string join_words(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, "|")); }

std::string refusal_of_choice(const std::string& text, const std::vector<std::string>& words) {
  if (std::ranges::count(words, text) > 0) return {};
  return fmt::format("'{}' is not one of {}{}", text, join_words(words), suggestion(text, words));
}

std::string refusal_of_integer(std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (auto error = to_whole_number(text, value); !error.empty()) return error;
  if (least <= value && value <= most) return {};
  return fmt::format("Value {} not in range [{} - {}]", value, least, most);
}

bool read_extents(const std::string& text, std::array<int, 3>& extents) {
  const char* next = text.data();
  const char* const end = next + text.size();
  for (std::size_t d = 0; d < extents.size(); ++d) {
    auto const [after, error] = std::from_chars(next, end, extents[d]);
    bool const separated = d == 2 ? after == end : after != end && (*after == 'x' || *after == 'X');
    if (error != std::errc{} || !separated || extents[d] < 1) return false;
    next = after + 1;
  }
  return true;
}

int read_count(const std::string& text) {
  int count = 0;
  const char* const end = text.data() + text.size();
  auto const [after, error] = std::from_chars(text.data(), end, count);
  return error == std::errc{} && after == end && count > 0 ? count : 0;
}

std::string refusal_of_parts(const std::string& text) {
  std::array<int, 3> parts{};
  if (text == automatic_parts || read_count(text) > 0 || read_extents(text, parts)) return {};
  return fmt::format("'{}' is neither {}, nor a number of parts, nor of the form IxJxK with numbers of at least 1",
                     text, automatic_parts);
}

std::string refusal_of_number(const std::string& text) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || std::isnan(value)) {
    return fmt::format("'{}' is not a number", text);
  }
  return std::isfinite(value) ? "" : fmt::format("'{}' is not finite", text);
}

}  // namespace hyperplane::tools
