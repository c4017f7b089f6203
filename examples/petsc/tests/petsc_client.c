/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of PETSc alone: convection and diffusion of coupled unknowns on a DMDA, solved as the options say. It
 * prints the number of iterations, and is an error where the solver does not converge. */
#include <petscdmda.h>
#include <petscksp.h>

static PetscErrorCode assemble(DM da, Mat a, PetscReal factor) {
  DMDALocalInfo info;
  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(da, &info));
  for (PetscInt k = info.zs; k < info.zs + info.zm; ++k) {
    for (PetscInt j = info.ys; j < info.ys + info.ym; ++j) {
      for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
        for (PetscInt c = 0; c < info.dof; ++c) {
          MatStencil const row = {.k = k, .j = j, .i = i, .c = c};
          MatStencil columns[7];
          PetscScalar values[7];
          PetscInt count = 0;
          PetscReal const weights[3] = {1.0, 1.3, 0.7};
          PetscInt const extents[3] = {info.mx, info.my, info.mz}, at[3] = {i, j, k};
          columns[count] = row;
          values[count++] = factor * 6.05;
          for (int d = 0; d < 3; ++d) {
            for (int side = -1; side <= 1; side += 2) {
              if (at[d] + side < 0 || at[d] + side >= extents[d]) continue;
              columns[count] = row;
              if (d == 0) columns[count].i += side;
              if (d == 1) columns[count].j += side;
              if (d == 2) columns[count].k += side;
              values[count++] = -factor * weights[d] * (side < 0 ? 1.4 : 0.6);
            }
          }
          PetscCall(MatSetValuesStencil(a, 1, &row, count, columns, values, INSERT_VALUES));
          for (PetscInt other = 0; other < info.dof; ++other) {
            if (other == c) continue;
            columns[0] = row;
            columns[0].c = other;
            values[0] = 0.1 * (PetscReal)(c - other);
            PetscCall(MatSetValuesStencil(a, 1, &row, 1, columns, values, INSERT_VALUES));
          }
        }
      }
    }
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char** argv) {
  PetscInt dof = 1, iterations;
  DM da;
  KSP ksp;
  Mat a;
  Vec b, x;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dof", &dof, NULL));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 12,
                         9, 7, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, dof, 1, NULL, NULL, NULL, &da));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &a));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecSet(b, 1.0));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  for (int solve = 0; solve < 2; ++solve) {
    PetscCall(assemble(da, a, 1.0 + solve));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solved in %" PetscInt_FMT " iterations\n", iterations));
  }

  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&a));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return 0;
}
