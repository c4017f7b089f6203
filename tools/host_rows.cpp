// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "matrix_market.hpp"
#include "matrix_market_file.hpp"

namespace hyperplane::tools {

namespace {

struct MarketEntry {
  int row, column;
  double value;
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

/// The numbers of the entries of each block row, one block row after the other, and where they begin.
struct EntriesOfRows {
  std::vector<std::size_t> begin;
  std::vector<std::size_t> numbers;

  EntriesOfRows(const std::vector<MarketEntry>& entries, std::size_t points, int n)
      : begin(points + 1), numbers(entries.size()) {
    for (auto const& entry : entries) ++begin[static_cast<std::size_t>(entry.row / n) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    auto next = begin;
    for (std::size_t e = 0; e < entries.size(); ++e) numbers[next[static_cast<std::size_t>(entries[e].row / n)]++] = e;
  }
};

}  // namespace

HostRows read_rows(const std::filesystem::path& path, int block_size) {
  int const n = block_size;
  market::Scanner scanner(path);
  auto const header = market::read_header(scanner);
  auto const size = fmt::format("the matrix is {} x {}", header.rows, header.columns);
  if (header.rows != header.columns) scanner.fail(size + ", expected as many rows as columns");
  if (header.rows % n != 0) scanner.fail(fmt::format("{}, which is no multiple of --block-size {}", size, n));
  if (header.rows > std::numeric_limits<int>::max()) scanner.fail(size + ", which is too large");
  auto const entries = read_all(scanner, header);
  auto const points = static_cast<std::size_t>(header.rows / n);
  EntriesOfRows const rows(entries, points, n);

  HostRows result;
  result.block_size = n;
  result.offsets.reserve(points + 1);
  std::vector<bool> present;
  std::vector<std::size_t> block_of(points);  // of the columns of the row
  for (std::size_t point = 0; point < points; ++point) {
    auto const first = result.columns.size();
    for (auto e = rows.begin[point]; e < rows.begin[point + 1]; ++e) {
      result.columns.push_back(entries[rows.numbers[e]].column / n);
    }
    auto const begin = result.columns.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, result.columns.end());
    result.columns.erase(std::unique(begin, result.columns.end()), result.columns.end());
    for (auto block = first; block < result.columns.size(); ++block) {
      block_of[static_cast<std::size_t>(result.columns[block])] = block;
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
    auto const values = result.columns.size() * static_cast<std::size_t>(n * n);
    result.values.resize(values, 0.0);
    present.resize(values, false);
    for (auto e = rows.begin[point]; e < rows.begin[point + 1]; ++e) {
      auto const& entry = entries[rows.numbers[e]];
      auto const block = block_of[static_cast<std::size_t>(entry.column / n)];
      auto const at =
          block * static_cast<std::size_t>(n * n) + static_cast<std::size_t>(entry.row % n * n + entry.column % n);
      if (present[at]) refuse_second(scanner, entry);
      present[at] = true;
      result.values[at] = entry.value;
    }
  }
  return result;
}

std::int64_t find_missing_diagonal(const HostRows& a) {
  for (std::int64_t point = 0; point < a.points(); ++point) {
    auto const begin = a.columns.begin() + a.offsets[static_cast<std::size_t>(point)];
    auto const end = a.columns.begin() + a.offsets[static_cast<std::size_t>(point) + 1];
    if (!std::binary_search(begin, end, static_cast<int>(point))) return point;
  }
  return -1;
}

}  // namespace hyperplane::tools
