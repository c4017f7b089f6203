! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Preconditioners of the module hyperplane.
module hyperplane_preconditioner_plans
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_int8_t, c_loc, c_null_char, c_ptr
  use :: hyperplane_base
  use :: hyperplane_c_csr
  use :: hyperplane_c_functions, only: hyperplane_grid
  use :: hyperplane_c_solvers
  use :: hyperplane_matrices
  use :: hyperplane_vectors
  implicit none
  private

  public :: hyperplane_preconditioners, hyperplane_csr_preconditioners

  integer(c_int), parameter, public :: HYPERPLANE_IDENTITY = 0, HYPERPLANE_JACOBI = 1, HYPERPLANE_SSOR = 2, &
                                       HYPERPLANE_SIP = 3, HYPERPLANE_LINES = 4, HYPERPLANE_BILU0 = 5
  !> Of general matrices.
  integer(c_int), parameter, public :: HYPERPLANE_CSR_IDENTITY = 0, HYPERPLANE_CSR_JACOBI = 1, HYPERPLANE_CSR_SSOR = 2, &
                                       HYPERPLANE_CSR_DILU = 3, HYPERPLANE_CSR_BILU0 = 4, HYPERPLANE_CSR_ILUK = 5, &
                                       HYPERPLANE_CSR_ILUT = 6, HYPERPLANE_CSR_LINES = 7

  !> create(context, grid, n, kind, storage, relaxation, alpha, line_directions, line_sweeps, path, right_hand_sides, parts, coupling, folded, storage_fraction, stat), or
  !> create_named(context, grid, n, name, options, stat) of hyperplane_preconditioners(), with options such as 'relaxation=1.2,path=portable' (C's manual has all); factor(a, stat); factor_masked(a, mask, stat) of SIP, without points where the mask is 0;
  !> check(stat): HYPERPLANE_SINGULAR_PIVOT, _NOT_FINITE or _OVERFLOW; solve(rhs, x, stat): x = M^-1 rhs, of vectors, rank-1 arrays of vectors, or arrays of rows of any shape, which solve(x, stat) overwrites in place; solve_columns(rhs, x, columns, stat): arrays of
  !> several right-hand sides, one after another; solve_device(rhs, x, count, columns, stat) and factor_masked_device(a, pointer, count, stat): memory of the context's device.
  !> Of a general matrix: create_csr(a, kind, fill, order, given_order, transposed, drop_tolerance, row_entries, relaxation, pivot_shift, storage,
  !> storage_fraction, line_offsets, line_points, strong_coupling, line_sweeps, stat), with rows of given_order and lists of lines from 1, or create_csr_named(a, name, options, stat).
  !> get_storage(storage, stat): what factors are stored in, which HYPERPLANE_STORAGE_AUTOMATIC chooses in the first factor.
  !> create_transpose(m, stat): M^T, with the factors of m; of a general matrix, m has the option transposed.
  !> replaced(count, first, stat): how many pivots its last factorization replaced, and the first row, from 1, or 0.
  type, extends(hyperplane_object), public :: hyperplane_preconditioner
  contains
    procedure :: create => preconditioner_create
    procedure :: create_named => preconditioner_create_named
    procedure :: create_csr => preconditioner_create_csr
    procedure :: create_csr_named => preconditioner_create_csr_named
    procedure :: create_transpose => preconditioner_create_transpose
    procedure :: get_storage => preconditioner_get_storage
    procedure :: replaced => preconditioner_replaced
    procedure :: factor => preconditioner_factor
    procedure :: check => preconditioner_check
    procedure :: factor_masked => preconditioner_factor_masked
    procedure :: factor_masked_device => preconditioner_factor_masked_device
    procedure :: solve_columns => preconditioner_solve_columns
    procedure :: solve_device => preconditioner_solve_device
    procedure, private :: preconditioner_solve, preconditioner_solve_many, preconditioner_solve_values, &
      preconditioner_solve_in_place
    generic :: solve => preconditioner_solve, preconditioner_solve_many, preconditioner_solve_values, &
      preconditioner_solve_in_place
  end type hyperplane_preconditioner

contains

  subroutine preconditioner_create(this, context, grid, n, kind, storage, relaxation, alpha, line_directions, &
                                   line_sweeps, path, right_hand_sides, parts, coupling, folded, storage_fraction, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: kind, storage, path, coupling
    real(c_double), intent(in), optional :: relaxation, alpha, storage_fraction
    integer(c_int), intent(in), optional :: line_directions(:)
    integer, intent(in), optional :: line_sweeps, right_hand_sides, parts(3)
    logical, intent(in), optional :: folded(3)
    integer, intent(out), optional :: stat
    type(preconditioner_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    options = preconditioner_options_with(kind, path, coupling, relaxation, alpha, line_directions, line_sweeps, folded, &
                                          storage, storage_fraction)
    if (present(right_hand_sides)) options%right_hand_sides = int(right_hand_sides, c_int)
    if (present(parts)) options%parts = int(parts, c_int)
    status = c_preconditioner_create(context%handle, grid, int(n, c_int), options, made)
    call take(this, made, status, stat)
  end subroutine preconditioner_create

  !> The preconditioner of that name; what options do not say is as it is by itself.
  subroutine preconditioner_create_named(this, context, grid, n, name, options, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    character(len=:), allocatable :: given
    given = ''
    if (present(options)) given = trim(options)
    status = c_preconditioner_create_named(context%handle, grid, int(n, c_int), trim(name)//c_null_char, &
                                           given//c_null_char, made)
    call take(this, made, status, stat)
  end subroutine preconditioner_create_named

  !> The names of all preconditioners of the library, in the order of their numbers: 'identity, jacobi, ...'.
  function hyperplane_preconditioners() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_preconditioners())
  end function hyperplane_preconditioners

  !> For matrices with the structure of a. With a given_order, order may be absent. Numbers that the kind has no use for
  !> are refused: C is given what it refuses for other kinds, as what it has by itself says nothing there.
  subroutine preconditioner_create_csr(this, a, kind, fill, order, given_order, transposed, drop_tolerance, &
                                       row_entries, relaxation, pivot_shift, storage, storage_fraction, &
                                       line_offsets, line_points, strong_coupling, line_sweeps, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    type(hyperplane_matrix), intent(in) :: a
    integer(c_int), intent(in), optional :: kind, order, storage
    integer, intent(in), optional :: fill, given_order(:), row_entries, line_sweeps
    integer(c_int64_t), intent(in), optional :: line_offsets(:), line_points(:)
    real(c_double), intent(in), optional :: drop_tolerance, relaxation, pivot_shift, storage_fraction, strong_coupling
    logical, intent(in), optional :: transposed
    integer, intent(out), optional :: stat
    type(csr_preconditioner_options) :: options
    integer(c_int), allocatable, target :: from_0(:)
    integer(c_int64_t), allocatable, target :: offsets_from_0(:), points_from_0(:)
    type(c_ptr) :: made
    integer(c_int) :: status
    logical :: relaxes, along_lines
    status = c_csr_preconditioner_options_init(options)
    if (present(given_order)) then
      from_0 = int(given_order, c_int) - 1_c_int
      options%order = HYPERPLANE_ORDER_GIVEN
      options%given_order = c_loc(from_0)
      options%given_count = size(from_0, kind=c_int64_t)
    end if
    if (present(kind)) options%kind = kind
    relaxes = any(options%kind == [HYPERPLANE_CSR_SSOR, HYPERPLANE_CSR_JACOBI, HYPERPLANE_CSR_LINES])
    along_lines = options%kind == HYPERPLANE_CSR_LINES
    if (present(fill)) options%fill = merge(int(fill, c_int), -1_c_int, options%kind == HYPERPLANE_CSR_ILUK)
    if (present(drop_tolerance)) options%drop_tolerance = merge(drop_tolerance, -1.0_c_double, options%kind == HYPERPLANE_CSR_ILUT)
    if (present(row_entries)) options%row_entries = merge(int(row_entries, c_int), -1_c_int, options%kind == HYPERPLANE_CSR_ILUT)
    if (present(relaxation)) options%relaxation = merge(relaxation, -1.0_c_double, relaxes)
    if (present(pivot_shift)) options%pivot_shift = merge(pivot_shift, -1.0_c_double, options%kind >= HYPERPLANE_CSR_JACOBI .and. .not. along_lines)
    if (present(line_sweeps)) options%line_sweeps = merge(int(line_sweeps, c_int), -1_c_int, along_lines)
    if (present(strong_coupling)) options%strong_coupling = merge(strong_coupling, -1.0_c_double, along_lines)
    if (present(line_offsets)) then
      call give_numbers(line_offsets, offsets_from_0, options%line_offsets, options%line_count)
      options%line_count = options%line_count - 1
    end if
    if (present(line_points)) call give_numbers(line_points, points_from_0, options%line_points, options%line_point_count)
    if (present(storage)) options%storage = storage
    if (present(storage_fraction)) options%storage_fraction = storage_fraction
    if (present(order)) options%order = order
    if (present(transposed)) options%transposed = merge(1_c_int, 0_c_int, transposed)
    status = c_csr_preconditioner_create(a%handle, options, made)
    call take(this, made, status, stat)
  end subroutine preconditioner_create_csr

  subroutine preconditioner_create_csr_named(this, a, name, options, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    type(hyperplane_matrix), intent(in) :: a
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    character(len=:), allocatable :: given
    given = ''
    if (present(options)) given = trim(options)
    status = c_csr_preconditioner_create_named(a%handle, trim(name)//c_null_char, given//c_null_char, made)
    call take(this, made, status, stat)
  end subroutine preconditioner_create_csr_named

  subroutine preconditioner_create_transpose(this, m, stat)
    class(hyperplane_preconditioner), intent(inout) :: this
    type(hyperplane_preconditioner), intent(in) :: m
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_preconditioner_transpose(m%handle, made)
    call take(this, made, status, stat)
  end subroutine preconditioner_create_transpose

  subroutine preconditioner_get_storage(this, storage, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    integer(c_int), intent(out) :: storage
    integer, intent(out), optional :: stat
    call report(c_preconditioner_storage(this%handle, storage), stat)
  end subroutine preconditioner_get_storage

  subroutine preconditioner_replaced(this, count, first, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    integer(c_int64_t), intent(out) :: count, first
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    status = c_csr_preconditioner_replaced(this%handle, count, first)
    if (status == HYPERPLANE_SUCCESS) first = first + 1
    call report(status, stat)
  end subroutine preconditioner_replaced

  !> Those of general matrices: 'identity, jacobi, ssor, dilu, bilu0, iluk, ilut, lines'.
  function hyperplane_csr_preconditioners() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_csr_preconditioners())
  end function hyperplane_csr_preconditioners

  subroutine preconditioner_factor(this, a, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    integer, intent(out), optional :: stat
    call report(c_preconditioner_factor(this%handle, a%handle), stat)
  end subroutine preconditioner_factor

  !> HYPERPLANE_SINGULAR_PIVOT, HYPERPLANE_NOT_FINITE or HYPERPLANE_OVERFLOW if the last factorization failed.
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

  !> x(v) = M^-1 rhs(v)
  subroutine preconditioner_solve_many(this, rhs, x, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    type(hyperplane_vector), intent(in) :: rhs(:), x(:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: from(size(rhs)), to(size(x))
    integer :: v
    integer(c_int) :: count
    do v = 1, size(rhs)
      from(v) = rhs(v)%handle
    end do
    do v = 1, size(x)
      to(v) = x(v)%handle
    end do
    count = size(rhs, kind=c_int)
    if (size(x) /= size(rhs)) count = -1
    call report(c_preconditioner_solve_many(this%handle, count, from, to), stat)
  end subroutine preconditioner_solve_many

  subroutine preconditioner_solve_values(this, rhs, x, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: rhs(..)
    real(c_double), intent(inout), contiguous, target :: x(..)
    integer, intent(out), optional :: stat
    call preconditioner_solve_columns(this, rhs, x, 1, stat)
  end subroutine preconditioner_solve_values

  subroutine preconditioner_solve_in_place(this, x, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    real(c_double), intent(inout), contiguous, target :: x(..)
    integer, intent(out), optional :: stat
    call report(c_preconditioner_solve_array(this%handle, 1_c_int, c_loc(x), c_loc(x), size(x, kind=c_int64_t), &
                                             in_host), stat)
  end subroutine preconditioner_solve_in_place

  !> Of several right-hand sides, one after another.
  subroutine preconditioner_solve_columns(this, rhs, x, columns, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: rhs(..)
    real(c_double), intent(inout), contiguous, target :: x(..)
    integer, intent(in) :: columns
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: count
    count = size(x, kind=c_int64_t)
    if (size(rhs, kind=c_int64_t) /= count) count = -1
    call report(c_preconditioner_solve_array(this%handle, int(columns, c_int), c_loc(rhs), c_loc(x), count, in_host), &
                stat)
  end subroutine preconditioner_solve_columns

  subroutine preconditioner_solve_device(this, rhs, x, count, columns, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    type(c_ptr), intent(in) :: rhs, x
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: columns
    integer, intent(out), optional :: stat
    call report(c_preconditioner_solve_array(this%handle, int(columns, c_int), rhs, x, count, in_device), stat)
  end subroutine preconditioner_solve_device

  !> Of SIP: points where the mask is 0 are left out.
  subroutine preconditioner_factor_masked(this, a, mask, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    integer(c_int8_t), intent(in), contiguous, target :: mask(..)
    integer, intent(out), optional :: stat
    call report(c_preconditioner_factor_masked(this%handle, a%handle, c_loc(mask), size(mask, kind=c_int64_t), &
                                               in_host), stat)
  end subroutine preconditioner_factor_masked

  subroutine preconditioner_factor_masked_device(this, a, pointer, count, stat)
    class(hyperplane_preconditioner), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_preconditioner_factor_masked(this%handle, a%handle, pointer, count, in_device), stat)
  end subroutine preconditioner_factor_masked_device

end module hyperplane_preconditioner_plans
