// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../csr/csr_system.hpp"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// Throws where a function of hypre reports an error.
inline void check_hypre(HYPRE_Int code) {
  if (code == 0) return;
  char text[HYPRE_MAX_MSG_LEN];
  HYPRE_DescribeError(code, text);
  throw std::runtime_error("hypre error " + std::to_string(code) + ": " + text);
}

/// MPI and hypre for the lifetime of the object.
class HypreScope {
 public:
  HypreScope(int& argc, char**& argv) {
    MPI_Init(&argc, &argv);
    check_hypre(HYPRE_Initialize());
  }
  HypreScope(const HypreScope&) = delete;
  HypreScope& operator=(const HypreScope&) = delete;
  ~HypreScope() {
    (void)HYPRE_Finalize();
    MPI_Finalize();
  }
};

struct HypreIluOptions {
  bool is_ilut = false;        ///< ILUT, otherwise ILU(k)
  int levels = 0;              ///< k
  double drop_tolerance = 0.;  ///< of ILUT
  int row_entries = 0;         ///< of ILUT, in a row of L, and of U
};

/// A system with HYPRE_ILU on one process, in the order of its numbers. hypre has scalars: each equation of a point is
/// a row of its own, and ILU(k) is that of the blocks, whose entries all have level 0, while ILUT drops single entries
/// where A has none.
class HypreIlu {
 public:
  HypreIlu(const CsrSystem& system, const HypreIluOptions& options)
      : m_rows(static_cast<HYPRE_Int>(system.rhs.size())) {
    make_matrix(system);
    m_b = make_vector();
    m_x = make_vector();
    check_hypre(HYPRE_IJVectorSetValues(m_b, m_rows, nullptr, system.rhs.data()));
    check_hypre(HYPRE_IJVectorGetObject(m_b, object(m_par_b)));
    check_hypre(HYPRE_IJVectorGetObject(m_x, object(m_par_x)));
    make_solver(options);
  }

  HypreIlu(const HypreIlu&) = delete;
  HypreIlu& operator=(const HypreIlu&) = delete;
  ~HypreIlu() {
    (void)HYPRE_ILUDestroy(m_solver);
    (void)HYPRE_IJVectorDestroy(m_x);
    (void)HYPRE_IJVectorDestroy(m_b);
    (void)HYPRE_IJMatrixDestroy(m_a);
  }

  /// Pattern and values of the factors, anew.
  void set_up() { check_hypre(HYPRE_ILUSetup(m_solver, m_par_a, m_par_b, m_par_x)); }

  /// x = M^-1 b as hypre's Krylov methods ask for it: from a vector of which it is known that it is zero.
  void solve() const {
    check_hypre(HYPRE_ParVectorSetConstantValues(m_par_x, 0.0));
    check_hypre(HYPRE_ILUSolve(m_solver, m_par_a, m_par_b, m_par_x));
  }

  void apply() const { check_hypre(HYPRE_ParCSRMatrixMatvec(1.0, m_par_a, m_par_b, 0.0, m_par_x)); }

  /// The right-hand side that solve() and apply() take from now on.
  void set_b(const double* values) { check_hypre(HYPRE_IJVectorSetValues(m_b, m_rows, nullptr, values)); }

  void get_x(double* values) const { check_hypre(HYPRE_IJVectorGetValues(m_x, m_rows, nullptr, values)); }
  std::vector<double> x() const {
    std::vector<double> copy(static_cast<std::size_t>(m_rows));
    get_x(copy.data());
    return copy;
  }

  /// Entries of the factors over those of A. hypre has no function for it.
  double fill() const {
    return hypre_ParILUDataOperatorComplexity(reinterpret_cast<const hypre_ParILUData*>(m_solver));
  }

 private:
  template <class Object>
  static void** object(Object& pointer) {
    return reinterpret_cast<void**>(&pointer);
  }

  void make_matrix(const CsrSystem& system) {
    int const n = system.n;
    check_hypre(HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, m_rows - 1, 0, m_rows - 1, &m_a));
    check_hypre(HYPRE_IJMatrixSetObjectType(m_a, HYPRE_PARCSR));
    std::vector<HYPRE_Int> sizes;
    for (std::size_t p = 0; p < system.points(); ++p) {
      sizes.insert(sizes.end(), static_cast<std::size_t>(n),
                   static_cast<HYPRE_Int>(system.first(p + 1) - system.first(p)) * n);
    }
    check_hypre(HYPRE_IJMatrixSetRowSizes(m_a, sizes.data()));
    check_hypre(HYPRE_IJMatrixInitialize(m_a));
    std::vector<HYPRE_BigInt> columns;
    std::vector<double> values;
    for (HYPRE_BigInt row = 0; row < m_rows; ++row) {
      auto const p = static_cast<std::size_t>(row / n);
      columns.clear();
      values.clear();
      for (auto e = system.first(p); e < system.first(p + 1); ++e) {
        for (int c = 0; c < n; ++c) {
          columns.push_back(system.columns[e] * n + c);
          values.push_back(system.values[(e * n + static_cast<std::size_t>(row % n)) * n + c]);
        }
      }
      check_hypre(
          HYPRE_IJMatrixSetValues(m_a, 1, &sizes[static_cast<std::size_t>(row)], &row, columns.data(), values.data()));
    }
    check_hypre(HYPRE_IJMatrixAssemble(m_a));
    check_hypre(HYPRE_IJMatrixGetObject(m_a, object(m_par_a)));
  }

  HYPRE_IJVector make_vector() const {
    HYPRE_IJVector v = nullptr;
    check_hypre(HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, m_rows - 1, &v));
    check_hypre(HYPRE_IJVectorSetObjectType(v, HYPRE_PARCSR));
    check_hypre(HYPRE_IJVectorInitialize(v));
    check_hypre(HYPRE_IJVectorAssemble(v));
    return v;
  }

  void make_solver(const HypreIluOptions& options) {
    check_hypre(HYPRE_ILUCreate(&m_solver));
    check_hypre(HYPRE_ILUSetType(m_solver, options.is_ilut ? 1 : 0));
    check_hypre(HYPRE_ILUSetLevelOfFill(m_solver, options.levels));
    check_hypre(HYPRE_ILUSetDropThreshold(m_solver, options.drop_tolerance));
    check_hypre(HYPRE_ILUSetMaxNnzPerRow(m_solver, options.row_entries));
    check_hypre(HYPRE_ILUSetLocalReordering(m_solver, 0));
    check_hypre(HYPRE_ILUSetMaxIter(m_solver, 1));
    check_hypre(HYPRE_ILUSetTol(m_solver, 0.0));
  }

  HYPRE_Int m_rows;
  HYPRE_IJMatrix m_a = nullptr;
  HYPRE_IJVector m_b = nullptr;
  HYPRE_IJVector m_x = nullptr;
  HYPRE_ParCSRMatrix m_par_a = nullptr;
  HYPRE_ParVector m_par_b = nullptr;
  HYPRE_ParVector m_par_x = nullptr;
  HYPRE_Solver m_solver = nullptr;
};

}  // namespace hyperplane::perf
