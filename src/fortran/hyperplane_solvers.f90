! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Vectors, matrices, preconditioners and Krylov methods of the module hyperplane.
module hyperplane_solvers
  use, intrinsic :: iso_c_binding, only: c_double, c_funloc, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use :: hyperplane_base
  use :: hyperplane_c_functions
  implicit none
  private

  public :: hyperplane_monitor

  integer(c_int), parameter, public :: HYPERPLANE_IDENTITY = 0, HYPERPLANE_JACOBI = 1, HYPERPLANE_SSOR = 2, &
                                       HYPERPLANE_SIP = 3, HYPERPLANE_LINES = 4, HYPERPLANE_BILU0 = 5
  integer(c_int), parameter, public :: HYPERPLANE_RICHARDSON = 0, HYPERPLANE_BICGSTAB = 1, HYPERPLANE_FGMRES = 2
  integer(c_int), parameter, public :: HYPERPLANE_CONVERGED = 0, HYPERPLANE_MAX_ITERATIONS = 1, &
                                       HYPERPLANE_BREAKDOWN = 2

  !> n unknowns a point. create(context, grid, n, stat), zero at first; set(values, stat) and get(values, stat) with values of
  !> shape (n * points), (n, points), (n, ni, nj, nk) or any other that has as many in this order; set_device and get_device
  !> (pointer, count, stat); fill(value, stat).
  type, extends(hyperplane_object), public :: hyperplane_vector
  contains
    procedure :: create => vector_create
    procedure :: fill => vector_fill
    procedure :: set_device => vector_set_device
    procedure :: get_device => vector_get_device
    procedure :: set => vector_set
    procedure :: get => vector_get
  end type hyperplane_vector

  !> Seven n x n blocks a point. create(context, grid, n, storage, stat), zero at first; set(values, stat) and
  !> get(values, stat) with values(r, c, direction, point), (r, c, direction, i, j, k) or any other shape that has as many in
  !> this order; set_device and get_device (pointer, count, stat); apply(x, y, stat): y = A x; residual(b, x, r, stat):
  !> r = b - A x.
  type, extends(hyperplane_object), public :: hyperplane_matrix
  contains
    procedure :: create => matrix_create
    procedure :: apply => matrix_apply
    procedure :: residual => matrix_residual
    procedure :: set_device => matrix_set_device
    procedure :: get_device => matrix_get_device
    procedure :: set => matrix_set
    procedure :: get => matrix_get
  end type hyperplane_matrix

  !> create(context, grid, n, kind, storage, relaxation, alpha, line_directions, line_sweeps, path,
  !> stat); factor(a, stat);
  !> check(stat): HYPERPLANE_SINGULAR_PIVOT; solve(rhs, x, stat): x = M^-1 rhs.
  type, extends(hyperplane_object), public :: hyperplane_preconditioner
  contains
    procedure :: create => preconditioner_create
    procedure :: factor => preconditioner_factor
    procedure :: check => preconditioner_check
    procedure :: solve => preconditioner_solve
  end type hyperplane_preconditioner

  !> create(context, grid, n, method, tolerance, max_iterations, restart, check_interval, monitor,
  !> monitor_data, stat);
  !> solve(a, b, x, result, preconditioner, stat) from the x that is given; history(norms, count, stat).
  type, extends(hyperplane_object), public :: hyperplane_krylov
  contains
    procedure :: create => krylov_create
    procedure :: solve => krylov_solve
    procedure :: history => krylov_history
  end type hyperplane_krylov

  abstract interface
    !> Called when the host looks at residual norms: a procedure of a module, since internal ones may be gone by then.
    subroutine hyperplane_monitor(iteration, residual_norm, data) bind(c)
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: iteration
      real(c_double), value :: residual_norm
      type(c_ptr), value :: data
    end subroutine hyperplane_monitor
  end interface

contains

  subroutine vector_create(this, context, grid, n, stat)
    class(hyperplane_vector), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_vector_create(context%handle, grid, int(n, c_int), made)
    call take(this, made, status, stat)
  end subroutine vector_create

  subroutine vector_fill(this, value, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: stat
    call report(c_vector_fill(this%handle, value), stat)
  end subroutine vector_fill

  subroutine vector_set(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_vector_set(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_set

  subroutine vector_get(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_vector_get(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_get

  !> From memory of the context's device, in the order of its stream.
  subroutine vector_set_device(this, pointer, count, stat)
    class(hyperplane_vector), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_vector_set(this%handle, pointer, count, in_device), stat)
  end subroutine vector_set_device

  !> To memory of the context's device, in the order of its stream.
  subroutine vector_get_device(this, pointer, count, stat)
    class(hyperplane_vector), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_vector_get(this%handle, pointer, count, in_device), stat)
  end subroutine vector_get_device

  subroutine matrix_set(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_matrix_set(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_set

  subroutine matrix_get(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_matrix_get(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_get

  !> From memory of the context's device, in the order of its stream.
  subroutine matrix_set_device(this, pointer, count, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_matrix_set(this%handle, pointer, count, column_major, in_device), stat)
  end subroutine matrix_set_device

  !> To memory of the context's device, in the order of its stream.
  subroutine matrix_get_device(this, pointer, count, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_matrix_get(this%handle, pointer, count, column_major, in_device), stat)
  end subroutine matrix_get_device

  subroutine matrix_create(this, context, grid, n, storage, stat)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: storage
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status, stored
    stored = HYPERPLANE_STORAGE_DOUBLE
    if (present(storage)) stored = storage
    status = c_matrix_create(context%handle, grid, int(n, c_int), stored, made)
    call take(this, made, status, stat)
  end subroutine matrix_create

  !> y = A x
  subroutine matrix_apply(this, x, y, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(hyperplane_vector), intent(in) :: x, y
    integer, intent(out), optional :: stat
    call report(c_matrix_apply(this%handle, x%handle, y%handle), stat)
  end subroutine matrix_apply

  !> r = b - A x
  subroutine matrix_residual(this, b, x, r, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(hyperplane_vector), intent(in) :: b, x, r
    integer, intent(out), optional :: stat
    call report(c_matrix_residual(this%handle, b%handle, x%handle, r%handle), stat)
  end subroutine matrix_residual

  subroutine preconditioner_create(this, context, grid, n, kind, storage, relaxation, alpha, line_directions, &
                                   line_sweeps, path, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: kind, storage, path
    real(c_double), intent(in), optional :: relaxation, alpha
    integer(c_int), intent(in), optional :: line_directions(:)
    integer, intent(in), optional :: line_sweeps
    integer, intent(out), optional :: stat
    type(preconditioner_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    integer :: used
    status = c_preconditioner_options_init(options)
    if (present(kind)) options%kind = kind
    if (present(storage)) options%storage = storage
    if (present(relaxation)) options%relaxation = relaxation
    if (present(alpha)) options%alpha = alpha
    if (present(path)) options%path = path
    if (present(line_sweeps)) options%line_sweeps = int(line_sweeps, c_int)
    if (present(line_directions)) then
      options%line_direction_count = size(line_directions, kind=c_int)
      used = min(size(line_directions), 3)
      options%line_directions(1:used) = line_directions(1:used)
    end if
    status = c_preconditioner_create(context%handle, grid, int(n, c_int), options, made)
    call take(this, made, status, stat)
  end subroutine preconditioner_create

  subroutine preconditioner_factor(this, a, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    integer, intent(out), optional :: stat
    call report(c_preconditioner_factor(this%handle, a%handle), stat)
  end subroutine preconditioner_factor

  !> HYPERPLANE_SINGULAR_PIVOT if the last factorization met one.
  subroutine preconditioner_check(this, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_preconditioner_check(this%handle), stat)
  end subroutine preconditioner_check

  !> x = M^-1 rhs
  subroutine preconditioner_solve(this, rhs, x, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    type(hyperplane_vector), intent(in) :: rhs, x
    integer, intent(out), optional :: stat
    call report(c_preconditioner_solve(this%handle, rhs%handle, x%handle), stat)
  end subroutine preconditioner_solve

  subroutine krylov_create(this, context, grid, n, method, tolerance, max_iterations, restart, check_interval, &
                           monitor, monitor_data, stat)
    class(hyperplane_krylov), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: method
    real(c_double), intent(in), optional :: tolerance
    integer, intent(in), optional :: max_iterations, restart, check_interval
    procedure(hyperplane_monitor), optional :: monitor
    type(c_ptr), intent(in), optional :: monitor_data
    integer, intent(out), optional :: stat
    type(krylov_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_krylov_options_init(options)
    if (present(method)) options%method = method
    if (present(tolerance)) options%tolerance = tolerance
    if (present(max_iterations)) options%max_iterations = int(max_iterations, c_int)
    if (present(restart)) options%restart = int(restart, c_int)
    if (present(check_interval)) options%check_interval = int(check_interval, c_int)
    if (present(monitor)) options%monitor = c_funloc(monitor)
    if (present(monitor_data)) options%monitor_data = monitor_data
    status = c_krylov_create(context%handle, grid, int(n, c_int), options, made)
    call take(this, made, status, stat)
  end subroutine krylov_create

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

  !> Residual norms of the last solve, as far as there is room; count is how many there are.
  subroutine krylov_history(this, norms, count, stat)
    class(hyperplane_krylov), intent(in) :: this
    real(c_double), intent(inout), contiguous, target :: norms(:)
    integer(c_int64_t), intent(out) :: count
    integer, intent(out), optional :: stat
    call report(c_krylov_history(this%handle, c_loc(norms), size(norms, kind=c_int64_t), count), stat)
  end subroutine krylov_history

end module hyperplane_solvers
