// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_support.hpp"
#include "cusparse_support.hpp"
#include "problem.hpp"

#include "unit_tests/support/random_system.hpp"

#include <hyperplane/grid/stencil7.hpp>

#include <cusparse.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::perf {

/// The functions for one scalar type.
template <class Scalar>
struct CusparseFunctions;

template <>
struct CusparseFunctions<double> {
  static constexpr cudaDataType type = CUDA_R_64F;
  static constexpr auto ilu_buffer_size = cusparseDbsrilu02_bufferSize;
  static constexpr auto ilu_analysis = cusparseDbsrilu02_analysis;
  static constexpr auto ilu = cusparseDbsrilu02;
  static constexpr auto solve_buffer_size = cusparseDbsrsv2_bufferSize;
  static constexpr auto solve_analysis = cusparseDbsrsv2_analysis;
  static constexpr auto solve = cusparseDbsrsv2_solve;
};

template <>
struct CusparseFunctions<float> {
  static constexpr cudaDataType type = CUDA_R_32F;
  static constexpr auto ilu_buffer_size = cusparseSbsrilu02_bufferSize;
  static constexpr auto ilu_analysis = cusparseSbsrilu02_analysis;
  static constexpr auto ilu = cusparseSbsrilu02;
  static constexpr auto solve_buffer_size = cusparseSbsrsv2_bufferSize;
  static constexpr auto solve_analysis = cusparseSbsrsv2_analysis;
  static constexpr auto solve = cusparseSbsrsv2_solve;
};

/// A RandomSystem in block compressed sparse rows, all of its arrays on the device.
template <class Scalar>
struct BsrSystem {
  int n;
  cusparseDirection_t direction;  ///< of the entries of a block
  int rows;                       ///< of blocks
  int blocks;
  DeviceArray<int> row_begin;
  DeviceArray<int> columns;
  DeviceArray<Scalar> values;
  DeviceArray<Scalar> rhs;

  int unknowns() const { return rows * n; }
};

template <class Scalar>
struct FillBsrRow {
  test::RandomSystem m_system;
  bool m_by_rows;
  DeviceArray<int> m_row_begin;
  DeviceArray<int> m_columns;
  DeviceArray<Scalar> m_values;
  DeviceArray<Scalar> m_rhs;

  KOKKOS_FUNCTION void operator()(int row) const {
    int const n = m_system.n;
    auto const p = m_system.grid.point(row);
    std::int64_t entry = m_row_begin(row);
    for (int d = 0; d < stencil7_size; ++d) {
      auto const q = neighbour(p, static_cast<Direction>(d));
      if (!m_system.grid.contains(q)) continue;
      m_columns(entry) = static_cast<int>(m_system.grid.index(q));
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          m_values(entry * n * n + (m_by_rows ? r * n + c : c * n + r)) =
              static_cast<Scalar>(m_system.coefficient(p, static_cast<Direction>(d), r, c));
        }
      }
      ++entry;
    }
    for (int c = 0; c < n; ++c) m_rhs(row * n + c) = static_cast<Scalar>(m_system.rhs(p, c));
  }
};

template <class Scalar>
BsrSystem<Scalar> bsr_system(const Kokkos::Cuda& exec, const test::RandomSystem& system,
                             cusparseDirection_t direction) {
  auto const& grid = system.grid;
  int const n = system.n;
  auto const rows = static_cast<int>(grid.size());
  std::vector<int> host_begin = {0};
  host_begin.reserve(static_cast<std::size_t>(rows) + 1);
  for (int row = 0; row < rows; ++row) {
    auto const p = grid.point(row);
    int blocks = 0;
    for (auto const d : stencil7_directions) blocks += grid.contains(neighbour(p, d));
    host_begin.push_back(host_begin.back() + blocks);
  }
  auto const row_begin = device_array<int>(exec, "row_begin", host_begin.size());
  Kokkos::deep_copy(exec, row_begin,
                    Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        host_begin.data(), host_begin.size()));
  auto const blocks = static_cast<std::size_t>(host_begin.back());
  auto const columns = device_array<int>(exec, "columns", blocks);
  auto const values = device_array<Scalar>(exec, "values", blocks * n * n);
  auto const rhs = device_array<Scalar>(exec, "rhs", static_cast<std::size_t>(rows) * n);
  Kokkos::parallel_for(
      "Hyperplane::perf::bsr_system", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, rows),
      FillBsrRow<Scalar>{system, direction == CUSPARSE_DIRECTION_ROW, row_begin, columns, values, rhs});
  exec.fence();
  return {n, direction, rows, static_cast<int>(blocks), row_begin, columns, values, rhs};
}

/// bsrilu02 and bsrsv2: ILU(0) of a BSR matrix. It factors the diagonal blocks too, without pivoting, so that the
/// factors are triangular entry by entry, the lower one with a unit diagonal; M is BlockIlu0's to rounding.
template <class Scalar>
class CusparseBsrIlu0 {
 public:
  CusparseBsrIlu0(const Kokkos::Cuda& exec, const test::RandomSystem& system, cusparseDirection_t direction,
                  cusparseSolvePolicy_t policy)
      : m_exec(exec),
        m_a(bsr_system<Scalar>(exec, system, direction)),
        m_policy(policy),
        m_factors(device_array<Scalar>(exec, "factors", m_a.values.size())),
        m_y(device_array<Scalar>(exec, "y", m_a.rhs.size())),
        m_x(device_array<Scalar>(exec, "x", m_a.rhs.size())) {
    check_cusparse(cusparseSetStream(m_handle.get(), exec.cuda_stream()));
    check_cusparse(cusparseSetMatFillMode(m_lower.get(), CUSPARSE_FILL_MODE_LOWER));
    check_cusparse(cusparseSetMatDiagType(m_lower.get(), CUSPARSE_DIAG_TYPE_UNIT));
    check_cusparse(cusparseSetMatFillMode(m_upper.get(), CUSPARSE_FILL_MODE_UPPER));
    check_cusparse(cusparseSetMatDiagType(m_upper.get(), CUSPARSE_DIAG_TYPE_NON_UNIT));
    reset();

    int bytes = 0;
    check_cusparse(F::ilu_buffer_size(m_handle.get(), direction, m_a.rows, m_a.blocks, m_general.get(),
                                      m_factors.data(), m_a.row_begin.data(), m_a.columns.data(), m_a.n,
                                      m_ilu_info.get(), &bytes));
    m_ilu_buffer = device_array<char>(exec, "ilu buffer", bytes);
    m_lower_buffer = solve_buffer(m_lower, m_lower_info);
    m_upper_buffer = solve_buffer(m_upper, m_upper_info);

    m_factor_analysis_seconds = seconds_of(exec, [&] {
      check_cusparse(F::ilu_analysis(m_handle.get(), direction, m_a.rows, m_a.blocks, m_general.get(), m_factors.data(),
                                     m_a.row_begin.data(), m_a.columns.data(), m_a.n, m_ilu_info.get(), m_policy,
                                     m_ilu_buffer.data()));
    });
    m_solve_analysis_seconds = seconds_of(exec, [&] {
      analyse(m_lower, m_lower_info, m_lower_buffer);
      analyse(m_upper, m_upper_info, m_upper_buffer);
    });
  }

  /// A where the factors will be, because factor() overwrites it.
  void reset() const { Kokkos::deep_copy(m_exec, m_factors, m_a.values); }

  void factor() const {
    check_cusparse(F::ilu(m_handle.get(), m_a.direction, m_a.rows, m_a.blocks, m_general.get(), m_factors.data(),
                          m_a.row_begin.data(), m_a.columns.data(), m_a.n, m_ilu_info.get(), m_policy,
                          m_ilu_buffer.data()));
  }

  /// Throws where the last factor() met a singular pivot; waits.
  void check_pivots() const {
    int position = -1;
    check_cusparse(cusparseXbsrilu02_zeroPivot(m_handle.get(), m_ilu_info.get(), &position));
  }

  void solve() const {
    solve(m_lower, m_lower_info, m_lower_buffer, m_a.rhs, m_y);
    solve(m_upper, m_upper_info, m_upper_buffer, m_y, m_x);
  }

  const BsrSystem<Scalar>& a() const { return m_a; }
  const DeviceArray<Scalar>& factors() const { return m_factors; }
  std::vector<double> x() const { return to_host(m_x); }
  double factor_analysis_seconds() const { return m_factor_analysis_seconds; }
  double solve_analysis_seconds() const { return m_solve_analysis_seconds; }

 private:
  using F = CusparseFunctions<Scalar>;
  using Description = CusparseObject<cusparseMatDescr_t, cusparseDestroyMatDescr>;
  using SolveInfo = CusparseObject<bsrsv2Info_t, cusparseDestroyBsrsv2Info>;

  DeviceArray<char> solve_buffer(const Description& description, const SolveInfo& info) const {
    int bytes = 0;
    check_cusparse(F::solve_buffer_size(m_handle.get(), m_a.direction, CUSPARSE_OPERATION_NON_TRANSPOSE, m_a.rows,
                                        m_a.blocks, description.get(), m_factors.data(), m_a.row_begin.data(),
                                        m_a.columns.data(), m_a.n, info.get(), &bytes));
    return device_array<char>(m_exec, "solve buffer", bytes);
  }

  void analyse(const Description& description, const SolveInfo& info, const DeviceArray<char>& buffer) const {
    check_cusparse(F::solve_analysis(m_handle.get(), m_a.direction, CUSPARSE_OPERATION_NON_TRANSPOSE, m_a.rows,
                                     m_a.blocks, description.get(), m_factors.data(), m_a.row_begin.data(),
                                     m_a.columns.data(), m_a.n, info.get(), m_policy, buffer.data()));
  }

  void solve(const Description& description, const SolveInfo& info, const DeviceArray<char>& buffer,
             const DeviceArray<Scalar>& rhs, const DeviceArray<Scalar>& x) const {
    Scalar const one = 1;
    check_cusparse(F::solve(m_handle.get(), m_a.direction, CUSPARSE_OPERATION_NON_TRANSPOSE, m_a.rows, m_a.blocks, &one,
                            description.get(), m_factors.data(), m_a.row_begin.data(), m_a.columns.data(), m_a.n,
                            info.get(), rhs.data(), x.data(), m_policy, buffer.data()));
  }

  Kokkos::Cuda m_exec;
  BsrSystem<Scalar> m_a;
  cusparseSolvePolicy_t m_policy;
  DeviceArray<Scalar> m_factors;
  DeviceArray<Scalar> m_y;
  DeviceArray<Scalar> m_x;
  CusparseObject<cusparseHandle_t, cusparseDestroy> m_handle{cusparseCreate};
  Description m_general{cusparseCreateMatDescr};
  Description m_lower{cusparseCreateMatDescr};
  Description m_upper{cusparseCreateMatDescr};
  CusparseObject<bsrilu02Info_t, cusparseDestroyBsrilu02Info> m_ilu_info{cusparseCreateBsrilu02Info};
  SolveInfo m_lower_info{cusparseCreateBsrsv2Info};
  SolveInfo m_upper_info{cusparseCreateBsrsv2Info};
  DeviceArray<char> m_ilu_buffer;
  DeviceArray<char> m_lower_buffer;
  DeviceArray<char> m_upper_buffer;
  double m_factor_analysis_seconds = 0.0;
  double m_solve_analysis_seconds = 0.0;
};

}  // namespace hyperplane::perf
