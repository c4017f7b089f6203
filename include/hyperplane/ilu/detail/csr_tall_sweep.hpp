// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/tall_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/csr/tall_rows.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Sweeps over the rows of a BlockCsr with several vectors: block rows of a level, of which devices have a thread for
/// each vector.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What all sweeps have.
template <class Exec, class Scalar, int n, int count>
struct CsrTallPoints {
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = 2;
  KOKKOS_FUNCTION std::int64_t row(std::int64_t index) const { return m_order.row(index); }

  template <class Blocks>
  void prefetch_row(const Blocks& blocks, std::int64_t index) const {
    prefetch_point<n * count>(m_order, index, m_rhs, m_y);
    blocks.template prefetch<n, count>(m_order.row(index), m_y);
  }

  /// Unknown r of `width` vectors of the right-hand side.
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION auto given(std::int64_t row, int first, int r) const {
    return block::load_tall<Scalar, width>(m_rhs + row * (n * count) + first + r * count);
  }
  template <class Values>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t row, int first, int r, const Values& values) const {
    block::store_tall<Scalar>(values, m_y + row * (n * count) + first + r * count);
  }
};

/// Y = B - F Y over the blocks F that rows have, multiplied with d^-1 where that is wanted; Y may be B. `transposed`: F
/// and d^-1 are those of columns, transposed.
template <bool transposed, bool with_diagonal, class Exec, class Scalar, int n, int count, class Storage>
struct CsrTallSweep : CsrTallPoints<Exec, Scalar, n, count> {
  using Scales = FactorScales<Storage, n, 1>;

  CsrTallBlocks<Storage, std::int64_t> m_blocks;
  const std::int64_t* m_diagonal;
  Scales m_scales;

  void prefetch(std::int64_t index) const { this->prefetch_row(m_blocks, index); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const { run_tall<Exec, Scalar, count>(*this, index); }

  /// For vectors first, ..., first + width - 1.
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t row, int first) const {
    CsrSweepUnits<transposed, with_diagonal, Scalar, n, Scales> const units{m_scales};
    auto const store = [&](int r, const auto& total) { this->store(row, first, r, units.result(row, r, total)); };
    auto const given = [&](int r) { return units.given(row, r, this->template given<width>(row, first, r)); };
    auto const products = [&](const auto& add) { add_products<width>(units, row, first, add); };
    auto const subtract = [&](const auto& take) {
      constexpr int stride = Scales::exist ? width : count;
      if constexpr (transposed && HostExecutionSpace<Exec>) {
        sum_tall_each<true, false, Scalar, n, stride, width>(given, products, take);
      } else {
        sum_tall<true, !transposed, Scalar, n, stride, width>(given, products, take);
      }
    };
    if constexpr (with_diagonal) {
      Scalar right[std::size_t{n * width}];
      subtract([&](int r, const auto& total) { block::store_tall<Scalar>(total, right + r * width); });
      multiply_tall_block<!transposed, n, width>(m_blocks.m_values + m_diagonal[row] * (n * n), right, store);
    } else {
      subtract(store);
    }
  }

 private:
  /// Of the blocks of a row, in their units.
  template <int width, class Units, class Add>
  KOKKOS_FORCEINLINE_FUNCTION void add_products([[maybe_unused]] const Units& units, std::int64_t row, int first,
                                                const Add& add) const {
    const Scalar* const values = this->m_y + first;
    if constexpr (Scales::exist) {
      m_blocks.template products<n, count>(row, values, [&](const Storage* block, const Scalar* x) {
        auto const point = (x - values) / (n * count);
        Scalar solved[std::size_t{n * width}];
        for (int c = 0; c < n; ++c) {
          auto const of_vectors = units.solved(point, c, block::load_tall<Scalar, width>(x + c * count));
          block::store_tall<Scalar>(of_vectors, solved + c * width);
        }
        const Scalar* const in_units = solved;
        add(block, in_units);
      });
    } else {
      m_blocks.template products<n, count>(row, values, add);
    }
  }
};

/// Sweeps with the triangles of A itself, and the inverses of pivots: Y = d^-1 (s B - F Y), or `backward` Y = B - d^-1
/// F Y; Y may be B. `transposed`: F and d^-1 are those of columns, transposed.
template <bool transposed, bool backward, class Exec, class Scalar, int n, int count>
struct CsrTallRelaxation : CsrTallPoints<Exec, Scalar, n, count> {
  CsrTallBlocks<Scalar, std::int64_t> m_blocks;
  const Scalar* m_inverses;
  Scalar m_scale;

  void prefetch(std::int64_t index) const { this->prefetch_row(m_blocks, index); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const { run_tall<Exec, Scalar, count>(*this, index); }

  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t row, int first) const {
    Scalar right[std::size_t{n * width}];
    auto const given = [&](int r) { return this->template given<width>(row, first, r); };
    auto const scaled = [&](int r) { return given(r) * m_scale; };
    auto const products = [&](const auto& add) { m_blocks.template products<n, count>(row, this->m_y + first, add); };
    auto const keep = [&](int r, const auto& total) { block::store_tall<Scalar>(total, right + r * width); };
    if constexpr (transposed && HostExecutionSpace<Exec>) {
      sum_tall_each<!backward, true, Scalar, n, count, width>(scaled, products, keep);
    } else {
      sum_tall<!backward, transposed, Scalar, n, count, width>(scaled, products, keep);
    }
    const Scalar* const inverse = m_inverses + row * (n * n);
    const Scalar* const from = right;
    sum_tall<backward, !transposed, Scalar, n, width, width>(
        given, [&](const auto& add) { add(inverse, from); },
        [&](int r, const auto& total) { this->store(row, first, r, total); });
  }
};

/// X = d^-1 B, or d^-T B; X may be B.
template <bool transposed, class Exec, class Scalar, int n, int count, class Storage>
struct CsrTallJacobi : CsrTallPoints<Exec, Scalar, n, count> {
  const Storage* m_inverses;
  CsrSweepUnits<transposed, true, Scalar, n, FactorScales<Storage, n, 1>> m_units;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const { run_tall<Exec, Scalar, count>(*this, index); }

  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t row, int first) const {
    Scalar right[std::size_t{n * width}];
    for (int r = 0; r < n; ++r) {
      auto const given = m_units.given(row, r, this->template given<width>(row, first, r));
      block::store_tall<Scalar>(given, right + r * width);
    }
    multiply_tall_block<!transposed, n, width>(m_inverses + row * (n * n), right, [&](int r, const auto& total) {
      this->store(row, first, r, m_units.result(row, r, total));
    });
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
