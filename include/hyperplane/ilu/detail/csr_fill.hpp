// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/ilu/detail/sort_few.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// The blocks of ILU(k) of a BlockCsr, found on the host by all its threads.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What looks at structures: the instance itself, where it is of a host.
template <ExecutionSpace Exec>
auto host_of(const Exec& exec) {
  if constexpr (HostExecutionSpace<Exec>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

/// The columns of each row.
struct CsrColumns {
  std::vector<std::int64_t> begin;
  std::vector<int> columns;

  template <class Offset>
  CsrColumns(const std::vector<Offset>& offsets, std::vector<int> of)
      : begin(offsets.begin(), offsets.end()), columns(std::move(of)) {}
  explicit CsrColumns(std::size_t rows) : begin(rows + 1, 0) {}

  bool operator==(const CsrColumns&) const = default;

  std::int64_t rows() const { return static_cast<std::int64_t>(begin.size()) - 1; }
  std::span<const int> row(std::size_t number) const {
    return std::span(columns).subspan(as_size(begin[number]), as_size(begin[number + 1] - begin[number]));
  }

  /// The first row that has other columns than in a structure of as many rows, or in another order; or none.
  std::optional<std::int64_t> first_difference(const CsrColumns& other) const {
    for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
      auto const from = begin[row], end = begin[row + 1];
      bool const is_same = other.begin[row] == from && other.begin[row + 1] == end &&
                           std::equal(columns.begin() + from, columns.begin() + end, other.columns.begin() + from);
      if (!is_same) return static_cast<std::int64_t>(row);
    }
    return std::nullopt;
  }

  /// Adds the positions of the columns of a row, rising, where the row is order[position].
  void add_ordered(const std::vector<int>& order, const std::vector<int>& positions, std::size_t position,
                   std::vector<int>& to) const {
    auto const before = to.size();
    for (int const column : row(as_size(order[position]))) to.push_back(positions[as_size(column)]);
    sort_few(to.data() + before, to.size() - before);
  }
  /// With numbers for the rows as they follow one another in an order; columns of a row rise.
  CsrColumns ordered(const std::vector<int>& order, const std::vector<int>& positions) const {
    CsrColumns result(order.size());
    result.columns.reserve(columns.size());
    for (std::size_t position = 0; position < order.size(); ++position) {
      add_ordered(order, positions, position, result.columns);
      result.begin[position + 1] = static_cast<std::int64_t>(result.columns.size());
    }
    return result;
  }

  CsrColumns transposed() const {
    CsrColumns result(begin.size() - 1);
    for (int const column : columns) ++result.begin[as_size(column) + 1];
    std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
    result.columns.resize(columns.size());
    auto next = result.begin;
    for (std::int64_t row = 0; row < rows(); ++row) {
      for (auto e = begin[as_size(row)]; e < begin[as_size(row) + 1]; ++e) {
        result.columns[as_size(next[as_size(columns[as_size(e)])]++)] = static_cast<int>(row);
      }
    }
    return result;
  }
};

/// Blocks of the factors behind the diagonal, for each row, where `of` is the structure; those before it, for each
/// column, where it is the transposed structure. Rows have numbers in the order in which they are taken, and columns of
/// a row rise, those that are found too.
///
/// The level of a block (i, j) is the length of the shortest path of blocks from i to j through rows that are taken
/// before both, less one: so that each row is searched by itself. Source: D. Hysom and A. Pothen, "A scalable parallel
/// algorithm for incomplete factor preconditioning", SIAM J. Sci. Comput. 22, 2001, doi:10.1137/S1064827500376193.
/// Each thread has an int for each row.
class CsrFill {
 public:
  CsrFill(const CsrColumns& of, int most) : m_of(of), m_most(most) {}

  template <HostExecutionSpace Host>
  CsrColumns find(const Host& host) const {
    // Several pieces for each thread, because some rows take far longer than others.
    std::int64_t const threads = concurrency_of(host), pieces = std::min(16 * threads, m_of.rows());
    std::vector<std::vector<int>> found(as_size(pieces));
    CsrColumns result(as_size(m_of.rows()));
    // An exception may not leave a thread.
    std::atomic<bool> has_memory = true;
    std::atomic<std::int64_t> next_piece = 0;
    auto const work = [&](std::int64_t) {
      try {
        // Of each row, which search has reached it.
        std::vector<int> reached_by(as_size(m_of.rows()), -1);
        for (std::int64_t piece = 0; (piece = next_piece++) < pieces;) {
          auto const begin = piece * m_of.rows() / pieces, end = (piece + 1) * m_of.rows() / pieces;
          search(begin, end, reached_by, found[as_size(piece)], result.begin);
        }
      } catch (const std::bad_alloc&) {
        has_memory = false;
      }
    };
    Kokkos::parallel_for("Hyperplane::BlockIlukCsr::fill",
                         Kokkos::RangePolicy<Host>(host, 0, std::min(threads, pieces), Kokkos::ChunkSize(1)), work);
    host.fence("Hyperplane::BlockIlukCsr::fill");
    if (!has_memory) throw std::bad_alloc();
    std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
    result.columns.reserve(as_size(result.begin.back()));
    for (auto& columns : found) {
      result.columns.insert(result.columns.end(), columns.begin(), columns.end());
      columns = std::vector<int>();
    }
    return result;
  }

 private:
  struct Reached {
    int row;
    int blocks;  ///< of the path to it
  };

  /// Rows begin, ..., end - 1: their columns, one row after the other, and how many there are, at counts[row + 1].
  void search(std::int64_t begin, std::int64_t end, std::vector<int>& reached_by, std::vector<int>& columns,
              std::vector<std::int64_t>& counts) const {
    std::vector<Reached> queue;
    for (int row = static_cast<int>(begin); row < end; ++row) {
      auto const before = columns.size();
      reached_by[as_size(row)] = row;
      queue.assign(1, {row, 0});
      // By rising length of the path.
      for (std::size_t next = 0; next < queue.size(); ++next) {
        auto const [through, length] = queue[next];
        auto const first = m_of.begin[as_size(through)];
        for (auto e = m_of.begin[as_size(through) + 1]; e-- > first;) {
          int const column = m_of.columns[as_size(e)];
          // Rows that are taken before lead nowhere from the end of the longest paths, and the others are before them.
          if (length == m_most && column < row) break;
          if (reached_by[as_size(column)] == row) continue;
          reached_by[as_size(column)] = row;
          if (column > row) {
            columns.push_back(column);
          } else {
            queue.push_back({column, length + 1});
          }
        }
      }
      sort_few(columns.data() + before, columns.size() - before);
      counts[as_size(row) + 1] = static_cast<std::int64_t>(columns.size() - before);
    }
  }

  const CsrColumns& m_of;
  int m_most;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
