! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Hyperplane for Fortran 2008: solvers of block systems on the seven-point stencil of a structured grid, over the C
!> interface (hyperplane.h). docs/fortran.md is an introduction.
!>
!> Objects are references: after y = x both are the same object, which goes with the last of them. Procedures have an
!> optional stat, HYPERPLANE_SUCCESS or what is wrong; hyperplane_error_message() has words for it. Errors of calls
!> without stat are kept for hyperplane_take_error(). Nothing ends the program.
module hyperplane
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int64_t, c_loc, &
                                         c_null_char, c_null_ptr, c_ptr
  use :: hyperplane_c_functions
  implicit none
  private

  public :: hyperplane_grid, hyperplane_result

  public :: hyperplane_initialize, hyperplane_finalize, hyperplane_is_initialized, hyperplane_version, &
            hyperplane_backends, hyperplane_has_block_size, hyperplane_error_message, hyperplane_take_error

  integer(c_int), parameter, public :: HYPERPLANE_SUCCESS = 0, HYPERPLANE_NOT_INITIALIZED = 1, &
                                       HYPERPLANE_NULL_POINTER = 2, HYPERPLANE_INVALID_HANDLE = 3, &
                                       HYPERPLANE_INVALID_ARGUMENT = 4, HYPERPLANE_SIZE_MISMATCH = 5, &
                                       HYPERPLANE_NOT_AVAILABLE = 6, HYPERPLANE_SINGULAR_PIVOT = 7, &
                                       HYPERPLANE_OUT_OF_MEMORY = 8, HYPERPLANE_INTERNAL_ERROR = 9
  !> Positions in the third dimension of matrix values, from 1.
  integer, parameter, public :: HYPERPLANE_BOTTOM = 1, HYPERPLANE_SOUTH = 2, HYPERPLANE_WEST = 3, &
                                HYPERPLANE_CENTER = 4, HYPERPLANE_EAST = 5, HYPERPLANE_NORTH = 6, HYPERPLANE_TOP = 7
  integer(c_int), parameter, public :: HYPERPLANE_STORAGE_DOUBLE = 0, HYPERPLANE_STORAGE_FLOAT = 1
  integer(c_int), parameter, public :: HYPERPLANE_NONE = 0, HYPERPLANE_JACOBI = 1, HYPERPLANE_SSOR = 2, &
                                       HYPERPLANE_SIP = 3, HYPERPLANE_LINES = 4, HYPERPLANE_BILU0 = 5
  integer(c_int), parameter, public :: HYPERPLANE_RICHARDSON = 0, HYPERPLANE_BICGSTAB = 1, HYPERPLANE_FGMRES = 2
  integer(c_int), parameter, public :: HYPERPLANE_CONVERGED = 0, HYPERPLANE_MAX_ITERATIONS = 1, &
                                       HYPERPLANE_BREAKDOWN = 2
  !> Directions of lines.
  integer(c_int), parameter, public :: HYPERPLANE_I = 0, HYPERPLANE_J = 1, HYPERPLANE_K = 2

  integer(c_int), parameter :: in_host = 0, in_device = 1, column_major = 1

  !> Where and in which order work is done. create(backend, stream, stat); fence(stat); backend().
  type, public :: hyperplane_context
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => context_create
    procedure :: fence => context_fence
    procedure :: backend => context_backend
    procedure :: free => context_free
    procedure, private :: assign => context_assign
    generic :: assignment(=) => assign
    final :: context_final
  end type hyperplane_context

  !> n unknowns a point. create(context, grid, n, stat), zero at first; set(values, stat) and get(values, stat) with values of
  !> shape (n * points), (n, points) or (n, ni, nj, nk); set_device and get_device (pointer, count, stat); fill(value, stat).
  type, public :: hyperplane_vector
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => vector_create
    procedure :: fill => vector_fill
    procedure :: set_device => vector_set_device
    procedure :: get_device => vector_get_device
    procedure, private :: set_1 => vector_set_1
    procedure, private :: set_2 => vector_set_2
    procedure, private :: set_4 => vector_set_4
    generic :: set => set_1, set_2, set_4
    procedure, private :: get_1 => vector_get_1
    procedure, private :: get_2 => vector_get_2
    procedure, private :: get_4 => vector_get_4
    generic :: get => get_1, get_2, get_4
    procedure :: free => vector_free
    procedure, private :: assign => vector_assign
    generic :: assignment(=) => assign
    final :: vector_final
  end type hyperplane_vector

  !> Seven n x n blocks a point. create(context, grid, n, storage, stat), zero at first; set(values, stat) and
  !> get(values, stat) with values(r, c, direction, point) or (r, c, direction, i, j, k); set_device and get_device (pointer,
  !> count, stat); apply(x, y, stat): y = A x; residual(b, x, r, stat): r = b - A x.
  type, public :: hyperplane_matrix
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => matrix_create
    procedure :: apply => matrix_apply
    procedure :: residual => matrix_residual
    procedure :: set_device => matrix_set_device
    procedure :: get_device => matrix_get_device
    procedure, private :: set_4 => matrix_set_4
    procedure, private :: set_6 => matrix_set_6
    generic :: set => set_4, set_6
    procedure, private :: get_4 => matrix_get_4
    procedure, private :: get_6 => matrix_get_6
    generic :: get => get_4, get_6
    procedure :: free => matrix_free
    procedure, private :: assign => matrix_assign
    generic :: assignment(=) => assign
    final :: matrix_final
  end type hyperplane_matrix

  !> create(context, grid, n, kind, storage, relaxation, alpha, line_directions, line_sweeps, stat); factor(a, stat);
  !> check(stat): HYPERPLANE_SINGULAR_PIVOT; solve(rhs, x, stat): x = M^-1 rhs.
  type, public :: hyperplane_preconditioner
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => preconditioner_create
    procedure :: factor => preconditioner_factor
    procedure :: check => preconditioner_check
    procedure :: solve => preconditioner_solve
    procedure :: free => preconditioner_free
    procedure, private :: assign => preconditioner_assign
    generic :: assignment(=) => assign
    final :: preconditioner_final
  end type hyperplane_preconditioner

  !> create(context, grid, n, method, tolerance, max_iterations, restart, check_interval, stat);
  !> solve(a, b, x, result, preconditioner, stat) from the x that is given; history(norms, count, stat).
  type, public :: hyperplane_krylov
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => krylov_create
    procedure :: solve => krylov_solve
    procedure :: history => krylov_history
    procedure :: free => krylov_free
    procedure, private :: assign => krylov_assign
    generic :: assignment(=) => assign
    final :: krylov_final
  end type hyperplane_krylov

  !> The first error of a call without stat.
  integer(c_int), save :: kept_status = HYPERPLANE_SUCCESS
  character(len=:), allocatable, save :: kept_message

contains

  !> Makes the library ready, and Kokkos with it unless the program has.
  subroutine hyperplane_initialize(stat)
    integer, intent(out), optional :: stat
    call report(c_initialize(), stat)
  end subroutine hyperplane_initialize

  !> Frees what is left. Objects that live on (those of the main program) must not be used any more.
  subroutine hyperplane_finalize(stat)
    integer, intent(out), optional :: stat
    call report(c_finalize(), stat)
  end subroutine hyperplane_finalize

  function hyperplane_is_initialized() result(is)
    logical :: is
    is = c_is_initialized() /= 0
  end function hyperplane_is_initialized

  function hyperplane_version() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_version())
  end function hyperplane_version

  !> The backends of the library, the default last: "serial, openmp".
  function hyperplane_backends() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_backends())
  end function hyperplane_backends

  function hyperplane_has_block_size(n) result(has)
    integer, intent(in) :: n
    logical :: has
    has = c_has_block_size(int(n, c_int)) /= 0
  end function hyperplane_has_block_size

  !> What the last call of this thread that failed had to say.
  function hyperplane_error_message() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_last_error_message())
  end function hyperplane_error_message

  !> The first error of a call without stat since the last time that this was called; HYPERPLANE_SUCCESS if there is none.
  subroutine hyperplane_take_error(stat, message)
    integer, intent(out) :: stat
    character(len=:), allocatable, intent(out), optional :: message
    stat = kept_status
    if (present(message)) then
      message = ''
      if (kept_status /= HYPERPLANE_SUCCESS) message = kept_message
    end if
    kept_status = HYPERPLANE_SUCCESS
  end subroutine hyperplane_take_error

  subroutine report(status, stat)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    if (present(stat)) then
      stat = status
    else if (status /= HYPERPLANE_SUCCESS .and. kept_status == HYPERPLANE_SUCCESS) then
      kept_status = status
      kept_message = hyperplane_error_message()
    end if
  end subroutine report

  function to_text(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(pointer, characters, [c_strlen(pointer)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function to_text

  !> to refers to what from refers to.
  impure elemental subroutine share(to, from)
    type(c_ptr), intent(inout) :: to
    type(c_ptr), intent(in) :: from
    type(c_ptr) :: before
    integer(c_int) :: ignored
    before = to
    if (c_associated(from)) ignored = c_retain(from)
    to = from
    if (c_associated(before)) ignored = c_free(before)
  end subroutine share

  !> An object that is gone with the library is no error here.
  impure elemental subroutine drop(handle)
    type(c_ptr), intent(inout) :: handle
    integer(c_int) :: ignored
    if (c_associated(handle)) ignored = c_free(handle)
    handle = c_null_ptr
  end subroutine drop

  subroutine give_up(handle, stat)
    type(c_ptr), intent(inout) :: handle
    integer, intent(out), optional :: stat
    call report(c_free(handle), stat)
    handle = c_null_ptr
  end subroutine give_up

  !> What create() has made takes the place of what was there.
  subroutine take(handle, made, status, stat)
    type(c_ptr), intent(inout) :: handle
    type(c_ptr), intent(in) :: made
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    call drop(handle)
    handle = made
    call report(status, stat)
  end subroutine take

  !> Where create() is to run: backend is a name, or empty; stream is a cudaStream_t.
  subroutine context_create(this, backend, stream, stat)
    class(hyperplane_context), intent(inout) :: this
    character(len=*), intent(in), optional :: backend
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(len=:), allocatable :: name
    type(c_ptr) :: made, in_order
    integer(c_int) :: status
    name = ''
    if (present(backend)) name = trim(backend)
    in_order = c_null_ptr
    if (present(stream)) in_order = stream
    status = c_context_create(to_c(name), in_order, made)
    call take(this%handle, made, status, stat)
  end subroutine context_create

  function to_c(text) result(characters)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: characters(len(text) + 1)
    integer :: i
    do i = 1, len(text)
      characters(i) = text(i:i)
    end do
    characters(len(text) + 1) = c_null_char
  end function to_c

  subroutine context_fence(this, stat)
    class(hyperplane_context), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_context_fence(this%handle), stat)
  end subroutine context_fence

  !> Empty where there is none.
  function context_backend(this) result(name)
    class(hyperplane_context), intent(in) :: this
    character(len=:), allocatable :: name
    type(c_ptr) :: text
    name = ''
    if (c_context_backend(this%handle, text) == HYPERPLANE_SUCCESS) name = to_text(text)
  end function context_backend

  subroutine vector_create(this, context, grid, n, stat)
    class(hyperplane_vector), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_vector_create(context%handle, grid, int(n, c_int), made)
    call take(this%handle, made, status, stat)
  end subroutine vector_create

  subroutine vector_fill(this, value, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: stat
    call report(c_vector_fill(this%handle, value), stat)
  end subroutine vector_fill

  subroutine vector_set_1(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(:)
    integer, intent(out), optional :: stat
    call report(c_vector_set(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_set_1

  subroutine vector_get_1(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(:)
    integer, intent(out), optional :: stat
    call report(c_vector_get(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_get_1

  subroutine vector_set_2(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(:, :)
    integer, intent(out), optional :: stat
    call report(c_vector_set(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_set_2

  subroutine vector_get_2(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(:, :)
    integer, intent(out), optional :: stat
    call report(c_vector_get(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_get_2

  subroutine vector_set_4(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    call report(c_vector_set(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_set_4

  subroutine vector_get_4(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    call report(c_vector_get(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_get_4

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

  subroutine matrix_set_4(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    call report(c_matrix_set(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_set_4

  subroutine matrix_get_4(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    call report(c_matrix_get(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_get_4

  subroutine matrix_set_6(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    call report(c_matrix_set(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_set_6

  subroutine matrix_get_6(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    call report(c_matrix_get(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_get_6

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
    call take(this%handle, made, status, stat)
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
                                   line_sweeps, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: kind, storage
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
    if (present(line_sweeps)) options%line_sweeps = int(line_sweeps, c_int)
    if (present(line_directions)) then
      options%line_direction_count = size(line_directions, kind=c_int)
      used = min(size(line_directions), 3)
      options%line_directions(1:used) = line_directions(1:used)
    end if
    status = c_preconditioner_create(context%handle, grid, int(n, c_int), options, made)
    call take(this%handle, made, status, stat)
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

  subroutine krylov_create(this, context, grid, n, method, tolerance, max_iterations, restart, check_interval, stat)
    class(hyperplane_krylov), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: method
    real(c_double), intent(in), optional :: tolerance
    integer, intent(in), optional :: max_iterations, restart, check_interval
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
    status = c_krylov_create(context%handle, grid, int(n, c_int), options, made)
    call take(this%handle, made, status, stat)
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

  subroutine context_free(this, stat)
    class(hyperplane_context), intent(inout) :: this
    integer, intent(out), optional :: stat
    call give_up(this%handle, stat)
  end subroutine context_free

  impure elemental subroutine context_assign(to, from)
    class(hyperplane_context), intent(inout) :: to
    type(hyperplane_context), intent(in) :: from
    call share(to%handle, from%handle)
  end subroutine context_assign

  impure elemental subroutine context_final(this)
    type(hyperplane_context), intent(inout) :: this
    call drop(this%handle)
  end subroutine context_final

  subroutine vector_free(this, stat)
    class(hyperplane_vector), intent(inout) :: this
    integer, intent(out), optional :: stat
    call give_up(this%handle, stat)
  end subroutine vector_free

  impure elemental subroutine vector_assign(to, from)
    class(hyperplane_vector), intent(inout) :: to
    type(hyperplane_vector), intent(in) :: from
    call share(to%handle, from%handle)
  end subroutine vector_assign

  impure elemental subroutine vector_final(this)
    type(hyperplane_vector), intent(inout) :: this
    call drop(this%handle)
  end subroutine vector_final

  subroutine matrix_free(this, stat)
    class(hyperplane_matrix), intent(inout) :: this
    integer, intent(out), optional :: stat
    call give_up(this%handle, stat)
  end subroutine matrix_free

  impure elemental subroutine matrix_assign(to, from)
    class(hyperplane_matrix), intent(inout) :: to
    type(hyperplane_matrix), intent(in) :: from
    call share(to%handle, from%handle)
  end subroutine matrix_assign

  impure elemental subroutine matrix_final(this)
    type(hyperplane_matrix), intent(inout) :: this
    call drop(this%handle)
  end subroutine matrix_final

  subroutine preconditioner_free(this, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    integer, intent(out), optional :: stat
    call give_up(this%handle, stat)
  end subroutine preconditioner_free

  impure elemental subroutine preconditioner_assign(to, from)
    class(hyperplane_preconditioner), intent(inout) :: to
    type(hyperplane_preconditioner), intent(in) :: from
    call share(to%handle, from%handle)
  end subroutine preconditioner_assign

  impure elemental subroutine preconditioner_final(this)
    type(hyperplane_preconditioner), intent(inout) :: this
    call drop(this%handle)
  end subroutine preconditioner_final

  subroutine krylov_free(this, stat)
    class(hyperplane_krylov), intent(inout) :: this
    integer, intent(out), optional :: stat
    call give_up(this%handle, stat)
  end subroutine krylov_free

  impure elemental subroutine krylov_assign(to, from)
    class(hyperplane_krylov), intent(inout) :: to
    type(hyperplane_krylov), intent(in) :: from
    call share(to%handle, from%handle)
  end subroutine krylov_assign

  impure elemental subroutine krylov_final(this)
    type(hyperplane_krylov), intent(inout) :: this
    call drop(this%handle)
  end subroutine krylov_final

end module hyperplane
