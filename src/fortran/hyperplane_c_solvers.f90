! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> The part of hyperplane_solvers.h that the Fortran module needs.
module hyperplane_c_solvers
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  use :: hyperplane_c_functions, only: hyperplane_grid
  implicit none
  public

  !> How hyperplane_krylov ended; residual_norm is that of the solution that is returned.
  type, bind(c) :: hyperplane_result
    integer(c_int) :: outcome = 1
    integer(c_int) :: iterations = 0
    real(c_double) :: rhs_norm = 0
    real(c_double) :: residual_norm = 0
    integer(c_int) :: breakdown = 0
  end type hyperplane_result

  type, bind(c) :: preconditioner_options
    integer(c_size_t) :: struct_size
    integer(c_int) :: kind
    integer(c_int) :: storage
    real(c_double) :: storage_fraction
    real(c_double) :: relaxation
    real(c_double) :: alpha
    integer(c_int) :: line_direction_count
    integer(c_int) :: line_directions(3)
    integer(c_int) :: line_sweeps
    integer(c_int) :: path
    integer(c_int) :: right_hand_sides
    integer(c_int) :: parts(3)
    integer(c_int) :: coupling
    integer(c_int) :: folded(3)
  end type preconditioner_options

  type, bind(c) :: krylov_options
    integer(c_size_t) :: struct_size
    integer(c_int) :: method
    real(c_double) :: tolerance
    real(c_double) :: absolute_tolerance
    integer(c_int) :: max_iterations
    integer(c_int) :: restart
    integer(c_int) :: recycled
    integer(c_int) :: check_interval
    type(c_funptr) :: monitor
    type(c_ptr) :: monitor_data
  end type krylov_options

  type, bind(c) :: krylov_limits
    integer(c_size_t) :: struct_size
    real(c_double) :: tolerance
    real(c_double) :: absolute_tolerance
    integer(c_int) :: max_iterations
  end type krylov_limits

  interface
    function c_preconditioner_options_init(options) &
      bind(c, name='hyperplane_preconditioner_options_init') result(status)
      import :: c_int, preconditioner_options
      type(preconditioner_options), intent(out) :: options
      integer(c_int) :: status
    end function c_preconditioner_options_init
    function c_preconditioner_create(context, grid, n, options, preconditioner) &
      bind(c, name='hyperplane_preconditioner_create') result(status)
      import :: c_ptr, c_int, hyperplane_grid, preconditioner_options
      type(c_ptr), value :: context
      type(hyperplane_grid), value :: grid
      integer(c_int), value :: n
      type(preconditioner_options), intent(in) :: options
      type(c_ptr), intent(out) :: preconditioner
      integer(c_int) :: status
    end function c_preconditioner_create
    function c_preconditioner_factor(preconditioner, a) &
      bind(c, name='hyperplane_preconditioner_factor') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: preconditioner, a
      integer(c_int) :: status
    end function c_preconditioner_factor
    function c_preconditioner_check(preconditioner) &
      bind(c, name='hyperplane_preconditioner_check') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: preconditioner
      integer(c_int) :: status
    end function c_preconditioner_check
    function c_preconditioner_storage(preconditioner, storage) &
      bind(c, name='hyperplane_preconditioner_storage') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: preconditioner
      integer(c_int), intent(out) :: storage
      integer(c_int) :: status
    end function c_preconditioner_storage
    function c_preconditioner_solve(preconditioner, rhs, x) &
      bind(c, name='hyperplane_preconditioner_solve') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: preconditioner, rhs, x
      integer(c_int) :: status
    end function c_preconditioner_solve
    function c_preconditioner_transpose(preconditioner, transpose) &
      bind(c, name='hyperplane_preconditioner_transpose') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: preconditioner
      type(c_ptr), intent(out) :: transpose
      integer(c_int) :: status
    end function c_preconditioner_transpose
    function c_preconditioner_solve_many(preconditioner, count, rhs, x) &
      bind(c, name='hyperplane_preconditioner_solve_many') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: preconditioner
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: rhs(*), x(*)
      integer(c_int) :: status
    end function c_preconditioner_solve_many
    function c_preconditioner_solve_array(preconditioner, columns, rhs, x, count, space) &
      bind(c, name='hyperplane_preconditioner_solve_array') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: preconditioner
      integer(c_int), value :: columns
      type(c_ptr), value :: rhs, x
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_preconditioner_solve_array
    function c_preconditioner_factor_masked(preconditioner, a, mask, count, space) &
      bind(c, name='hyperplane_preconditioner_factor_masked') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: preconditioner, a, mask
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_preconditioner_factor_masked
    function c_krylov_options_init(options) bind(c, name='hyperplane_krylov_options_init') result(status)
      import :: c_int, krylov_options
      type(krylov_options), intent(out) :: options
      integer(c_int) :: status
    end function c_krylov_options_init
    function c_krylov_create(context, grid, n, options, krylov) &
      bind(c, name='hyperplane_krylov_create') result(status)
      import :: c_ptr, c_int, hyperplane_grid, krylov_options
      type(c_ptr), value :: context
      type(hyperplane_grid), value :: grid
      integer(c_int), value :: n
      type(krylov_options), intent(in) :: options
      type(c_ptr), intent(out) :: krylov
      integer(c_int) :: status
    end function c_krylov_create
    function c_krylov_solve(krylov, a, preconditioner, b, x, outcome) &
      bind(c, name='hyperplane_krylov_solve') result(status)
      import :: c_ptr, c_int, hyperplane_result
      type(c_ptr), value :: krylov, a, preconditioner, b, x
      type(hyperplane_result), intent(inout) :: outcome
      integer(c_int) :: status
    end function c_krylov_solve
    function c_krylov_get_limits(krylov, limits) bind(c, name='hyperplane_krylov_get_limits') result(status)
      import :: c_ptr, c_int, krylov_limits
      type(c_ptr), value :: krylov
      type(krylov_limits), intent(inout) :: limits
      integer(c_int) :: status
    end function c_krylov_get_limits
    function c_krylov_set_limits(krylov, limits) bind(c, name='hyperplane_krylov_set_limits') result(status)
      import :: c_ptr, c_int, krylov_limits
      type(c_ptr), value :: krylov
      type(krylov_limits), intent(in) :: limits
      integer(c_int) :: status
    end function c_krylov_set_limits
    function c_breakdown_message(breakdown) bind(c, name='hyperplane_breakdown_message') result(text)
      import :: c_ptr, c_int
      integer(c_int), value :: breakdown
      type(c_ptr) :: text
    end function c_breakdown_message
    function c_krylov_solve_array(krylov, a, preconditioner, b, x, count, space, outcome) &
      bind(c, name='hyperplane_krylov_solve_array') result(status)
      import :: c_ptr, c_int, c_int64_t, hyperplane_result
      type(c_ptr), value :: krylov, a, preconditioner, b, x
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      type(hyperplane_result), intent(inout) :: outcome
      integer(c_int) :: status
    end function c_krylov_solve_array
    function c_krylov_solve_columns(krylov, a, preconditioner, columns, b, x, count, space, outcomes) &
      bind(c, name='hyperplane_krylov_solve_columns') result(status)
      import :: c_ptr, c_int, c_int64_t, hyperplane_result
      type(c_ptr), value :: krylov, a, preconditioner, b, x
      integer(c_int), value :: columns, space
      integer(c_int64_t), value :: count
      type(hyperplane_result), intent(inout) :: outcomes(*)
      integer(c_int) :: status
    end function c_krylov_solve_columns
    function c_krylov_history(krylov, norms, capacity, count) &
      bind(c, name='hyperplane_krylov_history') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: krylov, norms
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: status
    end function c_krylov_history
    function c_preconditioner_create_named(context, grid, n, name, options, preconditioner) &
      bind(c, name='hyperplane_preconditioner_create_named') result(status)
      import :: c_char, c_ptr, c_int, hyperplane_grid
      type(c_ptr), value :: context
      type(hyperplane_grid), value :: grid
      integer(c_int), value :: n
      character(kind=c_char), intent(in) :: name(*), options(*)
      type(c_ptr), intent(out) :: preconditioner
      integer(c_int) :: status
    end function c_preconditioner_create_named
    function c_preconditioners() bind(c, name='hyperplane_preconditioners') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_preconditioners
    function c_krylov_forget(krylov) bind(c, name='hyperplane_krylov_forget') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: krylov
      integer(c_int) :: status
    end function c_krylov_forget
    function c_krylov_cause(krylov, cause) bind(c, name='hyperplane_krylov_cause') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: krylov
      type(c_ptr), intent(out) :: cause
      integer(c_int) :: status
    end function c_krylov_cause
  end interface

contains

  !> Those of the library where they are absent.
  function preconditioner_options_with(kind, path, coupling, relaxation, alpha, line_directions, line_sweeps, folded, &
                                       storage, storage_fraction) result(options)
    integer(c_int), intent(in), optional :: kind, path, coupling, storage
    real(c_double), intent(in), optional :: relaxation, alpha, storage_fraction
    integer(c_int), intent(in), optional :: line_directions(:)
    integer, intent(in), optional :: line_sweeps
    logical, intent(in), optional :: folded(3)
    type(preconditioner_options) :: options
    integer(c_int) :: status
    status = c_preconditioner_options_init(options)
    if (present(kind)) options%kind = kind
    if (present(path)) options%path = path
    if (present(coupling)) options%coupling = coupling
    if (present(relaxation)) options%relaxation = relaxation
    if (present(alpha)) options%alpha = alpha
    if (present(line_sweeps)) options%line_sweeps = int(line_sweeps, c_int)
    if (present(folded)) options%folded = merge(1_c_int, 0_c_int, folded)
    if (present(storage)) options%storage = storage
    if (present(storage_fraction)) options%storage_fraction = storage_fraction
    if (present(line_directions)) then
      options%line_direction_count = size(line_directions, kind=c_int)
      options%line_directions(:min(size(line_directions), 3)) = line_directions(:min(size(line_directions), 3))
    end if
  end function preconditioner_options_with

end module hyperplane_c_solvers
