// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <petscdmda.h>
#include <petscksp.h>

#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace petsc_tests {

inline void check(PetscErrorCode code) {
  if (code != PETSC_SUCCESS) throw std::runtime_error("PETSc error " + std::to_string(static_cast<int>(code)));
}

using Extents = std::array<PetscInt, 3>;

/// Of the compiled library; the command line of the test says which.
std::vector<PetscInt> block_sizes();

/// Sets an option for the lifetime of the object.
class Option {
 public:
  Option(std::string name, const std::string& value) : m_name(std::move(name)) {
    check(PetscOptionsSetValue(nullptr, m_name.c_str(), value.c_str()));
  }
  Option(const Option&) = delete;
  Option& operator=(const Option&) = delete;
  ~Option() { (void)PetscOptionsClearValue(nullptr, m_name.c_str()); }

 private:
  std::string m_name;
};

/// A random diagonally dominant matrix of the star stencil on a DMDA, and a random right-hand side.
class System {
 public:
  System(const Extents& extents, PetscInt n, MatType type, unsigned seed) : m_extents(extents), m_n(n), m_random(seed) {
    auto const [ni, nj, nk] = extents;
    check(DMDACreate3d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, ni, nj,
                       nk, 1, 1, 1, n, 1, nullptr, nullptr, nullptr, &m_dm));
    check(DMSetMatType(m_dm, type));
    check(DMSetUp(m_dm));
    check(DMCreateMatrix(m_dm, &m_a));
    check(MatCreateVecs(m_a, &m_x, &m_b));
    fill_matrix();
    PetscScalar* b = nullptr;
    check(VecGetArrayWrite(m_b, &b));
    for (PetscInt row = 0; row < ni * nj * nk * n; ++row) b[row] = number();
    check(VecRestoreArrayWrite(m_b, &b));
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System() {
    (void)VecDestroy(&m_x);
    (void)VecDestroy(&m_b);
    (void)MatDestroy(&m_a);
    (void)DMDestroy(&m_dm);
  }

  /// New values.
  void fill_matrix() {
    auto const [ni, nj, nk] = m_extents;
    for (PetscInt k = 0; k < nk; ++k) {
      for (PetscInt j = 0; j < nj; ++j) {
        for (PetscInt i = 0; i < ni; ++i) {
          PetscInt const point = i + ni * (j + nj * k);
          add_block(point, point, 4.0 + static_cast<double>(m_n));
          if (i > 0) add_block(point, point - 1, 0.0);
          if (i + 1 < ni) add_block(point, point + 1, 0.0);
          if (j > 0) add_block(point, point - ni, 0.0);
          if (j + 1 < nj) add_block(point, point + ni, 0.0);
          if (k > 0) add_block(point, point - ni * nj, 0.0);
          if (k + 1 < nk) add_block(point, point + ni * nj, 0.0);
        }
      }
    }
    check(MatAssemblyBegin(m_a, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(m_a, MAT_FINAL_ASSEMBLY));
  }

  Mat a() const { return m_a; }
  Vec b() const { return m_b; }
  DM dm() const { return m_dm; }

  std::vector<double> apply(PC pc) const {
    check(PCApply(pc, m_b, m_x));
    PetscInt size = 0;
    const PetscScalar* values = nullptr;
    check(VecGetSize(m_x, &size));
    check(VecGetArrayRead(m_x, &values));
    std::vector<double> copy(values, values + size);
    check(VecRestoreArrayRead(m_x, &values));
    return copy;
  }

 private:
  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(m_random); }

  void add_block(PetscInt row, PetscInt column, double diagonal) {
    std::vector<PetscScalar> block(static_cast<std::size_t>(m_n * m_n));
    for (auto& value : block) value = number() / (row == column ? 1.0 : static_cast<double>(m_n));
    for (PetscInt c = 0; c < m_n; ++c) block[static_cast<std::size_t>(c * (m_n + 1))] += diagonal;
    check(MatSetValuesBlocked(m_a, 1, &row, 1, &column, block.data(), INSERT_VALUES));
  }

  Extents m_extents;
  PetscInt m_n;
  std::mt19937 m_random;
  DM m_dm = nullptr;
  Mat m_a = nullptr;
  Vec m_b = nullptr;
  Vec m_x = nullptr;
};

/// A preconditioner of one matrix, with options from the options database.
class Preconditioner {
 public:
  Preconditioner(PCType type, Mat a) {
    check(PCCreate(PETSC_COMM_SELF, &m_pc));
    check(PCSetOperators(m_pc, a, a));
    check(PCSetType(m_pc, type));
    check(PCSetFromOptions(m_pc));
  }
  Preconditioner(const Preconditioner&) = delete;
  Preconditioner& operator=(const Preconditioner&) = delete;
  ~Preconditioner() { (void)PCDestroy(&m_pc); }
  operator PC() const { return m_pc; }

 private:
  PC m_pc = nullptr;
};

/// They agree to rounding: k * n * epsilon of the largest value, where the systems are well conditioned.
inline void expect_equal(const std::vector<double>& x, const std::vector<double>& expected, PetscInt n) {
  ASSERT_EQ(x.size(), expected.size());
  double largest = 0.0, difference = 0.0;
  for (std::size_t row = 0; row < x.size(); ++row) {
    largest = std::max(largest, std::abs(expected[row]));
    difference = std::max(difference, std::abs(x[row] - expected[row]));
  }
  EXPECT_GT(largest, 0.0);
  EXPECT_LE(difference, 20 * static_cast<double>(n) * PETSC_MACHINE_EPSILON * largest);
}

}  // namespace petsc_tests
