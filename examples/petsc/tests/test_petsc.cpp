// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type `hyperplane`, which -dll_append brings, gives what PETSc's own preconditioners give.
#include "support.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace petsc_tests {

std::vector<PetscInt> block_sizes() {
  std::vector<PetscInt> sizes(64);
  auto count = static_cast<PetscInt>(sizes.size());
  check(PetscOptionsGetIntArray(nullptr, nullptr, "-block_sizes", sizes.data(), &count, nullptr));
  sizes.resize(static_cast<std::size_t>(count));
  std::erase_if(sizes, [](PetscInt n) { return n > 6; });
  return sizes;
}

namespace {

// Thin ones in every direction, odd ones, and one that is longer than SIMD registers.
constexpr std::array<Extents, 14> grids{{{1, 1, 1},
                                         {9, 1, 1},
                                         {1, 9, 1},
                                         {1, 1, 9},
                                         {1, 5, 7},
                                         {6, 1, 5},
                                         {5, 6, 1},
                                         {2, 2, 2},
                                         {3, 3, 3},
                                         {8, 8, 8},
                                         {17, 3, 2},
                                         {2, 17, 3},
                                         {7, 11, 5},
                                         {20, 9, 4}}};

std::string describe(const Extents& extents, PetscInt n) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]) + ", " +
         std::to_string(n) + " unknowns";
}

// PCILU of a BAIJ matrix in natural ordering is BILU(0); an AIJ matrix of the same values is the same matrix.
void expect_pcilu(const Extents& extents, PetscInt n, unsigned seed) {
  SCOPED_TRACE(describe(extents, n));
  Option const ordering("-pc_factor_mat_ordering_type", "natural");
  System const blocks(extents, n, MATBAIJ, seed), scalars(extents, n, MATAIJ, seed);
  auto const expected = blocks.apply(Preconditioner(PCILU, blocks.a()));
  auto const x = blocks.apply(Preconditioner("hyperplane", blocks.a()));
  expect_equal(x, expected, n);
  EXPECT_EQ(scalars.apply(Preconditioner("hyperplane", scalars.a())), x);
}

TEST(Petsc, Bilu0IsPcilu) {
  for (PetscInt const n : block_sizes()) {
    for (auto const& extents : grids) expect_pcilu(extents, n, static_cast<unsigned>(n));
  }
}

TEST(Petsc, Bilu0IsPciluOnRandomGrids) {
  std::mt19937 random(1);
  auto const sizes = block_sizes();
  for (unsigned trial = 0; trial < 40; ++trial) {
    std::uniform_int_distribution<PetscInt> extent(1, 10);
    Extents const extents{extent(random), extent(random), extent(random)};
    expect_pcilu(extents, sizes[trial % sizes.size()], trial);
  }
}

TEST(Petsc, SsorIsPcsor) {
  Option const type("-pc_hyperplane_type", "ssor"), symmetric("-pc_sor_symmetric", "true");
  for (const char* relaxation : {"1.0", "1.4", "0.6"}) {
    Option const ours("-pc_hyperplane_relaxation", relaxation), theirs("-pc_sor_omega", relaxation);
    for (auto const& extents : grids) {
      for (MatType const matrix : {MATBAIJ, MATAIJ}) {
        SCOPED_TRACE(describe(extents, 1) + ", " + matrix + ", relaxation " + relaxation);
        System const system(extents, 1, matrix, 3);
        // Of BAIJ, PCSOR has no relaxation factor.
        System const oracle(extents, 1, MATAIJ, 3);
        expect_equal(system.apply(Preconditioner("hyperplane", system.a())),
                     oracle.apply(Preconditioner(PCSOR, oracle.a())), 1);
      }
    }
  }
}

TEST(Petsc, JacobiIsPcpbjacobi) {
  Option const type("-pc_hyperplane_type", "jacobi");
  for (PetscInt const n : block_sizes()) {
    System const system({7, 5, 3}, n, MATBAIJ, 4);
    expect_equal(system.apply(Preconditioner("hyperplane", system.a())),
                 system.apply(Preconditioner(PCPBJACOBI, system.a())), n);
  }
}

// With alpha = 0 SIP is ILU(0).
TEST(Petsc, SipIsPciluWithoutAlpha) {
  Option const type("-pc_hyperplane_type", "sip"), alpha("-pc_hyperplane_alpha", "0");
  for (auto const& extents : grids) {
    SCOPED_TRACE(describe(extents, 1));
    System const system(extents, 1, MATAIJ, 5);
    expect_equal(system.apply(Preconditioner("hyperplane", system.a())),
                 system.apply(Preconditioner(PCILU, system.a())), 1);
  }
}

// On a grid that is one line the line solver is exact, as ILU(0) is.
TEST(Petsc, LinesAreExactAlongOneLine) {
  Option const type("-pc_hyperplane_type", "lines");
  for (PetscInt const n : block_sizes()) {
    for (auto const& [extents, direction] :
         {std::pair{Extents{30, 1, 1}, "i"}, {Extents{1, 30, 1}, "j"}, {Extents{1, 1, 30}, "k"}}) {
      SCOPED_TRACE(describe(extents, n));
      Option const directions("-pc_hyperplane_line_directions", direction);
      System const system(extents, n, MATBAIJ, 6);
      expect_equal(system.apply(Preconditioner("hyperplane", system.a())),
                   system.apply(Preconditioner(PCILU, system.a())), n);
    }
  }
}

TEST(Petsc, GmresTakesTheSameIterations) {
  Option const ordering("-pc_factor_mat_ordering_type", "natural");
  for (PetscInt const n : block_sizes()) {
    System const system({13, 9, 7}, n, MATBAIJ, 7);
    auto const iterations = [&](PCType type) {
      KSP ksp = nullptr;
      PC pc = nullptr;
      Vec x = nullptr;
      PetscInt count = 0;
      KSPConvergedReason reason{};
      check(VecDuplicate(system.b(), &x));
      check(KSPCreate(PETSC_COMM_SELF, &ksp));
      check(KSPSetOperators(ksp, system.a(), system.a()));
      check(KSPSetType(ksp, KSPGMRES));
      check(KSPSetTolerances(ksp, 1e-10, 0.0, PETSC_CURRENT, 200));
      check(KSPGetPC(ksp, &pc));
      check(PCSetType(pc, type));
      check(KSPSolve(ksp, system.b(), x));
      check(KSPGetIterationNumber(ksp, &count));
      check(KSPGetConvergedReason(ksp, &reason));
      check(VecDestroy(&x));
      check(KSPDestroy(&ksp));
      EXPECT_GT(reason, 0);
      return count;
    };
    auto const expected = iterations(PCILU);
    EXPECT_GT(expected, 3);
    EXPECT_EQ(iterations("hyperplane"), expected) << n << " unknowns";
  }
}

TEST(Petsc, NewValuesAreFactoredAndOldOnesAreNot) {
  auto const n = block_sizes().back();
  for (MatType const matrix : {MATBAIJ, MATAIJ}) {
    System system({5, 6, 7}, n, matrix, 8);
    Preconditioner const pc("hyperplane", system.a());
    // Reading the arrays of the matrix does not make it a new one.
    PetscObjectState state = 0, state_after = 0;
    check(MatGetState(system.a(), &state));
    auto const before = system.apply(pc);
    check(MatGetState(system.a(), &state_after));
    EXPECT_EQ(state_after, state);
    EXPECT_EQ(system.apply(pc), before);

    system.fill_matrix();
    auto const after = system.apply(pc);
    EXPECT_NE(after, before);
    EXPECT_EQ(after, system.apply(Preconditioner("hyperplane", system.a())));
    check(PCReset(pc));
    check(PCSetOperators(pc, system.a(), system.a()));
    EXPECT_EQ(system.apply(pc), after);
  }
}

TEST(Petsc, AnotherGridIsTaken) {
  System const first({3, 4, 5}, 1, MATAIJ, 9), second({6, 5, 2}, 1, MATAIJ, 9);
  Preconditioner const pc("hyperplane", first.a());
  (void)first.apply(pc);
  check(PCSetOperators(pc, second.a(), second.a()));
  EXPECT_EQ(second.apply(pc), second.apply(Preconditioner("hyperplane", second.a())));
}

TEST(Petsc, OptionsAfterASetUpCount) {
  System const system({5, 4, 3}, 1, MATAIJ, 10);
  Preconditioner const pc("hyperplane", system.a());
  auto const bilu0 = system.apply(pc);
  Option const type("-pc_hyperplane_type", "jacobi");
  EXPECT_EQ(system.apply(pc), bilu0);
  check(PCSetFromOptions(pc));
  EXPECT_EQ(system.apply(pc), system.apply(Preconditioner("hyperplane", system.a())));
  EXPECT_NE(system.apply(pc), bilu0);
}

TEST(Petsc, TheGridMayComeFromAnOption) {
  auto const n = block_sizes().back();
  System const system({5, 4, 3}, n, MATBAIJ, 11);
  Preconditioner const with_dm("hyperplane", system.a());
  auto const expected = system.apply(with_dm);
  Mat copy = nullptr;
  check(MatConvert(system.a(), MATSEQAIJ, MAT_INITIAL_MATRIX, &copy));
  check(MatSetDM(copy, nullptr));
  {
    Option const grid("-pc_hyperplane_grid", "5x4x3");
    Preconditioner const pc("hyperplane", copy);
    EXPECT_EQ(system.apply(pc), expected);
  }
  {
    // A DMDA of the preconditioner itself, as KSPSetDM() gives it one.
    Preconditioner const pc("hyperplane", copy);
    check(PCSetDM(pc, system.dm()));
    EXPECT_EQ(system.apply(pc), expected);
  }
  check(MatDestroy(&copy));
}

TEST(Petsc, ViewSaysWhatItIs) {
  auto const n = block_sizes().back();
  System const system({5, 4, 3}, n, MATBAIJ, 12);
  Option const path("-pc_hyperplane_path", "portable");
  Preconditioner const pc("hyperplane", system.a());
  check(PCSetUp(pc));
  PetscViewer viewer = nullptr;
  char* bytes = nullptr;
  std::size_t length = 0;
  std::FILE* const file = open_memstream(&bytes, &length);
  check(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  check(PCView(pc, viewer));
  check(PetscViewerDestroy(&viewer));
  std::fclose(file);
  std::string const shown(bytes, length);
  std::free(bytes);
  EXPECT_NE(shown.find("type: hyperplane"), std::string::npos) << shown;
  EXPECT_NE(shown.find("bilu0, path portable"), std::string::npos) << shown;
  EXPECT_NE(shown.find("grid 5 x 4 x 3, " + std::to_string(n) + " unknowns per point, backend "), std::string::npos)
      << shown;
}

}  // namespace
}  // namespace petsc_tests

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != PETSC_SUCCESS) return 1;
  int const failed = RUN_ALL_TESTS();
  if (PetscFinalize() != PETSC_SUCCESS) return 1;
  return failed;
}
