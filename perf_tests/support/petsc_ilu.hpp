// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "unit_tests/support/random_system.hpp"

#include <hyperplane/grid/stencil7.hpp>

#include <petscpc.h>

#include <functional>
#include <memory>
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

/// A system in PETSc's blocked format (sequential BAIJ) with its ILU(k) in natural ordering: the factorization is the
/// one that BlockIlu0, BlockIlu0Csr and BlockIlukCsr compute, so that all give the same M^-1 r to rounding.
class PetscIlu {
 public:
  /// Takes the block of a row and a column, by rows.
  using TakeBlock = std::function<void(PetscInt column, const double* block)>;

  /// for_blocks(row, take) hands out the blocks of a row, of which it has at most `most`; rhs(row, c) is that of an
  /// equation.
  PetscIlu(PetscInt points, int n, PetscInt most, int levels,
           const std::function<void(PetscInt, const TakeBlock&)>& for_blocks,
           const std::function<double(PetscInt, int)>& rhs) {
    check_petsc(MatCreateSeqBAIJ(PETSC_COMM_SELF, n, points * n, points * n, most, nullptr, &m_a));
    for (PetscInt row = 0; row < points; ++row) {
      for_blocks(row, [&](PetscInt column, const double* block) {
        check_petsc(MatSetValuesBlocked(m_a, 1, &row, 1, &column, block, INSERT_VALUES));
      });
    }
    check_petsc(MatAssemblyBegin(m_a, MAT_FINAL_ASSEMBLY));
    check_petsc(MatAssemblyEnd(m_a, MAT_FINAL_ASSEMBLY));

    check_petsc(MatCreateVecs(m_a, &m_x, &m_b));
    PetscScalar* b = nullptr;
    check_petsc(VecGetArrayWrite(m_b, &b));
    for (PetscInt row = 0; row < points; ++row) {
      for (int c = 0; c < n; ++c) b[row * n + c] = rhs(row, c);
    }
    check_petsc(VecRestoreArrayWrite(m_b, &b));

    check_petsc(PCCreate(PETSC_COMM_SELF, &m_pc));
    check_petsc(PCSetOperators(m_pc, m_a, m_a));
    check_petsc(PCSetType(m_pc, PCILU));
    check_petsc(PCFactorSetLevels(m_pc, levels));
    check_petsc(PCFactorSetMatOrderingType(m_pc, MATORDERINGNATURAL));
    check_petsc(PCSetUp(m_pc));
    check_petsc(PCFactorGetMatrix(m_pc, &m_factors));
    check_petsc(MatFactorInfoInitialize(&m_info));
    m_info.levels = levels;
    // What PCILU sets: a pivot too small is shifted inside its block.
    m_info.shifttype = static_cast<PetscReal>(MAT_SHIFT_INBLOCKS);
    m_info.shiftamount = 100.0 * PETSC_MACHINE_EPSILON;
    m_info.zeropivot = 100.0 * PETSC_MACHINE_EPSILON;
  }

  PetscIlu(const PetscIlu&) = delete;
  PetscIlu& operator=(const PetscIlu&) = delete;
  ~PetscIlu() {
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

/// ILU(0) of a random system on a grid.
inline std::shared_ptr<PetscIlu> petsc_ilu0(const test::RandomSystem& system) {
  auto const& grid = system.grid;
  int const n = system.n;
  std::vector<double> block(static_cast<std::size_t>(n) * n);
  auto const for_blocks = [&](PetscInt row, const PetscIlu::TakeBlock& take) {
    auto const p = grid.point(row);
    for (auto const direction : stencil7_directions) {
      auto const q = neighbour(p, direction);
      if (!grid.contains(q)) continue;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) block[r * n + c] = system.coefficient(p, direction, r, c);
      }
      take(static_cast<PetscInt>(grid.index(q)), block.data());
    }
  };
  return std::make_shared<PetscIlu>(static_cast<PetscInt>(grid.size()), n, stencil7_size, 0, for_blocks,
                                    [&](PetscInt row, int c) { return system.rhs(grid.point(row), c); });
}

}  // namespace hyperplane::perf
