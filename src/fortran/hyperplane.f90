! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Hyperplane for Fortran 2018: solvers of block systems on the seven-point stencil of a structured grid, and of general
!> block matrices, and primitives on boxes of arrays, over the C interface (hyperplane.h). docs/fortran.md is an introduction.
!>
!> Objects are references: after y = x both are the same object, which goes with the last of them. Procedures have an
!> optional stat, HYPERPLANE_SUCCESS or what is wrong; hyperplane_error_message() has words for it. Errors of calls
!> without stat are kept, for each thread, for hyperplane_take_error(). Nothing ends the program.
module hyperplane
  use :: hyperplane_arrays, only: hyperplane_array, hyperplane_box, hyperplane_box_face, HYPERPLANE_INT, &
                                  HYPERPLANE_FLOAT, HYPERPLANE_DOUBLE
  use :: hyperplane_base, without_report => report, without_take => take, without_to_text => to_text
  use :: hyperplane_c_functions, only: hyperplane_grid
  use :: hyperplane_c_solvers, only: hyperplane_result
  use :: hyperplane_krylov_methods, without_options => krylov_options_with
  use :: hyperplane_line_solvers
  use :: hyperplane_matrices
  use :: hyperplane_packers
  use :: hyperplane_preconditioner_plans
  use :: hyperplane_primitives
  use :: hyperplane_timers
  use :: hyperplane_vectors
  implicit none
  private :: without_report, without_take, without_to_text, without_options, in_host, in_device, column_major
  public
end module hyperplane
