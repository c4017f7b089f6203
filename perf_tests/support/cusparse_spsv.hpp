// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cusparse_ilu0.hpp"
#include "cusparse_support.hpp"

#include <cusparse.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hyperplane::perf {

template <class Scalar>
struct ExpandRow {
  BsrSystem<Scalar> m_a;
  DeviceArray<Scalar> m_blocks;
  DeviceArray<int> m_row_begin;
  DeviceArray<int> m_columns;
  DeviceArray<Scalar> m_values;

  KOKKOS_FUNCTION void operator()(int row) const {
    int const n = m_a.n;
    std::int64_t const begin = m_a.row_begin(row);
    std::int64_t const count = m_a.row_begin(row + 1) - begin;
    if (row == 0) m_row_begin(0) = 0;
    for (int r = 0; r < n; ++r) {
      auto entry = begin * n * n + r * count * n;
      m_row_begin(row * n + r + 1) = static_cast<int>(entry + count * n);
      for (auto block = begin; block < begin + count; ++block) {
        for (int c = 0; c < n; ++c, ++entry) {
          m_columns(entry) = m_a.columns(block) * n + c;
          m_values(entry) = m_blocks(block * n * n + (m_a.direction == CUSPARSE_DIRECTION_ROW ? r * n + c : c * n + r));
        }
      }
    }
  }
};

/// SpSV: the generic triangular solve, with the factors of bsrilu02 as compressed sparse rows of scalars.
template <class Scalar>
class CusparseSpsv {
 public:
  CusparseSpsv(const Kokkos::Cuda& exec, const test::RandomSystem& system) : m_exec(exec) {
    {
      CusparseBsrIlu0<Scalar> const blocks(exec, system, CUSPARSE_DIRECTION_ROW, CUSPARSE_SOLVE_POLICY_USE_LEVEL);
      blocks.factor();
      expand(blocks.a(), blocks.factors());
    }
    check_cusparse(cusparseSetStream(m_handle.get(), exec.cuda_stream()));
    m_analysis_seconds = seconds_of(exec, [&] {
      m_lower = std::make_unique<Triangle>(*this, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT, m_rhs, m_y);
      m_upper = std::make_unique<Triangle>(*this, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT, m_y, m_x);
    });
  }

  void solve() const {
    m_lower->solve(m_handle.get());
    m_upper->solve(m_handle.get());
  }

  std::vector<double> x() const { return to_host(m_x); }
  double solve_analysis_seconds() const { return m_analysis_seconds; }

  /// The blocks' entries by scalar rows.
  void expand(const BsrSystem<Scalar>& a, const DeviceArray<Scalar>& blocks) {
    m_row_begin = device_array<int>(m_exec, "row_begin", static_cast<std::size_t>(a.unknowns()) + 1);
    m_columns = device_array<int>(m_exec, "columns", blocks.size());
    m_values = device_array<Scalar>(m_exec, "values", blocks.size());
    m_rhs = a.rhs;
    m_y = device_array<Scalar>(m_exec, "y", m_rhs.size());
    m_x = device_array<Scalar>(m_exec, "x", m_rhs.size());
    Kokkos::parallel_for("Hyperplane::perf::expand", Kokkos::RangePolicy<Kokkos::Cuda>(m_exec, 0, a.rows),
                         ExpandRow<Scalar>{a, blocks, m_row_begin, m_columns, m_values});
    m_exec.fence();
  }

 private:
  static constexpr auto type = CusparseFunctions<Scalar>::type;

  struct Triangle {
    Triangle(const CusparseSpsv& m, cusparseFillMode_t fill, cusparseDiagType_t diagonal,
             const DeviceArray<Scalar>& rhs, const DeviceArray<Scalar>& x)
        : m_matrix([&](cusparseSpMatDescr_t* created) {
            auto const size = static_cast<std::int64_t>(rhs.size());
            return cusparseCreateCsr(created, size, size, static_cast<std::int64_t>(m.m_values.size()),
                                     m.m_row_begin.data(), m.m_columns.data(), m.m_values.data(), CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
          }),
          m_rhs(vector(rhs)),
          m_x(vector(x)) {
      check_cusparse(cusparseSpMatSetAttribute(m_matrix.get(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
      check_cusparse(cusparseSpMatSetAttribute(m_matrix.get(), CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
      std::size_t bytes = 0;
      check_cusparse(cusparseSpSV_bufferSize(m.m_handle.get(), operation, &one, m_matrix.get(), m_rhs.get(), m_x.get(),
                                             type, algorithm, m_plan.get(), &bytes));
      m_buffer = device_array<char>(m.m_exec, "SpSV buffer", bytes);
      check_cusparse(cusparseSpSV_analysis(m.m_handle.get(), operation, &one, m_matrix.get(), m_rhs.get(), m_x.get(),
                                           type, algorithm, m_plan.get(), m_buffer.data()));
    }

    void solve(cusparseHandle_t handle) const {
      check_cusparse(cusparseSpSV_solve(handle, operation, &one, m_matrix.get(), m_rhs.get(), m_x.get(), type,
                                        algorithm, m_plan.get()));
    }

    using Vector = CusparseObject<cusparseDnVecDescr_t, cusparseDestroyDnVec>;
    static Vector vector(const DeviceArray<Scalar>& values) {
      return Vector([&](cusparseDnVecDescr_t* created) {
        return cusparseCreateDnVec(created, static_cast<std::int64_t>(values.size()), values.data(), type);
      });
    }

    static constexpr Scalar one = 1;
    static constexpr auto operation = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr auto algorithm = CUSPARSE_SPSV_ALG_DEFAULT;
    CusparseObject<cusparseSpMatDescr_t, cusparseDestroySpMat> m_matrix;
    Vector m_rhs;
    Vector m_x;
    CusparseObject<cusparseSpSVDescr_t, cusparseSpSV_destroyDescr> m_plan{cusparseSpSV_createDescr};
    DeviceArray<char> m_buffer;
  };

  Kokkos::Cuda m_exec;
  CusparseObject<cusparseHandle_t, cusparseDestroy> m_handle{cusparseCreate};
  DeviceArray<int> m_row_begin;
  DeviceArray<int> m_columns;
  DeviceArray<Scalar> m_values;
  DeviceArray<Scalar> m_rhs;
  DeviceArray<Scalar> m_y;
  DeviceArray<Scalar> m_x;
  std::unique_ptr<Triangle> m_lower;
  std::unique_ptr<Triangle> m_upper;
  double m_analysis_seconds = 0.0;
};

}  // namespace hyperplane::perf
