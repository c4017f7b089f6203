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

// Where the functions were before version 4.6, and handles are.
namespace kse = KokkosSparse::Experimental;
#if KOKKOSKERNELS_VERSION < 40600
namespace ks = kse;
#else
namespace ks = KokkosSparse;
#endif

/// How Kokkos Kernels has a matrix: in block rows, or each row by itself with its entries.
enum class KokkosKernelsFormat { bsr, crs };

/// ILU(k) by spiluk and sptrsv, rows taken by their numbers. spiluk factors diagonal blocks where it meets them,
/// without pivoting, and of scalars goes on inside of blocks: M is that of BlockIlukCsr to rounding.
template <class Exec>
class KokkosKernelsIlu {
 public:
  /// `kept`: blocks of the factors. The pattern is symmetric, and blocks are full.
  KokkosKernelsIlu(const Exec& exec, const CsrSystem& system, KokkosKernelsFormat format, int fill, std::int64_t kept)
      : m_exec(exec),
        m_fill(fill),
        m_in_blocks(format == KokkosKernelsFormat::bsr),
        m_b(detail::to_space(exec, "b", system.rhs)),
        m_y("y", system.rhs.size()),
        m_x("x", system.rhs.size()) {
    take(system);
    // Of scalars, a diagonal block has a triangle in either factor.
    auto const points = static_cast<std::int64_t>(system.points());
    std::int64_t const n = m_in_blocks ? 1 : system.n;
    std::int64_t const entries = (kept - points) / 2 * n * n + points * n * (n + 1) / 2;
    auto const area = static_cast<std::size_t>(m_in_blocks ? system.n * system.n : 1);
    m_lower.allocate(m_a.offsets.size(), static_cast<std::size_t>(entries), area);
    m_upper.allocate(m_a.offsets.size(), static_cast<std::size_t>(entries), area);

    auto const rows = static_cast<int>(points * n);
    int const block_size = m_in_blocks ? system.n : 0;
    m_ilu.create_spiluk_handle(kse::SPILUKAlgorithm::SEQLVLSCHD_TP1, rows, static_cast<int>(entries),
                               static_cast<int>(entries), block_size);
    ks::spiluk_symbolic(&m_ilu, m_fill, m_a.offsets, m_a.columns, m_lower.offsets, m_lower.columns, m_upper.offsets,
                        m_upper.columns);
    auto const& symbolic = *m_ilu.get_spiluk_handle();
    if (symbolic.get_nnzL() != entries || symbolic.get_nnzU() != entries) {
      throw std::runtime_error("spiluk keeps " + std::to_string(symbolic.get_nnzL()) + " and " +
                               std::to_string(symbolic.get_nnzU()) + " entries, expected " + std::to_string(entries));
    }
    for (auto* const sweeps : {&m_teams, &m_ranges}) {
      auto const algorithm =
          sweeps == &m_teams ? kse::SPTRSVAlgorithm::SEQLVLSCHD_TP1 : kse::SPTRSVAlgorithm::SEQLVLSCHD_RP;
      sweeps->forward.create_sptrsv_handle(algorithm, rows, true, block_size);
      sweeps->backward.create_sptrsv_handle(algorithm, rows, false, block_size);
      ks::sptrsv_symbolic(m_exec, &sweeps->forward, m_lower.offsets, m_lower.columns);
      ks::sptrsv_symbolic(m_exec, &sweeps->backward, m_upper.offsets, m_upper.columns);
    }
    m_exec.fence();
  }

  void factor() {
    ks::spiluk_numeric(&m_ilu, m_fill, m_a.offsets, m_a.columns, m_a.values, m_lower.offsets, m_lower.columns,
                       m_lower.values, m_upper.offsets, m_upper.columns, m_upper.values);
  }
  /// A team has a row.
  void solve_by_teams() { solve(m_teams, false); }
  /// A thread has a row. Of scalars, what x has is added.
  void solve_by_ranges() { solve(m_ranges, !m_in_blocks); }
  int levels() { return static_cast<int>(m_ilu.get_spiluk_handle()->get_num_levels()); }
  std::vector<double> x() const { return detail::to_vector(m_exec, m_x); }

  /// Of the array in which spiluk keeps, for each row of the widest level, where each column is; at most about, because
  /// levels are those without fill. On CUDA it takes rows in pieces, and what memory there is.
  static double working_bytes(const CsrSystem& system, KokkosKernelsFormat format) {
    std::vector<std::size_t> levels(system.points()), rows_of;
    for (std::size_t row = 0; row < system.points(); ++row) {
      for (auto e = system.offsets[row]; e < system.offsets[row + 1]; ++e) {
        auto const column = static_cast<std::size_t>(system.columns[static_cast<std::size_t>(e)]);
        if (column < row) levels[row] = std::max(levels[row], levels[column] + 1);
      }
      if (levels[row] == rows_of.size()) rows_of.push_back(0);
      ++rows_of[levels[row]];
    }
    double const rows = static_cast<double>(system.points() * (format == KokkosKernelsFormat::crs ? system.n : 1));
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

  /// Of sptrsv.
  struct Sweeps {
    Handle forward, backward;
  };

  /// The system as it is, or a row for each unknown.
  void take(const CsrSystem& system) {
    auto const n = static_cast<std::size_t>(m_in_blocks ? 1 : system.n);
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    for (std::size_t row = 0; row < system.points() * n; ++row) {
      for (auto e = system.offsets[row / n]; e < system.offsets[row / n + 1]; ++e) {
        auto const block = static_cast<std::size_t>(e);
        for (std::size_t c = 0; c < n; ++c) {
          columns.push_back(system.columns[block] * static_cast<int>(n) + static_cast<int>(c));
          if (!m_in_blocks) values.push_back(system.values[(block * n + row % n) * n + c]);
        }
      }
      offsets.push_back(static_cast<int>(columns.size()));
    }
    m_a = {detail::to_space(m_exec, "offsets", offsets), detail::to_space(m_exec, "columns", columns),
           detail::to_space(m_exec, "values", m_in_blocks ? system.values : values)};
  }

  void solve(Sweeps& sweeps, bool fills) {
    sweep(sweeps.forward, m_lower, m_b, m_y, fills);
    sweep(sweeps.backward, m_upper, m_y, m_x, fills);
  }
  void sweep(Handle& handle, const Matrix& factor, const Array<double>& b, const Array<double>& x, bool fills) {
    if (fills) Kokkos::deep_copy(m_exec, x, 0.0);
    ks::sptrsv_solve(m_exec, &handle, factor.offsets, factor.columns, factor.values, b, x);
  }

  Exec m_exec;
  int m_fill;
  bool m_in_blocks;
  Array<double> m_b, m_y, m_x;
  Matrix m_a, m_lower, m_upper;
  Handle m_ilu;
  Sweeps m_teams, m_ranges;
};

}  // namespace hyperplane::perf
