! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Line solvers, preconditioners of parts of a grid, and monitors and limits of Krylov methods of the Fortran module. Exit status 1 and a line for what is
! wrong.
module counting
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int, c_ptr
  implicit none

contains

  function count_calls(iteration, residual_norm, data) bind(c) result(stop_now)
    integer(c_int), value :: iteration
    real(c_double), value :: residual_norm
    type(c_ptr), value :: data
    integer(c_int) :: stop_now
    integer(c_int), pointer :: calls
    call c_f_pointer(data, calls)
    if (iteration == calls .and. residual_norm >= 0) calls = calls + 1
    stop_now = 0
  end function count_calls

  function stop_at_one(iteration, residual_norm, data) bind(c) result(stop_now)
    integer(c_int), value :: iteration
    real(c_double), value :: residual_norm
    type(c_ptr), value :: data
    integer(c_int) :: stop_now
    stop_now = merge(1_c_int, 0_c_int, iteration == 1 .and. residual_norm >= 0 .and. .not. c_associated(data))
  end function stop_at_one

end module counting

program test_fortran_solvers
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc
  use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_value
  use :: counting, only: count_calls, stop_at_one
  use :: expectations, only: expect, failures, first_of
  use :: hyperplane
  implicit none

  integer, parameter :: ni = 6, nj = 5, nk = 4
  type(hyperplane_context) :: context
  integer :: stat

  call hyperplane_initialize()
  ! Arrays are in host memory: the first backend is one of the host.
  call context%create(backend=first_of(hyperplane_backends()))
  call lines()
  call monitors()
  call parts_of_a_grid()
  call hyperplane_take_error(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'an error was kept')
  call context%free()
  call hyperplane_finalize()
  if (failures > 0) stop 1

contains

  subroutine lines()
    integer, parameter :: n = 2, points = 10
    real(c_double) :: values(n, n, 3, points), x(n, points), y(n, points), b(n, points), both(n, points, 2)
    integer(c_int64_t) :: offsets(3), listed(7)
    type(hyperplane_line_solver) :: solver
    integer :: p, r, stat
    call random_number(values)
    do r = 1, n
      values(r, r, HYPERPLANE_DIAGONAL, :) = 9
    end do
    call random_number(x)
    ! Two lines of five.
    do p = 1, points
      b(:, p) = matmul(values(:, :, HYPERPLANE_DIAGONAL, p), x(:, p))
      if (mod(p, 5) /= 1) b(:, p) = b(:, p) + matmul(values(:, :, HYPERPLANE_LOWER, p), x(:, p - 1))
      if (mod(p, 5) /= 0) b(:, p) = b(:, p) + matmul(values(:, :, HYPERPLANE_UPPER, p), x(:, p + 1))
    end do
    call solver%create_uniform(context, 2_c_int64_t, 5, n, columns=2)
    call solver%factor(values)
    call solver%check()
    both(:, :, 1) = b
    both(:, :, 2) = -b
    call solver%solve(both)
    call expect(maxval(abs(both(:, :, 1) - x)) < 1e-13 .and. maxval(abs(both(:, :, 2) + x)) < 1e-13, 'two columns')
    call solver%solve(b, stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'one column of two')
    ! Points 4, 2, 9 and 1, 3, 5, 7; the others are on no line.
    offsets = [1, 4, 8]
    listed = [4, 2, 9, 1, 3, 5, 7]
    b = x
    b(:, 2) = matmul(values(:, :, 2, 2), x(:, 2)) + matmul(values(:, :, 1, 2), x(:, 4)) + matmul(values(:, :, 3, 2), x(:, 9))
    b(:, 4) = matmul(values(:, :, 2, 4), x(:, 4)) + matmul(values(:, :, 3, 4), x(:, 2))
    b(:, 9) = matmul(values(:, :, 2, 9), x(:, 9)) + matmul(values(:, :, 1, 9), x(:, 2))
    do p = 1, 7, 2
      b(:, p) = matmul(values(:, :, 2, p), x(:, p))
      if (p > 1) b(:, p) = b(:, p) + matmul(values(:, :, 1, p), x(:, p - 2))
      if (p < 7) b(:, p) = b(:, p) + matmul(values(:, :, 3, p), x(:, p + 2))
    end do
    call solver%create_lists(context, int(points, c_int64_t), offsets, listed, n)
    call solver%factor(values)
    y = b
    call solver%solve(b, y)
    call expect(maxval(abs(y - x)) < 1e-13, 'lists')
    call solver%create_lists(context, int(points, c_int64_t), offsets, listed(:5), n, stat=stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'offsets beyond the points')
    call solver%create_along(context, hyperplane_grid(5, 2, 1), HYPERPLANE_I, n, periodic=.true.)
    values(:, :, HYPERPLANE_LOWER, :) = 0
    values(:, :, HYPERPLANE_UPPER, :) = 0
    call solver%factor(values)
    do p = 1, points
      b(:, p) = matmul(values(:, :, HYPERPLANE_DIAGONAL, p), x(:, p))
    end do
    call solver%solve(b)
    call expect(maxval(abs(b - x)) < 1e-13, 'grid lines')
  end subroutine lines

  subroutine monitors()
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: b, x
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    type(hyperplane_grid), parameter :: grid = hyperplane_grid(ni, nj, nk)
    real(c_double) :: values(1, 1, 7, ni * nj * nk)
    integer(c_int), target :: calls
    values = -1
    values(:, :, HYPERPLANE_CENTER, :) = 7
    call a%create(context, grid, 1)
    call a%set(values)
    call b%create(context, grid, 1)
    call b%fill(1.0_c_double)
    call x%create(context, grid, 1)
    calls = 0
    call krylov%create(context, grid, 1, monitor=count_calls, monitor_data=c_loc(calls))
    call krylov%solve(a, b, x, result)
    call expect(calls == result%iterations + 1, 'a monitor')
    call krylov%create(context, grid, 1, monitor=stop_at_one, tolerance=0.0_c_double)
    call x%fill(0.0_c_double)
    call krylov%solve(a, b, x, result)
    call expect(result%outcome == HYPERPLANE_STOPPED .and. result%iterations == 1, 'a monitor that stops')
    call limits(a, b, x)
  end subroutine monitors

  subroutine limits(a, b, x)
    type(hyperplane_matrix), intent(in) :: a
    type(hyperplane_vector), intent(inout) :: b, x
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    call krylov%create(context, hyperplane_grid(ni, nj, nk), 1, absolute_tolerance=1.0e3_c_double)
    call x%fill(0.0_c_double)
    call krylov%solve(a, b, x, result)
    call expect(result%outcome == HYPERPLANE_CONVERGED .and. result%iterations == 0, 'an absolute tolerance')
    call krylov%set_limits(absolute_tolerance=0.0_c_double, max_iterations=1)
    call krylov%solve(a, b, x, result)
    call expect(result%outcome == HYPERPLANE_MAX_ITERATIONS .and. result%iterations == 1, 'one iteration')
    call krylov%set_limits(max_iterations=100)
    call krylov%solve(a, b, x, result)
    call expect(result%outcome == HYPERPLANE_CONVERGED, 'as many as it takes')
    call krylov%set_limits(tolerance=-1.0_c_double, stat=stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'a tolerance below 0')
    call b%fill(ieee_value(1.0_c_double, ieee_positive_inf))
    call krylov%solve(a, b, x, result)
    call expect(result%outcome == HYPERPLANE_BREAKDOWN .and. &
                result%breakdown == HYPERPLANE_BREAKDOWN_RIGHT_HAND_SIDE, 'an infinite right-hand side')
    call expect(index(hyperplane_breakdown_message(result%breakdown), 'right-hand side') > 0, 'what it says')
  end subroutine limits

  !> BILU(0) and SSOR of parts: the coupling natural is that of the whole grid.
  subroutine parts_of_a_grid()
    integer, parameter :: n = 2, points = ni * nj * nk
    type(hyperplane_grid), parameter :: grid = hyperplane_grid(ni, nj, nk)
    type(hyperplane_matrix) :: a
    type(hyperplane_preconditioner) :: m
    real(c_double) :: blocks(n, n, 7, points), whole(n, points), coloured(n, points), x(n, points), relaxed(n, points)
    character(:), allocatable :: message
    integer :: c, parts(3)
    integer(c_int) :: storage
    call random_number(blocks)
    do c = 1, n
      blocks(c, c, HYPERPLANE_CENTER, :) = 20
    end do
    call a%create(context, grid, n)
    call a%set(blocks)
    call a%choose_parts(6, parts)
    call expect(product(parts) == 6, 'parts that are chosen')
    call a%choose_parts(HYPERPLANE_PARTS_AUTOMATIC, parts)
    call expect(all(parts == 1), 'one part of a small grid')
    call a%choose_parts(0, parts, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'none of them')
    call m%create(context, grid, n)
    whole = applied(m, a)
    call m%create(context, grid, n, parts=[2, 1, 4], coupling=HYPERPLANE_COUPLING_NATURAL)
    x = applied(m, a)
    call expect(all(abs(x - whole) < 1e-13), 'parts in the order of the grid')
    call m%create(context, grid, n, parts=[2, 1, 4], coupling=HYPERPLANE_COUPLING_COLOURED)
    coloured = applied(m, a)
    call expect(any(abs(coloured - whole) > 1e-8), 'parts in the order of colours')
    call m%create_named(context, grid, n, 'bilu0', 'parts=2x1x4,coupling=coloured')
    x = applied(m, a)
    call expect(all(abs(x - coloured) <= 0), 'parts by name')
    call m%create(context, grid, n, storage=HYPERPLANE_STORAGE_HALF)
    x = applied(m, a)
    call expect(all(abs(x - whole) < 2e-3 * maxval(abs(whole))) .and. any(abs(x - whole) > 1e-8), 'factors as half')
    call m%create(context, grid, n, storage=HYPERPLANE_STORAGE_AUTOMATIC)
    call m%get_storage(storage, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'storage before factor')
    x = applied(m, a)
    call m%get_storage(storage)
    call expect(storage == HYPERPLANE_STORAGE_HALF, 'the storage that is chosen')
    call m%create(context, grid, n, storage=HYPERPLANE_STORAGE_QUARTER)
    x = applied(m, a)
    call expect(all(abs(x - whole) < 2e-2 * maxval(abs(whole))) .and. any(abs(x - whole) > 1e-5), 'factors as quarter')
    call m%create_named(context, grid, n, 'ssor', 'relaxation=1.2')
    relaxed = applied(m, a)
    call m%create(context, grid, n, kind=HYPERPLANE_SSOR, relaxation=1.2_c_double, storage=HYPERPLANE_STORAGE_QUARTER)
    x = applied(m, a)
    call expect(all(abs(x - relaxed) < 2e-2 * maxval(abs(relaxed))) .and. any(abs(x - relaxed) > 1e-5), &
                'SSOR with factors as quarter')
    call m%create(context, grid, n, storage=HYPERPLANE_STORAGE_AUTOMATIC, storage_fraction=0.0_c_double)
    x = applied(m, a)
    call m%get_storage(storage)
    call expect(storage == HYPERPLANE_STORAGE_DOUBLE .and. all(abs(x - whole) <= 0), 'storage that differs by nothing')
    call m%create(context, grid, n, parts=[2, 1, 4])
    x = applied(m, a)
    call expect(any(abs(x - coloured) > 1e-8), 'parts by themselves')
    call m%create(context, grid, n, parts=[0, 1, 1], stat=stat)
    message = hyperplane_error_message()
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT .and. index(message, '0x1x1') > 0, 'no parts')
    call m%create(context, grid, n, parts=[7, 1, 1], stat=stat)
    message = hyperplane_error_message()
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT .and. index(message, '7 parts of 6') > 0, 'more parts than points')
    call m%create(context, grid, n, kind=HYPERPLANE_SSOR)
    whole = applied(m, a)
    call m%create(context, grid, n, kind=HYPERPLANE_SSOR, parts=[2, 1, 4], coupling=HYPERPLANE_COUPLING_NATURAL)
    x = applied(m, a)
    call expect(all(abs(x - whole) <= 0), 'parts of SSOR in the order of the grid')
    call m%create(context, grid, n, kind=HYPERPLANE_SSOR, parts=[2, 1, 4])
    x = applied(m, a)
    call expect(any(abs(x - whole) > 1e-8), 'parts of SSOR by themselves')
    call m%create(context, grid, n, kind=HYPERPLANE_JACOBI, parts=[1, 2, 1], coupling=HYPERPLANE_COUPLING_NATURAL, &
                  stat=stat)
    message = hyperplane_error_message()
    call expect(index(message, 'jacobi has no coupling natural') > 0, 'a coupling that block Jacobi has not')
    call m%create(context, grid, n, kind=HYPERPLANE_LINES, parts=[1, 2, 1], stat=stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'parts of one that has none')
  end subroutine parts_of_a_grid

  !> M^-1 of a vector of ones.
  function applied(m, a) result(x)
    type(hyperplane_preconditioner), intent(in) :: m
    type(hyperplane_matrix), intent(in) :: a
    real(c_double) :: x(2, ni * nj * nk)
    x = 1
    call m%factor(a)
    call m%check()
    call m%solve(x)
  end function applied

end program test_fortran_solvers
