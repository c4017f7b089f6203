// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plot3d_layout.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace implicit_flow {

/// Numbers of a list-directed Fortran text: separated by white space or commas, `n*value` repeats a value, exponents
/// may be written with D. Errors name the file and the line.
class Plot3dText {
 public:
  struct Integer {
    std::int64_t value;
    std::string place;
  };

  Plot3dText(std::string file, std::string_view text) : m_file(std::move(file)), m_text(text) {}

  Integer integer(std::string_view what) {
    auto const token = next(what);
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc{} || end != token.data() + token.size()) {
      bad_file(place() + ": '" + std::string(token) + "' is not an integer (" + std::string(what) + ")");
    }
    return {value, place()};
  }

  /// The next real number; `what` names it when it is missing or not a finite number.
  template <class Name>
  double real(Name&& what) {
    if (m_repeat == 0) read_real(what);
    --m_repeat;
    return m_value;
  }

  /// Whether nothing but blanks follows on the line of the last number.
  bool at_end_of_line() const {
    auto const rest = m_text.substr(m_at, m_text.find('\n', m_at) - m_at);
    return rest.find_first_not_of(" \t\r") == std::string_view::npos;
  }

  /// Number of words of the next line that is not blank; 0 where a word is not an integer.
  int integers_on_next_line() const {
    Plot3dText ahead(*this);
    ahead.skip_blanks();
    int count = 0;
    do {
      auto const token = ahead.m_at < ahead.m_text.size() ? ahead.next("") : std::string_view("-");
      if (token.find_first_not_of("0123456789") != std::string_view::npos) return 0;
      ++count;
    } while (!ahead.at_end_of_line());
    return count;
  }

  /// What the whole text has: the whole numbers that it begins with, and how many numbers there are.
  struct Contents {
    std::vector<std::int64_t> integers;
    std::int64_t count = 0;
  };

  Contents contents() const {
    Contents result;
    Plot3dText ahead(*this);
    bool only_integers = true;
    for (ahead.skip_blanks(); ahead.m_at < ahead.m_text.size(); ahead.skip_blanks()) {
      auto const token = ahead.next("");
      std::int64_t value = 0;
      auto const [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
      only_integers = only_integers && error == std::errc{} && end == token.data() + token.size();
      if (only_integers && result.count < largest_header) result.integers.push_back(value);
      bool const repeats = error == std::errc{} && end != token.data() + token.size() && *end == '*' && value > 0;
      result.count = std::min(result.count + (repeats ? std::min(value, largest_count) : 1), largest_count);
    }
    return result;
  }

  void expect_end() {
    if (m_repeat > 0) bad_file(place() + ": more numbers than the grid has coordinates");
    skip_blanks();
    if (m_at < m_text.size()) {
      bad_file(place() + ": data after the end of the grid (iblank is not read)");
    }
  }

 private:
  static constexpr std::int64_t largest_header = 1 + 3 * largest_plot3d_extent;
  /// More than any block has; sums of a few do not overflow.
  static constexpr std::int64_t largest_count = std::int64_t{1} << 52;

  std::string place() const { return m_file + ", line " + std::to_string(m_line); }

  void skip_blanks() {
    for (; m_at < m_text.size(); ++m_at) {
      char const c = m_text[m_at];
      if (c == '\n') ++m_line;
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ',') return;
    }
  }

  std::string_view next(std::string_view what) {
    skip_blanks();
    if (m_at >= m_text.size()) bad_file(place() + ": the file ends before " + std::string(what));
    auto const end = std::min(m_text.find_first_of(" \t\r\n,", m_at), m_text.size());
    auto const token = m_text.substr(m_at, end - m_at);
    m_at = end;
    return token;
  }

  template <class Name>
  void read_real(Name&& what) {
    skip_blanks();
    if (m_at >= m_text.size()) bad_file(place() + ": the file ends before " + what());
    std::string word(next(""));
    m_repeat = 1;
    if (auto const star = word.find('*'); star != std::string::npos) {
      auto const [end, error] = std::from_chars(word.data(), word.data() + star, m_repeat);
      if (error != std::errc{} || end != word.data() + star || m_repeat < 1) bad_number(word, what());
      word.erase(0, star + 1);
    }
    for (char& c : word) {
      if (c == 'd' || c == 'D') c = 'e';
    }
    char const* const begin = word.data() + (word.starts_with('+') ? 1 : 0);
    char const* const end = word.data() + word.size();
    auto const [stop, error] = std::from_chars(begin, end, m_value);
    if (error != std::errc{} || stop != end || !std::isfinite(m_value)) bad_number(word, what());
  }

  [[noreturn]] void bad_number(const std::string& word, const std::string& what) const {
    bad_file(place() + ": '" + word + "' is not a finite number (" + what + ")");
  }

  std::string m_file;
  std::string_view m_text;
  std::size_t m_at = 0;
  std::int64_t m_line = 1;
  std::int64_t m_repeat = 0;
  double m_value = 0;
};

}  // namespace implicit_flow
