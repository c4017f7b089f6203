// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "unit_tests/support/random_system.hpp"

#include <hyperplane/grid/stencil7.hpp>

#include <petscpc.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// Throws where a PETSc function reports an error.
inline void check_petsc(PetscErrorCode code) {
  if (code != PETSC_SUCCESS) throw std::runtime_error("PETSc error " + std::to_string(static_cast<int>(code)));
}

/// PETSc for the lifetime of the object.
class PetscScope {
 public:
  PetscScope() { check_petsc(PetscInitializeNoArguments()); }
  PetscScope(const PetscScope&) = delete;
  PetscScope& operator=(const PetscScope&) = delete;
  ~PetscScope() { (void)PetscFinalize(); }
};

/// A RandomSystem in PETSc's blocked format (sequential BAIJ) with its ILU(0) in natural ordering: the factorization is
/// the one that BlockIlu0 computes, so that both give the same M^-1 r to rounding.
class PetscIlu0 {
 public:
  explicit PetscIlu0(const test::RandomSystem& system) {
    auto const& grid = system.grid;
    int const n = system.n;
    auto const rows = static_cast<PetscInt>(grid.size() * n);
    check_petsc(MatCreateSeqBAIJ(PETSC_COMM_SELF, n, rows, rows, stencil7_size, nullptr, &m_a));
    std::vector<PetscScalar> block(static_cast<std::size_t>(n) * n);
    for (PetscInt row = 0; row < grid.size(); ++row) {
      auto const p = grid.point(row);
      for (auto const direction : stencil7_directions) {
        auto const q = neighbour(p, direction);
        if (!grid.contains(q)) continue;
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) block[r * n + c] = system.coefficient(p, direction, r, c);
        }
        auto const column = static_cast<PetscInt>(grid.index(q));
        check_petsc(MatSetValuesBlocked(m_a, 1, &row, 1, &column, block.data(), INSERT_VALUES));
      }
    }
    check_petsc(MatAssemblyBegin(m_a, MAT_FINAL_ASSEMBLY));
    check_petsc(MatAssemblyEnd(m_a, MAT_FINAL_ASSEMBLY));

    check_petsc(MatCreateVecs(m_a, &m_x, &m_b));
    PetscScalar* b = nullptr;
    check_petsc(VecGetArrayWrite(m_b, &b));
    for (PetscInt row = 0; row < grid.size(); ++row) {
      auto const p = grid.point(row);
      for (int c = 0; c < n; ++c) b[row * n + c] = system.rhs(p, c);
    }
    check_petsc(VecRestoreArrayWrite(m_b, &b));

    check_petsc(PCCreate(PETSC_COMM_SELF, &m_pc));
    check_petsc(PCSetOperators(m_pc, m_a, m_a));
    check_petsc(PCSetType(m_pc, PCILU));
    check_petsc(PCFactorSetLevels(m_pc, 0));
    check_petsc(PCFactorSetMatOrderingType(m_pc, MATORDERINGNATURAL));
    check_petsc(PCSetUp(m_pc));
    check_petsc(PCFactorGetMatrix(m_pc, &m_factors));
    check_petsc(MatFactorInfoInitialize(&m_info));
    m_info.levels = 0;
    // What PCILU sets: a pivot too small is shifted inside its block.
    m_info.shifttype = static_cast<PetscReal>(MAT_SHIFT_INBLOCKS);
    m_info.shiftamount = 100.0 * PETSC_MACHINE_EPSILON;
    m_info.zeropivot = 100.0 * PETSC_MACHINE_EPSILON;
  }

  PetscIlu0(const PetscIlu0&) = delete;
  PetscIlu0& operator=(const PetscIlu0&) = delete;
  ~PetscIlu0() {
    (void)PCDestroy(&m_pc);
    (void)VecDestroy(&m_b);
    (void)VecDestroy(&m_x);
    (void)MatDestroy(&m_a);
  }

  /// The numeric factorization alone, over and over into the pattern of the constructor's set-up: what PCSetUp does
  /// when the values of the matrix have changed.
  void factor() { check_petsc(MatLUFactorNumeric(m_factors, m_a, &m_info)); }

  void solve() const { check_petsc(PCApply(m_pc, m_b, m_x)); }
  void apply() const { check_petsc(MatMult(m_a, m_b, m_x)); }

  std::vector<double> x() const {
    PetscInt size = 0;
    const PetscScalar* values = nullptr;
    check_petsc(VecGetSize(m_x, &size));
    check_petsc(VecGetArrayRead(m_x, &values));
    std::vector<double> copy(values, values + size);
    check_petsc(VecRestoreArrayRead(m_x, &values));
    return copy;
  }

 private:
  Mat m_a = nullptr;
  Vec m_b = nullptr;
  Vec m_x = nullptr;
  PC m_pc = nullptr;
  Mat m_factors = nullptr;  // m_pc's own
  MatFactorInfo m_info{};
};

}  // namespace hyperplane::perf
