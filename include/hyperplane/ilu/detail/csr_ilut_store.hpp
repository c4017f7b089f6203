// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// Block rows of ILUT(tau, p) of a BlockCsr, as they are until all are known.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A block row of the factors, whose arrays a CsrIlutStore has. Columns are named by the positions of their rows among
/// all, and rise.
template <int n, class Storage>
struct CsrIlutRow {
  std::span<int> positions;
  Storage* values = nullptr;  ///< of the blocks, by columns; and behind them some that may be read
  std::size_t lower_end = 0;  ///< blocks up to the diagonal
  std::int64_t products = 0;  ///< that were subtracted from blocks of the row
  bool replaced = false;      ///< whether its pivot block was

  std::span<const int> lower() const { return positions.first(lower_end); }
  std::span<const int> upper() const { return positions.subspan(lower_end); }
  const Storage* block(std::size_t number) const { return values + number * n * n; }
  Storage* block(std::size_t number) { return values + number * n * n; }
};

/// Small arrays, taken from large ones, that are there as long as the object.
template <class T>
class ArraysInPieces {
 public:
  /// Of values that are not set. Large ones have a piece of their own, so that little is left of others.
  T* take(std::size_t count) {
    if (count > m_left) {
      bool const alone = count > size / 8;
      m_pieces.push_back(std::make_unique_for_overwrite<T[]>(alone ? count : size));
      if (alone) return m_pieces.back().get();
      m_next = m_pieces.back().get();
      m_left = size;
    }
    m_left -= count;
    return std::exchange(m_next, m_next + count);
  }

 private:
  static constexpr std::size_t size = std::size_t{1} << 14;

  std::vector<std::unique_ptr<T[]>> m_pieces;
  T* m_next = nullptr;
  std::size_t m_left = 0;
};

/// The arrays of rows that one thread has computed.
template <class Scalar, int n, class Storage>
class alignas(64) CsrIlutStore {
 public:
  using Row = CsrIlutRow<n, Storage>;

  /// With as many blocks, which are not set.
  Row row(std::size_t blocks) {
    Row result;
    result.positions = {m_positions.take(blocks), blocks};
    result.values = m_values.take(blocks * n * n + block::Columns<Scalar, n>::overrun);
    return result;
  }

 private:
  ArraysInPieces<int> m_positions;
  ArraysInPieces<Storage> m_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
