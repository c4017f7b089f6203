! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Krylov methods of the module hyperplane.
module hyperplane_krylov_methods
  use, intrinsic :: iso_c_binding, only: c_double, c_funloc, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use :: hyperplane_base
  use :: hyperplane_c_csr, only: c_csr_krylov_create
  use :: hyperplane_c_functions, only: hyperplane_grid
  use :: hyperplane_c_solvers
  use :: hyperplane_matrices
  use :: hyperplane_preconditioner_plans
  use :: hyperplane_vectors
  implicit none
  private

  public :: hyperplane_monitor, hyperplane_breakdown_message, krylov_options_with

  integer(c_int), parameter, public :: HYPERPLANE_RICHARDSON = 0, HYPERPLANE_BICGSTAB = 1, HYPERPLANE_FGMRES = 2, &
                                       HYPERPLANE_FGCRODR = 3
  integer(c_int), parameter, public :: HYPERPLANE_CONVERGED = 0, HYPERPLANE_MAX_ITERATIONS = 1, &
                                       HYPERPLANE_BREAKDOWN = 2, HYPERPLANE_STOPPED = 3
  !> What is zero or not finite in a breakdown; hyperplane_breakdown_message() says it in words.
  integer(c_int), parameter, public :: HYPERPLANE_NO_BREAKDOWN = 0, HYPERPLANE_BREAKDOWN_RIGHT_HAND_SIDE = 1, &
                                       HYPERPLANE_BREAKDOWN_INITIAL_GUESS = 2, &
                                       HYPERPLANE_BREAKDOWN_INITIAL_RESIDUAL = 3, &
                                       HYPERPLANE_BREAKDOWN_PRECONDITIONER = 4, HYPERPLANE_BREAKDOWN_PRODUCT = 5, &
                                       HYPERPLANE_BREAKDOWN_RESIDUAL = 6, HYPERPLANE_BREAKDOWN_RECURSION = 7

  !> create(context, grid, n, method, tolerance, max_iterations, restart, check_interval, monitor,
  !> monitor_data, absolute_tolerance, recycled, stat); create_csr(context, points, n, ...) of points without a grid;
  !> set_limits(tolerance, absolute_tolerance, max_iterations, stat) for the solves that follow; what is absent stays;
  !> solve(a, b, x, result, preconditioner, stat) from the x that is given, vectors or arrays of rows of any shape;
  !> solve_device(a, b, x, count, result, preconditioner, stat) with memory of the context's device;
  !> solve_columns(a, b, x, results, preconditioner, stat): arrays of as many right-hand sides as there are results, one
  !> after another, and solve_columns_device(a, b, x, count, results, preconditioner, stat);
  !> forget(stat): the next solve with FGCRO-DR begins without the subspace that the ones before it left;
  !> history(norms, count, stat); cause(text, stat): what of the matrix is not finite, after a breakdown.
  type, extends(hyperplane_object), public :: hyperplane_krylov
  contains
    procedure :: create => krylov_create
    procedure :: create_csr => krylov_create_csr
    procedure :: set_limits => krylov_set_limits
    procedure :: solve_device => krylov_solve_device
    procedure :: solve_columns => krylov_solve_columns
    procedure :: solve_columns_device => krylov_solve_columns_device
    procedure, private :: krylov_solve, krylov_solve_values
    generic :: solve => krylov_solve, krylov_solve_values
    procedure :: forget => krylov_forget
    procedure :: history => krylov_history
    procedure :: cause => krylov_cause
  end type hyperplane_krylov

  abstract interface
    !> Called with each iteration and its residual norm when the host looks at them: 0 goes on, anything else stops the
    !> iteration. A procedure of a module, since internal ones may be gone by then.
    function hyperplane_monitor(iteration, residual_norm, data) bind(c) result(stop_now)
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: iteration
      real(c_double), value :: residual_norm
      type(c_ptr), value :: data
      integer(c_int) :: stop_now
    end function hyperplane_monitor
  end interface

contains

  subroutine krylov_create(this, context, grid, n, method, tolerance, max_iterations, restart, check_interval, &
                           monitor, monitor_data, absolute_tolerance, recycled, stat)
    class(hyperplane_krylov), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: method
    real(c_double), intent(in), optional :: tolerance, absolute_tolerance
    integer, intent(in), optional :: max_iterations, restart, check_interval, recycled
    procedure(hyperplane_monitor), optional :: monitor
    type(c_ptr), intent(in), optional :: monitor_data
    integer, intent(out), optional :: stat
    type(krylov_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    options = krylov_options_with(method, tolerance, absolute_tolerance, max_iterations, restart, check_interval, monitor, &
                                  monitor_data, recycled)
    status = c_krylov_create(context%handle, grid, int(n, c_int), options, made)
    call take(this, made, status, stat)
  end subroutine krylov_create

  !> For general matrices.
  subroutine krylov_create_csr(this, context, points, n, method, tolerance, max_iterations, restart, check_interval, &
                               monitor, monitor_data, absolute_tolerance, recycled, stat)
    class(hyperplane_krylov), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer, intent(in) :: points, n
    integer(c_int), intent(in), optional :: method
    real(c_double), intent(in), optional :: tolerance, absolute_tolerance
    integer, intent(in), optional :: max_iterations, restart, check_interval, recycled
    procedure(hyperplane_monitor), optional :: monitor
    type(c_ptr), intent(in), optional :: monitor_data
    integer, intent(out), optional :: stat
    type(krylov_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    options = krylov_options_with(method, tolerance, absolute_tolerance, max_iterations, restart, check_interval, monitor, &
                                  monitor_data, recycled)
    status = c_csr_krylov_create(context%handle, int(points, c_int64_t), int(n, c_int), options, made)
    call take(this, made, status, stat)
  end subroutine krylov_create_csr

  !> Those of the library where they are absent.
  function krylov_options_with(method, tolerance, absolute_tolerance, max_iterations, restart, check_interval, monitor, &
                               monitor_data, recycled) result(options)
    integer(c_int), intent(in), optional :: method
    real(c_double), intent(in), optional :: tolerance, absolute_tolerance
    integer, intent(in), optional :: max_iterations, restart, check_interval, recycled
    procedure(hyperplane_monitor), optional :: monitor
    type(c_ptr), intent(in), optional :: monitor_data
    type(krylov_options) :: options
    integer(c_int) :: status
    status = c_krylov_options_init(options)
    if (present(method)) options%method = method
    if (present(tolerance)) options%tolerance = tolerance
    if (present(absolute_tolerance)) options%absolute_tolerance = absolute_tolerance
    if (present(max_iterations)) options%max_iterations = int(max_iterations, c_int)
    if (present(restart)) options%restart = int(restart, c_int)
    if (present(recycled)) options%recycled = int(recycled, c_int)
    if (present(check_interval)) options%check_interval = int(check_interval, c_int)
    if (present(monitor)) options%monitor = c_funloc(monitor)
    if (present(monitor_data)) options%monitor_data = monitor_data
  end function krylov_options_with

  !> Limits of the solves that follow. What is absent stays as it is.
  subroutine krylov_set_limits(this, tolerance, absolute_tolerance, max_iterations, stat)
    class(hyperplane_krylov), intent(in) :: this
    real(c_double), intent(in), optional :: tolerance, absolute_tolerance
    integer, intent(in), optional :: max_iterations
    integer, intent(out), optional :: stat
    type(krylov_limits) :: limits
    integer(c_int) :: status
    status = c_krylov_get_limits(this%handle, limits)
    if (status == HYPERPLANE_SUCCESS) then
      if (present(tolerance)) limits%tolerance = tolerance
      if (present(absolute_tolerance)) limits%absolute_tolerance = absolute_tolerance
      if (present(max_iterations)) limits%max_iterations = int(max_iterations, c_int)
      status = c_krylov_set_limits(this%handle, limits)
    end if
    call report(status, stat)
  end subroutine krylov_set_limits

  subroutine krylov_forget(this, stat)
    class(hyperplane_krylov), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_krylov_forget(this%handle), stat)
  end subroutine krylov_forget

  !> The breakdown of a result in words.
  function hyperplane_breakdown_message(breakdown) result(text)
    integer(c_int), intent(in) :: breakdown
    character(len=:), allocatable :: text
    text = to_text(c_breakdown_message(breakdown))
  end function hyperplane_breakdown_message

  !> Solves A x = b from the x that is given. Not to converge is an outcome, not an error.
  subroutine krylov_solve(this, a, b, x, result, preconditioner, stat)
    class(hyperplane_krylov), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    type(hyperplane_vector), intent(in) :: b, x
    type(hyperplane_result), intent(out) :: result
    type(hyperplane_preconditioner), intent(in), optional :: preconditioner
    integer, intent(out), optional :: stat
    type(c_ptr) :: m
    m = c_null_ptr
    if (present(preconditioner)) m = preconditioner%handle
    call report(c_krylov_solve(this%handle, a%handle, m, b%handle, x%handle, result), stat)
  end subroutine krylov_solve

  !> The same for arrays of rows.
  subroutine krylov_solve_values(this, a, b, x, result, preconditioner, stat)
    class(hyperplane_krylov), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    real(c_double), intent(in), contiguous, target :: b(..)
    real(c_double), intent(inout), contiguous, target :: x(..)
    type(hyperplane_result), intent(out) :: result
    type(hyperplane_preconditioner), intent(in), optional :: preconditioner
    integer, intent(out), optional :: stat
    type(c_ptr) :: m
    integer(c_int64_t) :: count
    m = c_null_ptr
    if (present(preconditioner)) m = preconditioner%handle
    count = size(x, kind=c_int64_t)
    if (size(b, kind=c_int64_t) /= count) count = -1
    call report(c_krylov_solve_array(this%handle, a%handle, m, c_loc(b), c_loc(x), count, in_host, result), stat)
  end subroutine krylov_solve_values

  subroutine krylov_solve_device(this, a, b, x, count, result, preconditioner, stat)
    class(hyperplane_krylov), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    type(c_ptr), intent(in) :: b, x
    integer(c_int64_t), intent(in) :: count
    type(hyperplane_result), intent(out) :: result
    type(hyperplane_preconditioner), intent(in), optional :: preconditioner
    integer, intent(out), optional :: stat
    type(c_ptr) :: m
    m = c_null_ptr
    if (present(preconditioner)) m = preconditioner%handle
    call report(c_krylov_solve_array(this%handle, a%handle, m, b, x, count, in_device, result), stat)
  end subroutine krylov_solve_device

  !> Several right-hand sides, as many as there are results; of BiCGStab and FGMRES.
  subroutine krylov_solve_columns(this, a, b, x, results, preconditioner, stat)
    class(hyperplane_krylov), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    real(c_double), intent(in), contiguous, target :: b(..)
    real(c_double), intent(inout), contiguous, target :: x(..)
    type(hyperplane_result), intent(inout), contiguous :: results(:)
    type(hyperplane_preconditioner), intent(in), optional :: preconditioner
    integer, intent(out), optional :: stat
    type(c_ptr) :: m
    integer(c_int64_t) :: count
    m = c_null_ptr
    if (present(preconditioner)) m = preconditioner%handle
    count = size(x, kind=c_int64_t)
    if (size(b, kind=c_int64_t) /= count) count = -1
    call report(c_krylov_solve_columns(this%handle, a%handle, m, size(results, kind=c_int), c_loc(b), c_loc(x), count, &
                                       in_host, results), stat)
  end subroutine krylov_solve_columns

  subroutine krylov_solve_columns_device(this, a, b, x, count, results, preconditioner, stat)
    class(hyperplane_krylov), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    type(c_ptr), intent(in) :: b, x
    integer(c_int64_t), intent(in) :: count
    type(hyperplane_result), intent(inout), contiguous :: results(:)
    type(hyperplane_preconditioner), intent(in), optional :: preconditioner
    integer, intent(out), optional :: stat
    type(c_ptr) :: m
    m = c_null_ptr
    if (present(preconditioner)) m = preconditioner%handle
    call report(c_krylov_solve_columns(this%handle, a%handle, m, size(results, kind=c_int), b, x, count, in_device, &
                                       results), stat)
  end subroutine krylov_solve_columns_device

  !> Residual norms of the last solve, as far as there is room; count is how many there are.
  subroutine krylov_history(this, norms, count, stat)
    class(hyperplane_krylov), intent(in) :: this
    real(c_double), intent(inout), contiguous, target :: norms(:)
    integer(c_int64_t), intent(out) :: count
    integer, intent(out), optional :: stat
    call report(c_krylov_history(this%handle, c_loc(norms), size(norms, kind=c_int64_t), count), stat)
  end subroutine krylov_history

  !> What of A is not finite, where the last solve broke down on that and it was found; else ''.
  subroutine krylov_cause(this, text, stat)
    class(hyperplane_krylov), intent(in) :: this
    character(len=:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    type(c_ptr) :: words
    integer(c_int) :: status
    text = ''
    status = c_krylov_cause(this%handle, words)
    if (status == HYPERPLANE_SUCCESS) text = to_text(words)
    call report(status, stat)
  end subroutine krylov_cause

end module hyperplane_krylov_methods
