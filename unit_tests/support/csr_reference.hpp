// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/block_csr.hpp>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "serial_reference.hpp"
#include "views.hpp"

/// Block CSR matrices on the host.
namespace hyperplane::test {

struct ReferenceCsr {
  int n;
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns;
  std::vector<DenseMatrix> blocks;

  explicit ReferenceCsr(int block_size) : n(block_size) {}

  int rows() const { return static_cast<int>(offsets.size()) - 1; }
  void add(int column, const DenseMatrix& block) {
    columns.push_back(column);
    blocks.push_back(block);
  }
  void end_row() { offsets.push_back(static_cast<std::int64_t>(columns.size())); }

  DenseMatrix dense() const {
    DenseMatrix result(rows() * n);
    for (int row = 0; row < rows(); ++row) {
      for (auto e = offsets[row]; e < offsets[row + 1]; ++e) {
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) result(row * n + r, columns[e] * n + c) += blocks[e](r, c);
        }
      }
    }
    return result;
  }
};

/// The number of the block (row, column), which there is.
inline std::size_t block_at(const ReferenceCsr& a, int row, int column) {
  auto e = static_cast<std::size_t>(a.offsets[row]);
  while (a.columns[e] != column) ++e;
  return e;
}

/// The same with zeros in equation 1 of a row.
inline ReferenceCsr with_zero_equation(ReferenceCsr a, int row) {
  for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
    for (int c = 0; c < a.n; ++c) a.blocks[static_cast<std::size_t>(e)](1, c) = 0.0;
  }
  return a;
}

/// A diagonal that dominates, neighbours before and after in the order of numbers, and some at random.
inline ReferenceCsr random_csr(int rows, int n, unsigned seed = 7) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::uniform_int_distribution<int> any_row(0, rows - 1);
  ReferenceCsr a(n);
  for (int row = 0; row < rows; ++row) {
    std::set<int> columns{row, any_row(engine), any_row(engine)};
    if (row > 0) columns.insert(row - 1);
    if (row + 1 < rows) columns.insert(row + 1);
    for (int const column : columns) {
      DenseMatrix block(n);
      for (auto& entry : block.entries) entry = uniform(engine);
      for (int r = 0; r < n && column == row; ++r) block(r, r) += 4.0 * n;
      a.add(column, block);
    }
    a.end_row();
  }
  return a;
}

/// The same as a stencil.
inline ReferenceCsr to_csr(const ReferenceStencil& stencil) {
  ReferenceCsr a(stencil.n);
  for (std::int64_t p = 0; p < stencil.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(stencil.grid.point(p), d);
      if (stencil.grid.contains(other)) a.add(static_cast<int>(stencil.grid.index(other)), stencil.block(p, d));
    }
    a.end_row();
  }
  return a;
}

/// The numbers from 0 in an order at random.
inline std::vector<int> shuffled_numbers(int count, unsigned seed) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::mt19937_64 engine(seed);
  std::shuffle(numbers.begin(), numbers.end(), engine);
  return numbers;
}

/// The same where row p has the number numbers[p].
inline ReferenceCsr renumbered(const ReferenceCsr& a, const std::vector<int>& numbers) {
  std::vector<int> row_of(numbers.size());
  for (std::size_t p = 0; p < numbers.size(); ++p) row_of[static_cast<std::size_t>(numbers[p])] = static_cast<int>(p);
  ReferenceCsr result(a.n);
  for (int const row : row_of) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      result.add(numbers[static_cast<std::size_t>(a.columns[e])], a.blocks[e]);
    }
    result.end_row();
  }
  return result;
}

template <class Scalar, int n, class Storage, class Exec>
BlockCsr<Scalar, n, Exec, Storage> to_device(const Exec& exec, const ReferenceCsr& a) {
  BlockCsr<Scalar, n, Exec, Storage> const result(exec, a.offsets, a.columns);
  auto const host = Kokkos::create_mirror_view(result.values());
  auto* entry = host.data();
  for (auto const& block : a.blocks) entry = std::copy(block.entries.begin(), block.entries.end(), entry);
  Kokkos::deep_copy(exec, result.values(), host);
  exec.fence();
  return result;
}

}  // namespace hyperplane::test
