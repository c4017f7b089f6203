! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Solvers of general matrices of the Fortran module. Exit status 1 and a line for what is wrong.
program test_fortran_csr_solvers
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  use :: expectations, only: expect, expect_refused, failures, first_of
  use :: general_mesh, only: blocks, columns, make_mesh, n, neighbours, offsets, points, times
  use :: hyperplane
  implicit none

  type(hyperplane_context) :: context
  type(hyperplane_matrix) :: a

  call hyperplane_initialize()
  ! Arrays are in host memory: the first backend is one of the host.
  call context%create(backend=first_of(hyperplane_backends()))
  call make_mesh()
  call a%create_csr(context, offsets, columns, blocks)
  call solvers()
  call thresholds()
  call relaxations()
  call adjoint_systems()
  call sequences()
  call several_columns()
  call replaced_pivots()
  call a%free()
  call context%free()
  call hyperplane_finalize()
  if (failures > 0) stop 1

contains

  subroutine expect_solved(m, method, transposed, what)
    type(hyperplane_preconditioner), intent(in) :: m
    integer(c_int), intent(in) :: method
    logical, intent(in) :: transposed
    character(len=*), intent(in) :: what
    type(hyperplane_krylov) :: krylov
    type(hyperplane_matrix) :: matrix
    type(hyperplane_result) :: result
    real(c_double) :: rhs(n, points), x(n, points)
    matrix = a
    if (transposed) call matrix%create_transpose(a)
    call random_number(rhs)
    x = 0
    call krylov%create_csr(context, points, n, method=method, tolerance=1e-10_c_double)
    call krylov%solve(matrix, rhs, x, result, preconditioner=m)
    call expect(result%outcome == HYPERPLANE_CONVERGED, what//' converges')
    call expect(norm2(rhs - times(x, transposed)) < 1.1e-10 * norm2(rhs), what)
  end subroutine expect_solved

  subroutine several_columns()
    type(hyperplane_krylov) :: krylov
    type(hyperplane_preconditioner) :: m, mt
    type(hyperplane_matrix) :: at
    type(hyperplane_result) :: results(5)
    real(c_double) :: rhs(n, points, 5), x(n, points, 5)
    integer :: v, stat
    call m%create_csr(a, transposed=.true.)
    call m%factor(a)
    call at%create_transpose(a)
    call mt%create_transpose(m)
    call random_number(rhs)
    x = 0
    call krylov%create_csr(context, points, n, tolerance=1e-10_c_double)
    call krylov%solve_columns(a, rhs, x, results, preconditioner=m)
    do v = 1, 5
      call expect(results(v)%outcome == HYPERPLANE_CONVERGED, 'a column converges')
      call expect(norm2(rhs(:, :, v) - times(x(:, :, v), .false.)) < 1.1e-10 * norm2(rhs(:, :, v)), 'a column')
    end do
    x = 0
    call krylov%solve_columns(at, rhs(:, :, :2), x(:, :, :2), results(:2), mt)
    do v = 1, 2
      call expect(norm2(rhs(:, :, v) - times(x(:, :, v), .true.)) < 1.1e-10 * norm2(rhs(:, :, v)), 'an adjoint column')
    end do
    call krylov%solve_columns(a, rhs, x, results(:4), stat=stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'count is 240, expected 192')
  end subroutine several_columns

  subroutine solvers()
    type(hyperplane_preconditioner) :: m, named
    real(c_double) :: x(n, points), y(n, points)
    integer(c_int) :: order
    integer :: p
    do order = HYPERPLANE_ORDER_NATURAL, HYPERPLANE_ORDER_COLOURS
      call m%create_csr(a, kind=HYPERPLANE_CSR_BILU0, order=order)
      call m%factor(a)
      call m%check()
      call expect_solved(m, HYPERPLANE_BICGSTAB, .false., 'BILU(0)')
      call m%create_csr(a, kind=HYPERPLANE_CSR_ILUK, fill=2, order=order)
      call m%factor(a)
      call m%check()
      call expect_solved(m, HYPERPLANE_FGMRES, .false., 'BILU(2)')
    end do
    call m%create_csr(a)
    call named%create_csr_named(a, 'iluk', 'fill=0')
    call m%factor(a)
    call named%factor(a)
    call random_number(x)
    y = x
    call m%solve(x)
    call named%solve(y)
    call expect(all(x == y), 'BILU(0) by two names')
    ! With all fill there is, M is A.
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUK, fill=points, given_order=[(p, p=points, 1, -1)])
    call m%factor(a)
    call random_number(x)
    y = times(x, .false.)
    call m%solve(y)
    call expect(maxval(abs(x - y)) < 1e-11, 'all fill, backwards')
    call expect(hyperplane_csr_preconditioners() == 'identity, jacobi, ssor, dilu, bilu0, iluk, ilut, lines', 'names')
  end subroutine solvers

  subroutine thresholds()
    type(hyperplane_preconditioner) :: m, named
    real(c_double) :: x(n, points), y(n, points)
    integer(c_int) :: order
    integer :: p
    do order = HYPERPLANE_ORDER_NATURAL, HYPERPLANE_ORDER_COLOURS
      call m%create_csr(a, kind=HYPERPLANE_CSR_ILUT, drop_tolerance=1e-3_c_double, order=order)
      call m%factor(a)
      call m%check()
      call expect_solved(m, HYPERPLANE_FGMRES, .false., 'ILUT')
    end do
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUT, drop_tolerance=0.125_c_double, row_entries=2)
    call named%create_csr_named(a, 'ilut', 'drop_tolerance=0.125,row_entries=2')
    call m%factor(a)
    call named%factor(a)
    call random_number(x)
    y = x
    call m%solve(x)
    call named%solve(y)
    call expect(all(x == y), 'ILUT by two names')
    ! Where nothing is dropped, M is A.
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUT, drop_tolerance=0.0_c_double, row_entries=points, &
                      given_order=[(p, p=points, 1, -1)])
    call m%factor(a)
    call random_number(x)
    y = times(x, .false.)
    call m%solve(y)
    call expect(maxval(abs(x - y)) < 1e-11, 'nothing dropped, backwards')
  end subroutine thresholds

  subroutine relaxations()
    type(hyperplane_preconditioner) :: m, named
    real(c_double) :: x(n, points), y(n, points)
    integer(c_int) :: order
    do order = HYPERPLANE_ORDER_NATURAL, HYPERPLANE_ORDER_COLOURS
      call m%create_csr(a, kind=HYPERPLANE_CSR_SSOR, relaxation=0.75_c_double, order=order)
      call m%factor(a)
      call m%check()
      call expect_solved(m, HYPERPLANE_BICGSTAB, .false., 'SSOR')
      call m%create_csr(a, kind=HYPERPLANE_CSR_DILU, order=order)
      call m%factor(a)
      call expect_solved(m, HYPERPLANE_FGMRES, .false., 'DILU')
    end do
    call named%create_csr_named(a, 'dilu', 'order=colours')
    call named%factor(a)
    call expect_same(m, named, 'DILU by two names')
    call m%create_csr(a, kind=HYPERPLANE_CSR_DILU, order=HYPERPLANE_ORDER_LINES)
    call named%create_csr_named(a, 'dilu', 'order=lines')
    call m%factor(a)
    call named%factor(a)
    call expect_same(m, named, 'DILU along lines by two names')
    call m%create_csr(a, kind=HYPERPLANE_CSR_JACOBI, relaxation=0.5_c_double)
    call named%create_csr_named(a, 'jacobi', 'relaxation=0.5')
    call m%factor(a)
    call named%factor(a)
    call expect_same(m, named, 'block Jacobi by two names')
    ! Of the blocks on the diagonal alone, times which x is b / w.
    call random_number(x)
    y = x
    call m%solve(y)
    call expect(maxval(abs(2 * diagonal_times(y) - x)) < 1e-12, 'block Jacobi')
    ! 1 is what it is by itself.
    call m%create_csr(a, kind=HYPERPLANE_CSR_SSOR, relaxation=1.0_c_double)
    call named%create_csr_named(a, 'ssor')
    call m%factor(a)
    call named%factor(a)
    call expect_same(m, named, 'SSOR by two names')
  end subroutine relaxations

  !> They have the same bits.
  subroutine expect_same(m, other, what)
    type(hyperplane_preconditioner), intent(in) :: m, other
    character(len=*), intent(in) :: what
    real(c_double) :: x(n, points), y(n, points)
    call random_number(x)
    y = x
    call m%solve(x)
    call other%solve(y)
    call expect(all(x == y), what)
  end subroutine expect_same

  function diagonal_times(x) result(y)
    real(c_double), intent(in) :: x(n, points)
    real(c_double) :: y(n, points)
    integer :: p
    do p = 1, points
      y(:, p) = matmul(blocks(:, :, offsets(p) + 1), x(:, p))
    end do
  end function diagonal_times

  subroutine adjoint_systems()
    type(hyperplane_preconditioner) :: m, mt
    integer(c_int) :: kind
    do kind = HYPERPLANE_CSR_JACOBI, HYPERPLANE_CSR_ILUT
      call m%create_csr(a, kind=kind, transposed=.true.)
      call mt%create_transpose(m)
      call m%factor(a)
      call expect_solved(mt, HYPERPLANE_BICGSTAB, .true., 'an adjoint system')
    end do
  end subroutine adjoint_systems

  !> FGCRO-DR has a subspace from the solves before it, until it forgets that.
  subroutine sequences()
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: first, second, third
    real(c_double) :: rhs(n, points), x(n, points), y(n, points)
    call random_number(rhs)
    call krylov%create_csr(context, points, n, method=HYPERPLANE_FGCRODR, tolerance=1e-10_c_double, restart=6, recycled=3)
    x = 0
    call krylov%solve(a, rhs, x, first)
    call expect(first%outcome == HYPERPLANE_CONVERGED, 'FGCRO-DR converges')
    call expect(norm2(rhs - times(x, .false.)) < 1.1e-10 * norm2(rhs), 'FGCRO-DR')
    y = 0
    call krylov%solve(a, rhs, y, second)
    call expect(second%outcome == HYPERPLANE_CONVERGED .and. any(x /= y), 'a subspace is kept')
    call krylov%forget()
    y = 0
    call krylov%solve(a, rhs, y, third)
    call expect(third%iterations == first%iterations .and. all(x == y), 'a subspace is forgotten')
  end subroutine sequences

  !> The first point has zeros on the diagonal, and nothing is subtracted from them.
  subroutine replaced_pivots()
    type(hyperplane_matrix) :: singular
    type(hyperplane_preconditioner) :: m, named
    real(c_double) :: changed(n, n, neighbours * points)
    integer(c_int64_t) :: count, first
    integer(c_int) :: kind
    integer :: stat
    changed = blocks
    changed(:, :, offsets(1) + 1) = 0
    call singular%create_csr(context, offsets, columns, changed)
    do kind = HYPERPLANE_CSR_JACOBI, HYPERPLANE_CSR_ILUT
      call m%create_csr(a, kind=kind)
      call m%replaced(count, first, stat)
      call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'called before factor')
      call m%factor(singular)
      call m%check(stat)
      call expect_refused(stat, HYPERPLANE_SINGULAR_PIVOT, 'singular pivot at row 0')
      call m%create_csr(a, kind=kind, pivot_shift=0.75_c_double)
      call m%factor(singular)
      call m%check()
      call m%replaced(count, first)
      call expect(count == 1 .and. first == 1, 'a pivot is replaced')
      call m%factor(a)
      call m%replaced(count, first)
      call expect(count == 0 .and. first == 0, 'no pivot is replaced')
    end do
    call named%create_csr_named(a, 'ilut', 'pivot_shift=0.75')
    call m%factor(singular)
    call named%factor(singular)
    call expect_same(m, named, 'replaced pivots by two names')
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUT, storage=HYPERPLANE_STORAGE_HALF)
    call named%create_csr_named(a, 'ilut', 'storage=half')
    call m%factor(a)
    call named%factor(a)
    call expect_same(m, named, 'a storage by two names')
    call m%create_csr(a, kind=HYPERPLANE_CSR_DILU, storage=HYPERPLANE_STORAGE_BFLOAT16)
    call named%create_csr_named(a, 'dilu', 'storage=bfloat16')
    call m%factor(a)
    call named%factor(a)
    call expect_same(m, named, 'a storage of DILU by two names')
    call m%create_csr(a, kind=HYPERPLANE_CSR_IDENTITY, pivot_shift=0.0_c_double, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "identity has no option 'pivot_shift'")
  end subroutine replaced_pivots

end program test_fortran_csr_solvers
