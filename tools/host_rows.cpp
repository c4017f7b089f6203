// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "matrix_market.hpp"
#include "matrix_market_file.hpp"

namespace hyperplane::tools {

namespace {

struct MarketEntry {
  int row, column;
  double value;

  std::pair<int, int> place() const { return {row, column}; }
};

std::vector<MarketEntry> read_all(market::Scanner& scanner, const market::Header& header) {
  std::vector<MarketEntry> entries;
  market::read_entries(scanner, header, [&](std::int64_t row, std::int64_t column, double value) {
    // A dense file names every entry.
    if (!header.coordinate && value == 0.0) return;
    entries.push_back({static_cast<int>(row), static_cast<int>(column), value});
    if (header.symmetric && row != column) {
      entries.push_back({static_cast<int>(column), static_cast<int>(row), value});
    }
  });
  return entries;
}

/// Says in which line of the file the entry is for the second time.
[[noreturn]] void refuse_second(market::Scanner& scanner, const MarketEntry& entry) {
  scanner.rewind();
  auto const header = market::read_header(scanner);
  bool is_second = false;
  market::read_entries(scanner, header, [&](std::int64_t row, std::int64_t column, double) {
    bool const is_it = row == entry.row && column == entry.column;
    bool const is_mirrored = header.symmetric && row == entry.column && column == entry.row;
    if (!is_it && !is_mirrored) return;
    if (is_second) scanner.fail(fmt::format("entry ({}, {}) is there twice", row + 1, column + 1));
    is_second = true;
  });
  scanner.fail("an entry is there twice");
}

}  // namespace

HostRows read_rows(const std::filesystem::path& path, int block_size) {
  int const n = block_size;
  market::Scanner scanner(path);
  auto const header = market::read_header(scanner);
  auto const size = fmt::format("the matrix is {} x {}", header.rows, header.columns);
  if (header.rows != header.columns) scanner.fail(size + ", expected as many rows as columns");
  if (header.rows % n != 0) scanner.fail(fmt::format("{}, which is no multiple of --block-size {}", size, n));
  if (header.rows > std::numeric_limits<int>::max()) scanner.fail(size + ", which is too large");
  auto entries = read_all(scanner, header);
  std::ranges::sort(entries, {}, &MarketEntry::place);
  auto const second = std::ranges::adjacent_find(entries, {}, &MarketEntry::place);
  if (second != entries.end()) refuse_second(scanner, *second);

  HostRows result;
  result.block_size = n;
  result.offsets.resize(static_cast<std::size_t>(header.rows) + 1, 0);
  for (auto const& entry : entries) {
    ++result.offsets[static_cast<std::size_t>(entry.row) + 1];
    result.columns.push_back(entry.column);
    result.values.push_back(entry.value);
  }
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  return result;
}

std::int64_t find_missing_diagonal(const HostRows& a) {
  auto const has_block = [&](std::int64_t point) {
    for (auto row = point * a.block_size; row < (point + 1) * a.block_size; ++row) {
      auto const begin = a.columns.begin() + a.offsets[static_cast<std::size_t>(row)];
      auto const end = a.columns.begin() + a.offsets[static_cast<std::size_t>(row) + 1];
      if (std::any_of(begin, end, [&](std::int64_t column) { return column / a.block_size == point; })) return true;
    }
    return false;
  };
  for (std::int64_t point = 0; point < a.points(); ++point) {
    if (!has_block(point)) return point;
  }
  return -1;
}

}  // namespace hyperplane::tools
