// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../csr/csr_system.hpp"

#include <hyperplane/core/to_space.hpp>

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// Incomplete factorizations of systems in block CSR by the sparse functions of Kokkos Kernels.
namespace hyperplane::perf {

namespace ks = KokkosSparse::Experimental;

/// How Kokkos Kernels has a matrix: in block rows, or each row by itself with its entries.
enum class KokkosKernelsFormat { bsr, crs };

/// ILU(k) by spiluk and sptrsv, rows taken by their numbers. spiluk factors diagonal blocks where it meets them,
/// without pivoting, and of scalars goes on inside of blocks: M is that of BlockIlukCsr to rounding.
template <class Exec>
class KokkosKernelsIlu {
 public:
  /// `kept`: blocks of the factors. The pattern is symmetric, and blocks are full.
  KokkosKernelsIlu(const Exec& exec, const CsrSystem& system, KokkosKernelsFormat format, int fill, std::int64_t kept,
                   ks::SPTRSVAlgorithm algorithm)
      : m_exec(exec),
        m_fill(fill),
        m_fills_in_x(algorithm == ks::SPTRSVAlgorithm::SEQLVLSCHD_RP),
        m_b(detail::to_space(exec, "b", system.rhs)),
        m_y("y", system.rhs.size()),
        m_x("x", system.rhs.size()) {
    bool const in_blocks = format == KokkosKernelsFormat::bsr;
    take(system, in_blocks);
    // Of scalars, a diagonal block has a triangle in either factor.
    auto const points = static_cast<std::int64_t>(system.rows());
    std::int64_t const n = in_blocks ? 1 : system.block_size;
    std::int64_t const entries = (kept - points) / 2 * n * n + points * n * (n + 1) / 2;
    auto const area = static_cast<std::size_t>(in_blocks ? system.block_size * system.block_size : 1);
    m_lower.allocate(m_a.offsets.size(), static_cast<std::size_t>(entries), area);
    m_upper.allocate(m_a.offsets.size(), static_cast<std::size_t>(entries), area);

    auto const rows = static_cast<int>(points * n);
    int const block_size = in_blocks ? system.block_size : 0;
    m_ilu.create_spiluk_handle(ks::SPILUKAlgorithm::SEQLVLSCHD_TP1, rows, static_cast<int>(entries),
                               static_cast<int>(entries), block_size);
    ks::spiluk_symbolic(&m_ilu, m_fill, m_a.offsets, m_a.columns, m_lower.offsets, m_lower.columns, m_upper.offsets,
                        m_upper.columns);
    auto const& symbolic = *m_ilu.get_spiluk_handle();
    if (symbolic.get_nnzL() != entries || symbolic.get_nnzU() != entries) {
      throw std::runtime_error("spiluk keeps " + std::to_string(symbolic.get_nnzL()) + " and " +
                               std::to_string(symbolic.get_nnzU()) + " entries, expected " + std::to_string(entries));
    }
    m_forward.create_sptrsv_handle(algorithm, rows, true, block_size);
    m_backward.create_sptrsv_handle(algorithm, rows, false, block_size);
    ks::sptrsv_symbolic(m_exec, &m_forward, m_lower.offsets, m_lower.columns);
    ks::sptrsv_symbolic(m_exec, &m_backward, m_upper.offsets, m_upper.columns);
    m_exec.fence();
  }

  void factor() {
    ks::spiluk_numeric(&m_ilu, m_fill, m_a.offsets, m_a.columns, m_a.values, m_lower.offsets, m_lower.columns,
                       m_lower.values, m_upper.offsets, m_upper.columns, m_upper.values);
  }
  void solve() {
    solve(m_forward, m_lower, m_b, m_y);
    solve(m_backward, m_upper, m_y, m_x);
  }
  int levels() { return static_cast<int>(m_ilu.get_spiluk_handle()->get_num_levels()); }
  std::vector<double> x() const { return detail::to_vector(m_exec, m_x); }

  /// Of the array in which spiluk keeps, for each row of the widest level, where each column is; at most about, because
  /// levels are those without fill. On CUDA it takes rows in pieces, and what memory there is.
  static double working_bytes(const CsrSystem& system, KokkosKernelsFormat format) {
    std::vector<std::size_t> levels(system.rows()), rows_of;
    for (std::size_t row = 0; row < system.rows(); ++row) {
      for (auto e = system.offsets[row]; e < system.offsets[row + 1]; ++e) {
        auto const column = static_cast<std::size_t>(system.columns[static_cast<std::size_t>(e)]);
        if (column < row) levels[row] = std::max(levels[row], levels[column] + 1);
      }
      if (levels[row] == rows_of.size()) rows_of.push_back(0);
      ++rows_of[levels[row]];
    }
    double const rows =
        static_cast<double>(system.rows() * (format == KokkosKernelsFormat::crs ? system.block_size : 1));
    return rows * static_cast<double>(*std::ranges::max_element(rows_of)) * sizeof(int);
  }

 private:
  using Space = typename Exec::memory_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Exec, Space, Space>;
  template <class T>
  using Array = Kokkos::View<T*, Exec>;

  struct Matrix {
    Array<int> offsets, columns;
    Array<double> values;

    void allocate(std::size_t ends, std::size_t entries, std::size_t area) {
      offsets = Array<int>("offsets", ends);
      columns = Array<int>("columns", entries);
      values = Array<double>("values", entries * area);
    }
  };

  /// The system as it is, or a row for each unknown.
  void take(const CsrSystem& system, bool in_blocks) {
    auto const n = static_cast<std::size_t>(in_blocks ? 1 : system.block_size);
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    for (std::size_t row = 0; row < system.rows() * n; ++row) {
      for (auto e = system.offsets[row / n]; e < system.offsets[row / n + 1]; ++e) {
        auto const block = static_cast<std::size_t>(e);
        for (std::size_t c = 0; c < n; ++c) {
          columns.push_back(system.columns[block] * static_cast<int>(n) + static_cast<int>(c));
          if (!in_blocks) values.push_back(system.values[(block * n + row % n) * n + c]);
        }
      }
      offsets.push_back(static_cast<int>(columns.size()));
    }
    m_a = {detail::to_space(m_exec, "offsets", offsets), detail::to_space(m_exec, "columns", columns),
           detail::to_space(m_exec, "values", in_blocks ? system.values : values)};
  }

  void solve(Handle& handle, const Matrix& factor, const Array<double>& b, const Array<double>& x) {
    // With this algorithm, what x has is added.
    if (m_fills_in_x) Kokkos::deep_copy(m_exec, x, 0.0);
    ks::sptrsv_solve(m_exec, &handle, factor.offsets, factor.columns, factor.values, b, x);
  }

  Exec m_exec;
  int m_fill;
  bool m_fills_in_x;
  Array<double> m_b, m_y, m_x;
  Matrix m_a, m_lower, m_upper;
  Handle m_ilu, m_forward, m_backward;
};

}  // namespace hyperplane::perf
