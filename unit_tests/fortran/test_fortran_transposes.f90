! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Transposes of matrices, preconditioners and line solvers on grids, and narrowed matrices, in the Fortran module. Exit
! status 1 and a line for what is wrong.
program test_fortran_transposes
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use :: expectations, only: expect, expect_refused, failures, first_of
  use :: hyperplane
  implicit none

  integer, parameter :: ni = 6, nj = 5, nk = 4
  type(hyperplane_context) :: context

  call hyperplane_initialize()
  ! Arrays are in host memory: the first backend is one of the host.
  call context%create(backend=first_of(hyperplane_backends()))
  call transposes()
  call context%free()
  call hyperplane_finalize()
  if (failures > 0) stop 1

contains

  !> Of a grid: the matrix, its preconditioner and its lines, and A^T as a matrix of its own.
  subroutine transposes()
    integer, parameter :: n = 2, points = ni * nj * nk
    type(hyperplane_grid), parameter :: grid = hyperplane_grid(ni, nj, nk)
    real(c_double) :: values(n, n, 7, ni, nj, nk), adjoint(n, n, 7, ni, nj, nk)
    real(c_double) :: u(n, points), v(n, points), mu(n, points), mv(n, points)
    type(hyperplane_matrix) :: a, at, explicit
    type(hyperplane_vector) :: b, x, y
    integer :: i, j, k, d, r, stat
    call random_number(values)
    values = values - 0.5_c_double
    do r = 1, n
      values(r, r, HYPERPLANE_CENTER, :, :, :) = 9
    end do
    adjoint = 0
    do d = 1, 7
      do k = max(1, 1 - offset(3, d)), min(nk, nk - offset(3, d))
        do j = max(1, 1 - offset(2, d)), min(nj, nj - offset(2, d))
          do i = max(1, 1 - offset(1, d)), min(ni, ni - offset(1, d))
            adjoint(:, :, d, i, j, k) = &
              transpose(values(:, :, 8 - d, i + offset(1, d), j + offset(2, d), k + offset(3, d)))
          end do
        end do
      end do
    end do
    call a%create(context, grid, n)
    call a%set(values)
    call explicit%create(context, grid, n)
    call explicit%set(adjoint)
    call at%create_transpose(a)
    call b%create(context, grid, n)
    call x%create(context, grid, n)
    call y%create(context, grid, n)
    call random_number(u)
    call random_number(v)
    call x%set(u)
    call b%set(v)
    call explicit%residual(b, x, y)
    call y%get(mu)
    call at%residual(b, x, y)
    call y%get(mv)
    call expect(maxval(abs(mu - mv)) < 1e-13, 'a residual with the transpose')
    call explicit%apply(x, b)
    call at%apply(x, y)
    call b%get(mu)
    call y%get(mv)
    call expect(maxval(abs(mu - mv)) < 1e-13, 'a product with the transpose')
    call at%set(values, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'the matrix is a transpose')
    call transposed_solves(a, at, grid, u, v, mu)
    call narrowed_solves(a, grid, values, u)
  end subroutine transposes

  !> b = A^T u
  subroutine transposed_solves(a, at, grid, u, v, b)
    type(hyperplane_matrix), intent(in) :: a, at
    type(hyperplane_grid), intent(in) :: grid
    real(c_double), intent(in) :: u(:, :), v(:, :), b(:, :)
    real(c_double) :: mu(size(u, 1), size(u, 2)), mv(size(u, 1), size(u, 2))
    type(hyperplane_preconditioner) :: m, mt
    type(hyperplane_line_solver) :: lines, lines_t
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    integer :: kind, stat
    integer, parameter :: n = 2
    call krylov%create(context, grid, n, tolerance=1e-11_c_double)
    do kind = HYPERPLANE_IDENTITY, HYPERPLANE_BILU0
      if (kind == HYPERPLANE_SIP) cycle
      call m%create(context, grid, n, kind=int(kind, c_int))
      call mt%create_transpose(m)
      call m%factor(a)
      call m%solve(u, mu)
      call mt%solve(v, mv)
      call expect(abs(sum(mu * v) - sum(u * mv)) < 1e-12, 'a solve with the transpose')
      mv = 0
      call krylov%solve(at, b, mv, result, preconditioner=mt)
      call expect(result%outcome == HYPERPLANE_CONVERGED .and. maxval(abs(mv - u)) < 1e-9, 'an adjoint system')
    end do
    call mt%factor(a, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'the preconditioner is a transpose')
    call m%create(context, grid, n, parts=[2, 1, 1], coupling=HYPERPLANE_COUPLING_COLOURED)
    call mt%create_transpose(m)
    call m%factor(a)
    call m%solve(u, mu)
    call mt%solve(v, mv)
    call expect(abs(sum(mu * v) - sum(u * mv)) < 1e-12, 'a solve with the transpose of coloured parts')
    call lines%create_along(context, grid, HYPERPLANE_J, n)
    call lines_t%create_transpose(lines)
    call lines%factor(a)
    call lines%solve(u, mu)
    call lines_t%solve(v, mv)
    call expect(abs(sum(mu * v) - sum(u * mv)) < 1e-12, 'lines of the transpose')
  end subroutine transposed_solves

  !> Products that read floats, and solutions that are as accurate as without.
  subroutine narrowed_solves(a, grid, values, u)
    type(hyperplane_matrix), intent(in) :: a
    type(hyperplane_grid), intent(in) :: grid
    real(c_double), intent(inout) :: values(:, :, :, :, :, :)
    real(c_double), intent(in) :: u(:, :)
    real(c_double) :: found(size(u, 1), size(u, 2)), expected(size(u, 1), size(u, 2))
    type(hyperplane_matrix) :: narrowed
    type(hyperplane_vector) :: x, y
    type(hyperplane_preconditioner) :: m
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    integer, parameter :: n = 2
    integer :: stat
    call x%create(context, grid, n)
    call y%create(context, grid, n)
    call x%set(u)
    call a%apply(x, y)
    call y%get(expected)
    call narrowed%create_narrowed(a, HYPERPLANE_STORAGE_FLOAT)
    call narrowed%apply(x, y, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'the matrix has not been narrowed')
    call narrowed%narrow()
    call narrowed%apply(x, y)
    call y%get(found)
    call expect(maxval(abs(found - expected)) < 1e-5 .and. maxval(abs(found - expected)) > 1e-10, 'a product of floats')
    call m%create(context, grid, n, storage=HYPERPLANE_STORAGE_FLOAT)
    call m%factor(narrowed)
    call krylov%create(context, grid, n, tolerance=1e-13_c_double)
    found = 0
    call krylov%solve(narrowed, expected, found, result, preconditioner=m)
    call expect(result%outcome == HYPERPLANE_CONVERGED .and. maxval(abs(found - u)) < 1e-11, 'a narrowed system')
    values(2, 1, HYPERPLANE_CENTER, 3, 2, 1) = 1e300_c_double
    call a%set(values)
    call narrowed%narrow(stat)
    call expect_refused(stat, HYPERPLANE_OVERFLOW, 'block center of point (2, 1, 0): entry (1, 0) is 1e+300')
    values(2, 1, HYPERPLANE_CENTER, 3, 2, 1) = 1
    call a%set(values)
    call narrowed%create_narrowed(a, HYPERPLANE_STORAGE_HALF)
    call narrowed%narrow()
    call narrowed%apply(x, y)
    call narrowed%create_narrowed(a, HYPERPLANE_STORAGE_AUTOMATIC, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'storage is 5, expected 1 to 3')
  end subroutine narrowed_solves

  !> Along direction e, from a point to its neighbour d.
  pure integer function offset(e, d)
    integer, intent(in) :: e, d
    integer, parameter :: offsets(3, 7) = reshape([0, 0, -1, 0, -1, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 7])
    offset = offsets(e, d)
  end function offset

end program test_fortran_transposes
