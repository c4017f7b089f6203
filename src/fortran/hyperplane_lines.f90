! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Line solvers of the module hyperplane: block tridiagonal systems along lines of points.
module hyperplane_line_solvers
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc, c_ptr
  use :: hyperplane_base
  use :: hyperplane_c_functions, only: hyperplane_grid
  use :: hyperplane_c_lines
  use :: hyperplane_matrices
  use :: hyperplane_vectors
  implicit none
  private

  !> Blocks of a row, positions in the third dimension of values.
  integer, parameter, public :: HYPERPLANE_LOWER = 1, HYPERPLANE_DIAGONAL = 2, HYPERPLANE_UPPER = 3

  integer(c_int), parameter :: of_grid = 0, of_length = 1, of_lists = 2

  !> One of create_along(context, grid, direction, n, ...), create_uniform(context, line_count, length, n, ...): point
  !> (line - 1) * length + position, and create_lists(context, point_count, offsets, points, n, ...): line l is
  !> points(offsets(l)) to points(offsets(l + 1) - 1), all from 1; with periodic, storage, path, load_bits, partitions,
  !> columns and stat. factor(values, stat) with values(r, c, block, point), or factor(a, stat) with the matrix of a
  !> grid; check(stat); solve(rhs, x, stat), or solve(x, stat) in place, with (n, points) or (n, points, columns);
  !> solve(rhs, x, stat) with vectors; solve_device(rhs, x, count, stat) and factor_device(pointer, count, stat).
  !> create_transpose(m, stat): M^T, with the factors of m.
  type, extends(hyperplane_object), public :: hyperplane_line_solver
  contains
    procedure :: create_along => line_solver_create_along
    procedure :: create_uniform => line_solver_create_uniform
    procedure :: create_lists => line_solver_create_lists
    procedure :: create_transpose => line_solver_create_transpose
    procedure :: check => line_solver_check
    procedure :: factor_device => line_solver_factor_device
    procedure :: solve_device => line_solver_solve_device
    procedure, private :: factor_values, factor_matrix
    procedure, private :: solve_values, solve_in_place, solve_vector
    generic :: factor => factor_values, factor_matrix
    generic :: solve => solve_values, solve_in_place, solve_vector
  end type hyperplane_line_solver

contains

  subroutine line_solver_create_along(this, context, grid, direction, n, periodic, storage, path, load_bits, &
                                    partitions, columns, stat)
    class(hyperplane_line_solver), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer(c_int), intent(in) :: direction
    integer, intent(in) :: n
    logical, intent(in), optional :: periodic
    integer(c_int), intent(in), optional :: storage, path
    integer, intent(in), optional :: load_bits, partitions, columns
    integer, intent(out), optional :: stat
    type(c_line_set) :: lines
    lines%kind = of_grid
    lines%grid = grid
    lines%direction = direction
    call create(this, context, lines, n, periodic, storage, path, load_bits, partitions, columns, stat)
  end subroutine line_solver_create_along

  subroutine line_solver_create_uniform(this, context, line_count, length, n, periodic, storage, path, load_bits, &
                                    partitions, columns, stat)
    class(hyperplane_line_solver), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: line_count
    integer, intent(in) :: length
    integer, intent(in) :: n
    logical, intent(in), optional :: periodic
    integer(c_int), intent(in), optional :: storage, path
    integer, intent(in), optional :: load_bits, partitions, columns
    integer, intent(out), optional :: stat
    type(c_line_set) :: lines
    lines%kind = of_length
    lines%line_count = line_count
    lines%length = int(length, c_int)
    call create(this, context, lines, n, periodic, storage, path, load_bits, partitions, columns, stat)
  end subroutine line_solver_create_uniform

  subroutine line_solver_create_lists(this, context, point_count, offsets, points, n, periodic, storage, path, load_bits, &
                                    partitions, columns, stat)
    class(hyperplane_line_solver), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: point_count, offsets(:), points(:)
    integer, intent(in) :: n
    logical, intent(in), optional :: periodic
    integer(c_int), intent(in), optional :: storage, path
    integer, intent(in), optional :: load_bits, partitions, columns
    integer, intent(out), optional :: stat
    type(c_line_set) :: lines
    integer(c_int64_t), allocatable, target :: from_zero(:), listed(:)
    integer(c_int64_t) :: count
    lines%kind = of_lists
    lines%line_count = size(offsets, kind=c_int64_t) - 1
    lines%point_count = point_count
    allocate (from_zero(max(1, size(offsets))), source=0_c_int64_t)
    from_zero(:size(offsets)) = offsets - 1
    ! Where offsets say that there are more points than there are, those are none.
    count = max(size(points, kind=c_int64_t), min(from_zero(size(from_zero)), point_count))
    allocate (listed(count), source=-1_c_int64_t)
    listed(:size(points)) = points - 1
    lines%offsets = c_loc(from_zero)
    lines%points = c_loc(listed)
    call create(this, context, lines, n, periodic, storage, path, load_bits, partitions, columns, stat)
  end subroutine line_solver_create_lists

  subroutine create(this, context, lines, n, periodic, storage, path, load_bits, partitions, columns, stat)
    class(hyperplane_line_solver), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(c_line_set), intent(inout) :: lines
    integer, intent(in) :: n
    logical, intent(in), optional :: periodic
    integer(c_int), intent(in), optional :: storage, path
    integer, intent(in), optional :: load_bits, partitions, columns
    integer, intent(out), optional :: stat
    type(line_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_line_options_init(options)
    if (present(storage)) options%storage = storage
    if (present(path)) options%path = path
    if (present(load_bits)) options%load_bits = int(load_bits, c_int)
    if (present(partitions)) options%partitions = int(partitions, c_int)
    if (present(columns)) options%columns = int(columns, c_int)
    if (present(periodic)) lines%ends = merge(1_c_int, 0_c_int, periodic)
    status = c_line_solver_create(context%handle, lines, int(n, c_int), options, made)
    call take(this, made, status, stat)
  end subroutine create

  subroutine line_solver_create_transpose(this, m, stat)
    class(hyperplane_line_solver), intent(inout) :: this
    type(hyperplane_line_solver), intent(in) :: m
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_line_solver_transpose(m%handle, made)
    call take(this, made, status, stat)
  end subroutine line_solver_create_transpose

  subroutine factor_values(this, values, stat)
    class(hyperplane_line_solver), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_line_solver_factor(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), &
                stat)
  end subroutine factor_values

  subroutine factor_matrix(this, a, stat)
    class(hyperplane_line_solver), intent(in) :: this
    type(hyperplane_matrix), intent(in) :: a
    integer, intent(out), optional :: stat
    call report(c_line_solver_factor_matrix(this%handle, a%handle), stat)
  end subroutine factor_matrix

  subroutine line_solver_factor_device(this, pointer, count, stat)
    class(hyperplane_line_solver), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_line_solver_factor(this%handle, pointer, count, column_major, in_device), stat)
  end subroutine line_solver_factor_device

  !> HYPERPLANE_SINGULAR_PIVOT, HYPERPLANE_NOT_FINITE or HYPERPLANE_OVERFLOW if the last factorization failed.
  subroutine line_solver_check(this, stat)
    class(hyperplane_line_solver), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_line_solver_check(this%handle), stat)
  end subroutine line_solver_check

  subroutine solve_values(this, rhs, x, stat)
    class(hyperplane_line_solver), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: rhs(..)
    real(c_double), intent(inout), contiguous, target :: x(..)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: count
    count = size(x, kind=c_int64_t)
    if (size(rhs, kind=c_int64_t) /= count) count = -1
    call report(c_line_solver_solve(this%handle, c_loc(rhs), c_loc(x), count, in_host), stat)
  end subroutine solve_values

  subroutine solve_in_place(this, x, stat)
    class(hyperplane_line_solver), intent(in) :: this
    real(c_double), intent(inout), contiguous, target :: x(..)
    integer, intent(out), optional :: stat
    call report(c_line_solver_solve(this%handle, c_loc(x), c_loc(x), size(x, kind=c_int64_t), in_host), stat)
  end subroutine solve_in_place

  subroutine solve_vector(this, rhs, x, stat)
    class(hyperplane_line_solver), intent(in) :: this
    type(hyperplane_vector), intent(in) :: rhs, x
    integer, intent(out), optional :: stat
    call report(c_line_solver_solve_vector(this%handle, rhs%handle, x%handle), stat)
  end subroutine solve_vector

  subroutine line_solver_solve_device(this, rhs, x, count, stat)
    class(hyperplane_line_solver), intent(in) :: this
    type(c_ptr), intent(in) :: rhs, x
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_line_solver_solve(this%handle, rhs, x, count, in_device), stat)
  end subroutine line_solver_solve_device

end module hyperplane_line_solvers
