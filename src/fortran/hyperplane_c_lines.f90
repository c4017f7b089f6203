! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> The part of hyperplane_lines.h that the Fortran module needs.
module hyperplane_c_lines
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_null_ptr, c_ptr, c_size_t
  use :: hyperplane_c_functions, only: hyperplane_grid
  implicit none
  public

  type, bind(c) :: line_options
    integer(c_size_t) :: struct_size
    integer(c_int) :: storage
    integer(c_int) :: path
    integer(c_int) :: load_bits
    integer(c_int) :: partitions
    integer(c_int) :: columns
  end type line_options

  type, bind(c) :: c_line_set
    integer(c_int) :: kind = 0
    integer(c_int) :: ends = 0
    type(hyperplane_grid) :: grid = hyperplane_grid(0, 0, 0)
    integer(c_int) :: direction = 0
    integer(c_int64_t) :: line_count = 0
    integer(c_int) :: length = 0
    integer(c_int64_t) :: point_count = 0
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: points = c_null_ptr
  end type c_line_set

  interface
    function c_line_options_init(options) bind(c, name='hyperplane_line_options_init') result(status)
      import :: c_int, line_options
      type(line_options), intent(out) :: options
      integer(c_int) :: status
    end function c_line_options_init
    function c_line_solver_create(context, lines, n, options, solver) &
      bind(c, name='hyperplane_line_solver_create') result(status)
      import :: c_int, c_line_set, c_ptr, line_options
      type(c_ptr), value :: context
      type(c_line_set), intent(in) :: lines
      integer(c_int), value :: n
      type(line_options), intent(in) :: options
      type(c_ptr), intent(out) :: solver
      integer(c_int) :: status
    end function c_line_solver_create
    function c_line_solver_factor(solver, values, count, order, space) &
      bind(c, name='hyperplane_line_solver_factor') result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver, values
      integer(c_int64_t), value :: count
      integer(c_int), value :: order, space
      integer(c_int) :: status
    end function c_line_solver_factor
    function c_line_solver_factor_matrix(solver, a) &
      bind(c, name='hyperplane_line_solver_factor_matrix') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver, a
      integer(c_int) :: status
    end function c_line_solver_factor_matrix
    function c_line_solver_check(solver) bind(c, name='hyperplane_line_solver_check') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver
      integer(c_int) :: status
    end function c_line_solver_check
    function c_line_solver_solve(solver, rhs, x, count, space) &
      bind(c, name='hyperplane_line_solver_solve') result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver, rhs, x
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_line_solver_solve
    function c_line_solver_solve_vector(solver, rhs, x) &
      bind(c, name='hyperplane_line_solver_solve_vector') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver, rhs, x
      integer(c_int) :: status
    end function c_line_solver_solve_vector
    function c_line_solver_transpose(solver, transpose) bind(c, name='hyperplane_line_solver_transpose') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver
      type(c_ptr), intent(out) :: transpose
      integer(c_int) :: status
    end function c_line_solver_transpose
  end interface

end module hyperplane_c_lines
