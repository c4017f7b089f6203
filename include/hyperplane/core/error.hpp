// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <hyperplane/core/abi.hpp>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Every exception that the library throws: the message names the value and the place.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// "message [file.hpp:12]"
inline std::string with_place(std::string_view message, std::source_location where) {
  std::string_view file = where.file_name();
  if (auto const slash = file.find_last_of('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(message) + " [" + std::string(file) + ":" + std::to_string(where.line()) + "]";
}

/// With as few digits as give the value again: "2", "1.9999999999999998", "-1e-12".
inline std::string shortest(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

}  // namespace detail

/// Throws Error with the message and the source location of the caller.
[[noreturn]] inline void fail(std::string_view message, std::source_location where = std::source_location::current()) {
  throw Error(detail::with_place(message, where));
}

/// Throws Error unless `ok`. Where the message must be put together, test first and call fail().
inline void require(bool ok, std::string_view message, std::source_location where = std::source_location::current()) {
  if (!ok) fail(message, where);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
