// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/check_structure.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// The blocks that have an entry of a scalar matrix, by block rows with rising columns, and the place of each entry
/// among the values of these blocks.
struct BlocksOfScalars {
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns;
  std::vector<std::int64_t> places;
};

template <std::integral Offset>
BlocksOfScalars blocks_of_scalars(int n, const std::vector<Offset>& offsets, const std::vector<int>& columns) {
  constexpr auto plan = "ScalarsInBlocks";
  require(!offsets.empty(), "ScalarsInBlocks: offsets are empty");
  check_csr_ends(plan, offsets, columns);
  check_csr_structure(plan, offsets, columns);
  auto const rows = static_cast<std::int64_t>(offsets.size()) - 1;
  if (rows % n != 0) fail(std::string(plan) + ": " + std::to_string(rows) + " rows in blocks of " + std::to_string(n));
  BlocksOfScalars result;
  result.places.resize(columns.size(), -1);
  std::vector<std::int64_t> last_row(as_size(rows), -1);  // that had an entry in a column
  for (std::int64_t row = 0; row < rows; row += n) {
    auto const begin = static_cast<std::ptrdiff_t>(result.columns.size());
    for (auto e = offsets[as_size(row)]; e < offsets[as_size(row + n)]; ++e) {
      result.columns.push_back(columns[static_cast<std::size_t>(e)] / n);
    }
    auto const first = result.columns.begin() + begin;
    std::sort(first, result.columns.end());
    result.columns.erase(std::unique(first, result.columns.end()), result.columns.end());
    for (std::int64_t r = 0; r < n; ++r) {
      for (auto e = offsets[as_size(row + r)]; e < offsets[as_size(row + r + 1)]; ++e) {
        int const column = columns[static_cast<std::size_t>(e)];
        if (last_row[as_size(column)] == row + r) {
          fail(std::string(plan) + ": row " + std::to_string(row + r) + " has column " + std::to_string(column) +
               " twice");
        }
        last_row[as_size(column)] = row + r;
        auto const block = std::lower_bound(result.columns.begin() + begin, result.columns.end(), column / n);
        result.places[static_cast<std::size_t>(e)] = ((block - result.columns.begin()) * n + r) * n + column % n;
      }
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
  }
  return result;
}

/// Copies entries to their places among the values of the blocks, or from there.
template <class Scalar>
struct CopyScalars {
  const Scalar* m_from;
  Scalar* m_to;
  const std::int64_t* m_places;
  bool m_to_places;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    auto const place = m_places[e];
    m_to[m_to_places ? place : e] = m_from[m_to_places ? e : place];
  }
};

}  // namespace detail

/// A matrix in compressed rows of scalars as a BlockCsr of n x n blocks: those in which there is an entry, and zeros
/// where a block has none.
///
/// A plan: the constructor looks at the structure, on the host, and allocates; set_values() takes values as often as
/// there are new ones, with one launch after another that sets zeros, without allocation and fence. Memory beside the
/// matrix: 8 bytes per scalar entry.
template <Real Scalar, int n, ExecutionSpace Exec>
class ScalarsInBlocks {
 public:
  using Matrix = BlockCsr<Scalar, n, Exec>;
  using Values = Kokkos::View<const Scalar*, typename Exec::memory_space>;

  /// The entries of row r are offsets[r], ..., offsets[r + 1] - 1, in any order; entry e is in column columns[e]. Waits
  /// for the instance. Throws Error where the rows are not whole blocks, offsets do not begin with 0, fall, or do not
  /// end with the number of columns, a column is not a row, or a row has a column twice.
  template <std::integral Offset>
  ScalarsInBlocks(const Exec& exec, const std::vector<Offset>& offsets, const std::vector<int>& columns)
      : ScalarsInBlocks(exec, detail::blocks_of_scalars(n, offsets, columns)) {}

  /// A handle, whose values set_values() changes.
  const Matrix& matrix() const { return m_matrix; }

  /// Values of the entries, in their order. Throws Error where there are more or fewer of them.
  void set_values(const Exec& exec, const Values& values) const {
    if (values.extent(0) != m_places.extent(0)) {
      fail("ScalarsInBlocks: there are " + std::to_string(values.extent(0)) + " values for " +
           std::to_string(m_places.extent(0)) + " entries");
    }
    Kokkos::deep_copy(exec, m_matrix.values(), Scalar(0));
    detail::launch("Hyperplane::ScalarsInBlocks::set_values",
                   detail::LongIndexRange<Exec>(exec, 0, static_cast<std::int64_t>(m_places.extent(0))),
                   2.0 * sizeof(Scalar) + sizeof(std::int64_t),
                   detail::CopyScalars<Scalar>{values.data(), m_matrix.values().data(), m_places.data(), true});
  }

 private:
  ScalarsInBlocks(const Exec& exec, const detail::BlocksOfScalars& blocks)
      : m_matrix(exec, blocks.offsets, blocks.columns),
        m_places(detail::to_space(exec, "Hyperplane::ScalarsInBlocks::places", blocks.places)) {}

  Matrix m_matrix;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_places;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
