// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the type `hyperplane` says where something is wrong.
#include "support.hpp"

#include <limits>

namespace petsc_tests {
namespace {

/// The message of the first error while the object lives; nothing is printed.
class Errors {
 public:
  Errors() { check(PetscPushErrorHandler(handle, this)); }
  Errors(const Errors&) = delete;
  Errors& operator=(const Errors&) = delete;
  ~Errors() { (void)PetscPopErrorHandler(); }
  const std::string& message() const { return m_message; }

 private:
  static PetscErrorCode handle(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                               const char* message, void* self) {
    if (type == PETSC_ERROR_INITIAL && message != nullptr) static_cast<Errors*>(self)->m_message = message;
    return code;
  }
  std::string m_message;
};

void expect_error(PC pc, const std::vector<std::string>& words) {
  Errors const errors;
  EXPECT_NE(PCSetUp(pc), PETSC_SUCCESS);
  for (auto const& word : words) EXPECT_NE(errors.message().find(word), std::string::npos) << errors.message();
}

Mat without_dm(const System& system, MatType type) {
  Mat copy = nullptr;
  check(MatConvert(system.a(), type, MAT_INITIAL_MATRIX, &copy));
  check(MatSetDM(copy, nullptr));
  return copy;
}

TEST(PetscErrors, EntriesOutOfTheStencilAreNamed) {
  System const system({4, 3, 2}, 1, MATAIJ, 1);
  Mat a = without_dm(system, MATSEQAIJ);
  // 1 is the east neighbour of 0, and 5 is no neighbour of it.
  check(MatSetOption(a, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  check(MatSetValue(a, 0, 5, 1.0, INSERT_VALUES));
  check(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  Option const grid("-pc_hyperplane_grid", "4x3x2");
  Preconditioner const pc("hyperplane", a);
  expect_error(pc, {"row 0", "column 5"});
  check(MatDestroy(&a));
}

TEST(PetscErrors, ANonzeroPatternOfAnotherGridIsAnError) {
  System const system({4, 3, 2}, 1, MATAIJ, 2);
  Option const grid("-pc_hyperplane_grid", "3x4x2");
  Preconditioner const pc("hyperplane", system.a());
  expect_error(pc, {"row ", "column "});
}

TEST(PetscErrors, GridsThatAreNone) {
  System const system({4, 3, 2}, 1, MATAIJ, 3);
  for (const char* text : {"4x3", "4x3x0", "4x3x2x1", "all", "-4x-3x2"}) {
    Option const grid("-pc_hyperplane_grid", text);
    Preconditioner const pc("hyperplane", system.a());
    expect_error(pc, {"-pc_hyperplane_grid", text});
  }
  Option const grid("-pc_hyperplane_grid", "5x3x2");
  Preconditioner const pc("hyperplane", system.a());
  expect_error(pc, {"24 x 24", "5 x 3 x 2", "30 points"});
}

TEST(PetscErrors, WithoutAGridTheOptionIsNamed) {
  System const system({4, 3, 2}, 1, MATAIJ, 4);
  Mat a = without_dm(system, MATSEQAIJ);
  PC pc = nullptr;
  check(PCCreate(PETSC_COMM_SELF, &pc));
  check(PCSetOptionsPrefix(pc, "sub_"));
  check(PCSetOperators(pc, a, a));
  check(PCSetType(pc, "hyperplane"));
  expect_error(pc, {"-sub_pc_hyperplane_grid"});
  check(PCDestroy(&pc));
  check(MatDestroy(&a));
}

TEST(PetscErrors, OtherTypesOfMatrices) {
  System const system({4, 3, 2}, 1, MATAIJ, 5);
  Mat a = without_dm(system, MATSEQDENSE);
  Option const grid("-pc_hyperplane_grid", "4x3x2");
  Preconditioner const pc("hyperplane", a);
  expect_error(pc, {"seqaij", "seqbaij", "seqdense"});
  check(MatDestroy(&a));
}

TEST(PetscErrors, WhatTheLibraryRefuses) {
  System const system({4, 3, 2}, block_sizes().back(), MATBAIJ, 6);
  {
    Option const relaxation("-pc_hyperplane_relaxation", "2.5"), type("-pc_hyperplane_type", "ssor");
    Preconditioner const pc("hyperplane", system.a());
    expect_error(pc, {"HYPERPLANE_INVALID_ARGUMENT", "2.5"});
  }
  {
    Option const backend("-pc_hyperplane_backend", "abacus");
    Preconditioner const pc("hyperplane", system.a());
    expect_error(pc, {"HYPERPLANE_NOT_AVAILABLE", "abacus"});
  }
}

TEST(PetscErrors, OptionsOutOfTheirLists) {
  System const system({4, 3, 2}, 1, MATAIJ, 7);
  for (auto const& [name, value] : {std::pair{"-pc_hyperplane_type", "bilu1"},
                                    {"-pc_hyperplane_path", "shortest"},
                                    {"-pc_hyperplane_line_directions", "i,l"},
                                    {"-pc_hyperplane_line_directions", "ij"}}) {
    PC pc = nullptr;
    check(PCCreate(PETSC_COMM_SELF, &pc));
    check(PCSetType(pc, "hyperplane"));
    Option const option(name, value);
    Errors const errors;
    EXPECT_NE(PCSetFromOptions(pc), PETSC_SUCCESS);
    EXPECT_NE(errors.message().find(value), std::string::npos) << errors.message();
    check(PCDestroy(&pc));
  }
}

TEST(PetscErrors, AFactorizationThatFailsEndsTheSolve) {
  System const system({4, 3, 2}, 1, MATAIJ, 8);
  KSP ksp = nullptr;
  PC pc = nullptr;
  Vec x = nullptr;
  check(VecDuplicate(system.b(), &x));
  check(KSPCreate(PETSC_COMM_SELF, &ksp));
  check(KSPSetOperators(ksp, system.a(), system.a()));
  check(KSPGetPC(ksp, &pc));
  check(PCSetType(pc, "hyperplane"));
  auto const expect_failure = [&] {
    KSPConvergedReason reason{};
    check(KSPSolve(ksp, system.b(), x));
    check(KSPGetConvergedReason(ksp, &reason));
    EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED);
  };
  check(MatScale(system.a(), std::numeric_limits<double>::quiet_NaN()));
  expect_failure();
  check(MatZeroEntries(system.a()));
  expect_failure();
  // Zeros again: a new matrix, for PETSc.
  check(MatZeroEntries(system.a()));
  check(PCSetErrorIfFailure(pc, PETSC_TRUE));
  {
    Errors const errors;
    EXPECT_NE(PCSetUp(pc), PETSC_SUCCESS);
    EXPECT_NE(errors.message().find("(0, 0, 0)"), std::string::npos) << errors.message();
  }
  check(VecDestroy(&x));
  check(KSPDestroy(&ksp));
}

TEST(PetscErrors, TransposesAreNotThere) {
  System const system({4, 3, 2}, 1, MATAIJ, 9);
  Preconditioner const pc("hyperplane", system.a());
  check(PCSetUp(pc));
  PetscBool has_transpose = PETSC_TRUE;
  check(PCApplyTransposeExists(pc, &has_transpose));
  EXPECT_FALSE(has_transpose);
  Vec x = nullptr;
  check(VecDuplicate(system.b(), &x));
  {
    Errors const errors;
    EXPECT_NE(PCApplyTranspose(pc, system.b(), x), PETSC_SUCCESS);
    EXPECT_NE(errors.message().find("hyperplane"), std::string::npos) << errors.message();
  }
  check(VecDestroy(&x));
}

}  // namespace
}  // namespace petsc_tests
