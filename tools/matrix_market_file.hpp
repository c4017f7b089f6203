// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "matrix_market.hpp"

/// Lines and entries of Matrix Market files, for what is read from them.
namespace hyperplane::tools::market {

/// All of a file; of the standard input where it is "-".
inline std::string read_file(const std::filesystem::path& path) {
  if (path == "-") return read_file("/dev/stdin");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InputError(path.string() + ": is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path.string() + ": cannot be opened: " + std::strerror(errno));
  // A pipe has no size: it is read piece by piece.
  auto const size = std::filesystem::file_size(path, error);
  std::size_t piece = error || size == 0 ? std::size_t{1} << 20 : size;
  std::string text;
  while (file.peek() != std::ifstream::traits_type::eof()) {
    std::size_t const before = text.size();
    text.resize(before + piece);
    file.read(text.data() + before, static_cast<std::streamsize>(piece));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    if (!file) break;
    piece = std::max(piece, text.size());
  }
  if (file.bad()) throw InputError(path.string() + ": cannot be read");
  return text;
}

/// What is printed of a word: not all of a binary file, and nothing that a terminal acts upon.
inline std::string printable(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string result(word.substr(0, longest));
  std::replace_if(result.begin(), result.end(), [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  return "'" + result + (word.size() > longest ? "...'" : "'");
}

/// Walks over the lines of a file and the words of a line, and knows where it is.
class Scanner {
 public:
  explicit Scanner(const std::filesystem::path& path) : m_path(path.string()), m_text(read_file(path)) { rewind(); }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", m_path, std::max<std::int64_t>(m_number, 1), message));
  }

  /// Back to the beginning.
  void rewind() {
    m_rest = m_text;
    m_number = 0;
  }

  /// The next line; false at the end of the file.
  bool next_line() {
    if (m_rest.empty()) return false;
    ++m_number;
    auto const end = m_rest.find('\n');
    m_line = m_rest.substr(0, end);
    m_rest = end == std::string_view::npos ? std::string_view{} : m_rest.substr(end + 1);
    return true;
  }

  /// The next line that is not empty; false at the end of the file.
  bool next_data_line() {
    while (next_line()) {
      skip_space();
      if (!m_line.empty()) return true;
    }
    return false;
  }

  std::string_view rest_of_line() const { return m_line; }

  std::string_view word() {
    skip_space();
    std::size_t length = 0;
    while (length < m_line.size() && !is_space(m_line[length])) ++length;
    auto const result = m_line.substr(0, length);
    m_line.remove_prefix(length);
    return result;
  }

  std::int64_t integer(const char* what) {
    auto const text = word();
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) fail(fmt::format("{} is missing", what));
    if (error != std::errc{} || end != text.data() + text.size()) {
      fail(fmt::format("{} {} is not an integer", what, printable(text)));
    }
    return value;
  }

  double number() {
    auto text = word();
    if (text.empty()) fail("a value is missing");
    auto digits = text;
    if (digits.front() == '+' && !digits.starts_with("+-")) digits.remove_prefix(1);
    double value = 0.0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // An underflow to zero is a value; an overflow is not.
    bool const underflow = error == std::errc::result_out_of_range && end == digits.data() + digits.size() &&
                           (digits.find("e-") != std::string_view::npos || digits.find("E-") != std::string_view::npos);
    if (underflow) return 0.0;
    if ((error != std::errc{} && error != std::errc::result_out_of_range) || end != digits.data() + digits.size()) {
      fail(fmt::format("value {} is not a number", printable(text)));
    }
    if (error == std::errc::result_out_of_range || !std::isfinite(value)) {
      fail(fmt::format("value {} is not finite", printable(text)));
    }
    return value;
  }

  void end_of_line() {
    auto const extra = word();
    if (!extra.empty()) fail(fmt::format("unexpected {} at the end of the line", printable(extra)));
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
  void skip_space() {
    while (!m_line.empty() && is_space(m_line.front())) m_line.remove_prefix(1);
  }

  std::string m_path;
  std::string m_text;
  std::string_view m_rest;
  std::string_view m_line;
  std::int64_t m_number = 0;
};

struct Header {
  bool coordinate = false;
  bool symmetric = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
};

inline std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

inline Header read_header(Scanner& scanner) {
  Header header;
  if (!scanner.next_line() || lower(scanner.word()) != "%%matrixmarket") {
    scanner.fail("not a Matrix Market file: the first line must begin with %%MatrixMarket");
  }
  auto const object = lower(scanner.word()), format = lower(scanner.word()), field = lower(scanner.word()),
             symmetry = lower(scanner.word());
  if (object != "matrix") scanner.fail(fmt::format("object {} is not supported, expected matrix", printable(object)));
  if (format != "coordinate" && format != "array") {
    scanner.fail(fmt::format("format {} is not supported, expected coordinate or array", printable(format)));
  }
  if (field != "real" && field != "integer" && field != "double") {
    scanner.fail(fmt::format("field {} is not supported, expected real or integer", printable(field)));
  }
  if (symmetry != "general" && symmetry != "symmetric") {
    scanner.fail(fmt::format("symmetry {} is not supported, expected general or symmetric", printable(symmetry)));
  }
  scanner.end_of_line();
  header.coordinate = format == "coordinate";
  header.symmetric = symmetry == "symmetric";
  do {
    if (!scanner.next_data_line()) scanner.fail("the file ends before the line with its size");
  } while (scanner.rest_of_line().front() == '%');
  header.rows = scanner.integer("the number of rows");
  header.columns = scanner.integer("the number of columns");
  if (header.rows < 1 || header.columns < 1) {
    scanner.fail(fmt::format("a matrix of {} x {} has no entries", header.rows, header.columns));
  }
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  if (header.rows > limit || header.columns > limit) {
    scanner.fail(fmt::format("a matrix of {} x {} is too large", header.rows, header.columns));
  }
  if (header.coordinate) {
    header.entries = scanner.integer("the number of entries");
    if (header.entries < 0) scanner.fail(fmt::format("the number of entries {} is negative", header.entries));
  } else {
    header.entries = header.symmetric ? header.rows * (header.rows + 1) / 2 : header.rows * header.columns;
  }
  if (header.symmetric && header.rows != header.columns) {
    scanner.fail(fmt::format("a symmetric matrix cannot have {} rows and {} columns", header.rows, header.columns));
  }
  scanner.end_of_line();
  return header;
}

/// Calls `entry(row, column, value)`, indices from 0, for every entry that is written in the file.
template <class Entry>
void read_entries(Scanner& scanner, const Header& header, const Entry& entry) {
  std::int64_t row = 0, column = 0;
  for (std::int64_t e = 0; e < header.entries; ++e) {
    if (!scanner.next_data_line()) {
      scanner.fail(fmt::format("the file ends after {} of {} entries", e, header.entries));
    }
    if (header.coordinate) {
      row = scanner.integer("the row") - 1;
      column = scanner.integer("the column") - 1;
      if (row < 0 || row >= header.rows) scanner.fail(fmt::format("row {} is not in 1..{}", row + 1, header.rows));
      if (column < 0 || column >= header.columns) {
        scanner.fail(fmt::format("column {} is not in 1..{}", column + 1, header.columns));
      }
      if (header.symmetric && row < column) {
        scanner.fail(fmt::format("entry ({}, {}) is above the diagonal of a symmetric matrix", row + 1, column + 1));
      }
    }
    double const value = scanner.number();
    scanner.end_of_line();
    entry(row, column, value);
    if (!header.coordinate && ++row == header.rows) {
      ++column;
      row = header.symmetric ? column : 0;
    }
  }
  if (scanner.next_data_line()) {
    scanner.fail(fmt::format("more lines than the {} entries that the header announces", header.entries));
  }
}

}  // namespace hyperplane::tools::market
