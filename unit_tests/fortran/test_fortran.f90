! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The Fortran module: objects as references, statuses, arrays of every rank. Exit status 1 and a line for what is wrong.
program test_fortran
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t, c_null_ptr
  use :: expectations, only: expect, failures
  use :: hyperplane
  implicit none

  type :: flow_solver
    type(hyperplane_vector) :: rhs
    type(hyperplane_vector), allocatable :: states(:)
  end type flow_solver

  integer, parameter :: n = 2
  type(hyperplane_grid), parameter :: grid = hyperplane_grid(4, 3, 2)
  integer, parameter :: points = 24
  type(hyperplane_context) :: context
  integer :: stat

  call context%create(stat=stat)
  call expect(stat == HYPERPLANE_NOT_INITIALIZED, 'a context before the library')
  call expect(len(hyperplane_error_message()) > 0, 'a message')
  call hyperplane_initialize(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'initialize')
  call expect(hyperplane_is_initialized(), 'initialized')
  call expect(hyperplane_has_block_size(n), 'a block size')
  call expect(.not. hyperplane_has_block_size(17), 'no block size')
  call expect(len(hyperplane_version()) > 0, 'version')
  call expect(len(hyperplane_backends()) > 0, 'backends')
  call context%create(backend='nonsense', stat=stat)
  call expect(stat == HYPERPLANE_NOT_AVAILABLE, 'a backend that is not there')
  call context%create(stat=stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'context')
  call expect(index(hyperplane_backends(), context%backend()) > 0, 'name of the backend')

  call references()
  call arrays()
  call errors()
  call solvers()
  call named_preconditioners()

  call context%free(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'free')
  call hyperplane_finalize(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'finalize')
  call expect(.not. hyperplane_is_initialized(), 'finalized')
  if (failures > 0) stop 1

contains

  subroutine references()
    type(hyperplane_vector) :: first, second
    type(flow_solver) :: solver, same
    real(c_double) :: values(n * points)
    call first%create(context, grid, n)
    second = first
    call second%fill(2.0_c_double)
    call first%get(values)
    call expect(all(values == 2), 'two variables are one vector')
    call first%free()
    call second%get(values, stat)
    call expect(stat == HYPERPLANE_SUCCESS .and. all(values == 2), 'the other one is still there')
    second = second
    call second%get(values, stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'assigned to itself')
    call first%get(values, stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'a variable that was freed is none')
    first = second
    call second%create(context, grid, n)
    call first%get(values)
    call expect(all(values == 2), 'a new vector leaves the other alone')

    call fill(solver)
    same = solver
    call same%states(2)%fill(7.0_c_double)
    call solver%states(2)%get(values, stat)
    call expect(stat == HYPERPLANE_SUCCESS .and. all(values == 7), 'components are references')
    call solver%states(2)%free()
    call same%states(2)%get(values, stat)
    call expect(stat == HYPERPLANE_SUCCESS .and. all(values == 7), 'components have owners')
    call hyperplane_take_error(stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'nothing was kept')
  end subroutine references

  subroutine fill(solver)
    type(flow_solver), intent(out) :: solver
    type(hyperplane_vector) :: temporary
    call temporary%create(context, grid, n)
    solver%rhs = temporary
    allocate (solver%states(2))
    call solver%states(1)%create(context, grid, n)
    solver%states(2) = solver%rhs
  end subroutine fill

  subroutine arrays()
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: v
    real(c_double) :: rows(n * points), pairs(n, points), boxes(n, 4, 3, 2), lines(n, 12, 2), back(n, 12, 4)
    real(c_double) :: blocks(n, n, 7, points), in_boxes(n, n, 7, 4, 3, 2)
    integer :: row
    rows = [(real(row, c_double), row=1, n * points)]
    call v%create(context, grid, n)
    call v%set(rows)
    call v%get(pairs)
    call v%get(boxes)
    call expect(all(reshape(pairs, [n * points]) == rows) .and. all(reshape(boxes, [n * points]) == rows), 'ranks')
    call v%set(reshape(rows, [n, 4, 3, 1, 2]))
    call v%get(lines)
    call expect(all(reshape(lines, [n * points]) == rows), 'any rank')
    back = 0
    call v%get(back(:, :, 4:1:-3))
    call expect(all(back(:, :, 4) == lines(:, :, 1)) .and. all(back(:, :, 1) == lines(:, :, 2)) &
                .and. all(back(:, :, 2:3) == 0), 'into an array that is not contiguous')
    call v%set(pairs(:, ::2), stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'a part of an array')
    call v%set(boxes(:, :, :, 2:1:-1))
    call v%get(rows)
    call expect(rows(1) == n * points / 2 + 1, 'an array that is not contiguous')

    call random_number(blocks)
    call a%create(context, grid, n)
    call a%set(blocks)
    call a%get(in_boxes)
    call expect(all(reshape(in_boxes, shape(blocks)) == blocks), 'matrices')
    ! Entry (r, c) takes unknown c to equation r.
    blocks = 0
    blocks(1, 2, HYPERPLANE_CENTER, :) = 3
    call a%set(blocks)
    call apply_to_ones(a, pairs)
    call expect(all(pairs(1, :) == 3) .and. all(pairs(2, :) == 0), 'rows and columns')
    blocks = 0
    blocks(2, 2, HYPERPLANE_WEST, :) = 1
    call a%set(blocks)
    call apply_to_ones(a, pairs)
    call expect(pairs(2, 1) == 0 .and. pairs(2, 2) == 1, 'the west of the first point is outside')
  end subroutine arrays

  subroutine apply_to_ones(a, values)
    type(hyperplane_matrix), intent(in) :: a
    real(c_double), intent(out) :: values(n, points)
    type(hyperplane_vector) :: x, y
    call x%create(context, grid, n)
    call x%fill(1.0_c_double)
    call y%create(context, grid, n)
    call a%apply(x, y)
    call y%get(values)
  end subroutine apply_to_ones

  subroutine errors()
    type(hyperplane_vector) :: v
    type(hyperplane_matrix) :: a
    type(hyperplane_preconditioner) :: m
    character(len=:), allocatable :: message
    real(c_double) :: few(3)
    few = 0
    call v%create(context, grid, 17, stat)
    call expect(stat == HYPERPLANE_NOT_AVAILABLE, 'block size')
    call v%create(context, hyperplane_grid(0, 1, 1), n, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'grid')
    call v%fill(1.0_c_double, stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'nothing was created')
    call v%create(context, grid, n)
    call v%set(few, stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'size')
    call v%set_device(c_null_ptr, int(n * points, c_int64_t), stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory')
    call a%create(context, grid, n)
    call m%create(context, grid, n, kind=HYPERPLANE_SSOR, relaxation=3.0_c_double, stat=stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'relaxation')
    call m%create(context, grid, n, kind=HYPERPLANE_LINES, line_directions=[0, 1, 2, 0], stat=stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'directions')
    call m%create(context, grid, n)
    call m%factor(a)
    call m%check(stat)
    call expect(stat == HYPERPLANE_SINGULAR_PIVOT, 'singular')

    ! Without stat the first error is kept.
    call v%set(few)
    call v%create(context, grid, 17)
    call hyperplane_take_error(stat, message)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH .and. index(message, 'count is 3, expected 48') > 0, 'the first error')
    call hyperplane_take_error(stat, message)
    call expect(stat == HYPERPLANE_SUCCESS .and. message == '', 'it is told once')
  end subroutine errors

  subroutine solvers()
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: b, x, r
    type(hyperplane_preconditioner) :: m
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    real(c_double) :: blocks(n, n, 7, points), norms(500), residual(n, points)
    integer(c_int64_t) :: count
    integer :: c, kind, method
    call random_number(blocks)
    blocks = 0.1_c_double * blocks
    do c = 1, n
      blocks(c, c, HYPERPLANE_CENTER, :) = 3
    end do
    call a%create(context, grid, n)
    call a%set(blocks)
    call b%create(context, grid, n)
    call b%fill(1.0_c_double)
    call x%create(context, grid, n)
    call r%create(context, grid, n)
    do kind = HYPERPLANE_JACOBI, last_kind()
      if (kind == HYPERPLANE_SIP) cycle
      do method = HYPERPLANE_RICHARDSON, HYPERPLANE_FGCRODR
        call m%create(context, grid, n, kind=kind, line_directions=[HYPERPLANE_K, HYPERPLANE_I], line_sweeps=2)
        call m%factor(a)
        call krylov%create(context, grid, n, method=method, tolerance=1e-12_c_double, max_iterations=400, &
                           restart=20, check_interval=2)
        call x%fill(0.0_c_double)
        call krylov%solve(a, b, x, result, m)
        call expect(result%outcome == HYPERPLANE_CONVERGED, 'convergence')
        call krylov%history(norms, count)
        call expect(count == result%iterations + 1 .and. norms(1) >= result%rhs_norm * 0.999, 'history')
        call a%residual(b, x, r)
        call r%get(residual)
        call expect(norm2(residual) <= 2e-12 * result%rhs_norm, 'residual')
      end do
    end do
    call krylov%solve(a, b, x, result)
    call m%solve(b, x)
    call context%fence()
    call hyperplane_take_error(stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'solvers')
  end subroutine solvers

  !> The number of the last preconditioner: there is a comma between two names.
  integer function last_kind()
    character(len=:), allocatable :: names
    integer :: c
    names = hyperplane_preconditioners()
    last_kind = count([(names(c:c) == ',', c=1, len(names))])
  end function last_kind

  !> Preconditioners by name, one that the library may have been built with among them.
  subroutine named_preconditioners()
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: b, x
    type(hyperplane_preconditioner) :: m
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    real(c_double) :: blocks(n, n, 7, points), by_number(n, points), by_name(n, points)
    character(len=:), allocatable :: cause
    integer :: c
    blocks = 0.1_c_double
    do c = 1, n
      blocks(c, c, HYPERPLANE_CENTER, :) = 4
    end do
    call a%create(context, grid, n)
    call a%set(blocks)
    call b%create(context, grid, n)
    call b%fill(1.0_c_double)
    call x%create(context, grid, n)
    call m%create(context, grid, n, kind=HYPERPLANE_SSOR, relaxation=1.2_c_double)
    call m%factor(a)
    call m%solve(b, x)
    call x%get(by_number)
    call m%create_named(context, grid, n, 'ssor', 'relaxation=1.2,path=automatic')
    call m%factor(a)
    call m%solve(b, x)
    call x%get(by_name)
    call expect(all(by_name == by_number), 'by name')
    call m%create_named(context, grid, n, 'ssor ', stat=stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'without options')
    call m%create_named(context, grid, n, 'ssor', 'damping=1', stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'an option of another one')
    if (index(hyperplane_preconditioners(), 'diagonal') > 0) then
      call m%create_named(context, grid, n, 'diagonal', 'damping=0.5')
      call m%factor(a)
      call m%solve(b, x)
      call x%get(by_name)
      call expect(all(abs(by_name - 0.125_c_double) < 1e-15), 'one of one''s own')
    end if

    blocks(1, 1, HYPERPLANE_CENTER, 1) = huge(1.0_c_double)
    blocks(1, 1, HYPERPLANE_CENTER, 1) = 2 * blocks(1, 1, HYPERPLANE_CENTER, 1)
    call a%set(blocks)
    call krylov%create(context, grid, n)
    call krylov%solve(a, b, x, result)
    call krylov%cause(cause)
    call expect(result%outcome == HYPERPLANE_BREAKDOWN .and. cause == 'block center of point (0, 0, 0) is not finite', &
                'cause')
  end subroutine named_preconditioners

end program test_fortran
