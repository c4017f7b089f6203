! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! General matrices of the Fortran module, with their solvers. Exit status 1 and a line for what is wrong.
program test_fortran_csr
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_null_ptr
  use :: expectations, only: expect, expect_refused, failures, first_of
  use :: hyperplane
  implicit none

  integer, parameter :: n = 2, points = 24, neighbours = 4, entries = points * neighbours
  type(hyperplane_context) :: context
  integer(c_int) :: offsets(points + 1), columns(entries)
  real(c_double) :: blocks(n, n, entries)
  type(hyperplane_matrix) :: a
  integer :: stat

  call hyperplane_initialize()
  ! Arrays are in host memory: the first backend is one of the host.
  call context%create(backend=first_of(hyperplane_backends()))
  call make_mesh()
  call a%create_csr(context, offsets, columns, blocks)
  call products()
  call values()
  call solvers()
  call thresholds()
  call adjoint_systems()
  call errors()
  call hyperplane_take_error(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'an error was kept')
  call a%free()
  call context%free()
  call hyperplane_finalize()
  if (failures > 0) stop 1

contains

  !> Points with neighbours that no grid has, not the same to and fro.
  subroutine make_mesh()
    integer :: p, r
    call random_number(blocks)
    blocks = blocks - 0.5_c_double
    do p = 1, points
      offsets(p) = (p - 1) * neighbours + 1
      columns(offsets(p):offsets(p) + 3) = [modulo(p + 4, points) + 1, p, modulo(p, points) + 1, modulo(p - 9, points) + 1]
      do r = 1, n
        blocks(r, r, offsets(p) + 1) = 4
      end do
    end do
    offsets(points + 1) = entries + 1
  end subroutine make_mesh

  function times(x, transposed) result(y)
    real(c_double), intent(in) :: x(n, points)
    logical, intent(in) :: transposed
    real(c_double) :: y(n, points)
    integer :: p, e
    y = 0
    do p = 1, points
      do e = offsets(p), offsets(p + 1) - 1
        if (transposed) then
          y(:, columns(e)) = y(:, columns(e)) + matmul(transpose(blocks(:, :, e)), x(:, p))
        else
          y(:, p) = y(:, p) + matmul(blocks(:, :, e), x(:, columns(e)))
        end if
      end do
    end do
  end function times

  subroutine products()
    type(hyperplane_vector) :: x, y
    type(hyperplane_matrix) :: at
    real(c_double) :: values(n, points), found(n, points)
    call random_number(values)
    call x%create_csr(context, points, n)
    call y%create_csr(context, points, n)
    call x%set(values)
    call a%apply(x, y)
    call y%get(found)
    call expect(maxval(abs(found - times(values, .false.))) < 1e-13, 'a product')
    call at%create_transpose(a)
    call at%apply(x, y)
    call y%get(found)
    call expect(maxval(abs(found - times(values, .true.))) < 1e-13, 'a product with the transpose')
  end subroutine products

  subroutine values()
    type(hyperplane_matrix) :: wide
    real(c_double) :: found(n, n, entries)
    call wide%create_csr(context, int(offsets, c_int64_t), int(columns, c_int64_t), 2 * blocks)
    call wide%get(found)
    call expect(all(found == 2 * blocks), 'values, with wide indices')
    call wide%set(blocks)
    call wide%get(found)
    call expect(all(found == blocks), 'values that were set')
    call wide%set_csr(offsets, columns, 3 * blocks)
    call wide%get(found)
    call expect(all(found == 3 * blocks), 'values from compressed rows')
  end subroutine values

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
    call expect(hyperplane_csr_preconditioners() == 'identity, bilu0, iluk, ilut', 'names')
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

  subroutine adjoint_systems()
    type(hyperplane_preconditioner) :: m, mt
    integer(c_int) :: kind
    do kind = HYPERPLANE_CSR_BILU0, HYPERPLANE_CSR_ILUT
      call m%create_csr(a, kind=kind, transposed=.true.)
      call mt%create_transpose(m)
      call m%factor(a)
      call expect_solved(mt, HYPERPLANE_BICGSTAB, .true., 'an adjoint system')
    end do
  end subroutine adjoint_systems

  subroutine errors()
    type(hyperplane_matrix) :: wrong
    type(hyperplane_preconditioner) :: m, mt
    type(hyperplane_vector) :: v
    integer(c_int) :: other(entries)
    real(c_double) :: zeros(n, n, entries)
    other = columns
    other(1) = points + 1
    call wrong%create_csr(context, offsets, other, blocks, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'columns[0], of row 0, is 24, expected 0 to 23')
    call wrong%create_csr(context, offsets, columns, blocks(:, :, 2:), stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'block_size is 0')
    call wrong%create_csr_device(context, int(points, c_int64_t), 1_c_int64_t, n, 32, c_null_ptr, c_null_ptr, c_null_ptr, &
                                 stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory')
    other = columns
    other(2) = columns(1)
    call wrong%create_csr(context, offsets, other, blocks)
    call m%create_csr(wrong, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'row 0 has column 5 twice')
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUK, fill=-1, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'fill is -1, expected 0 or more')
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUT, drop_tolerance=-1.0_c_double, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'drop_tolerance is -1, expected a finite number, 0 or more')
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUT, row_entries=-1, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'row_entries is -1, expected 0 or more')
    call m%create_csr_named(a, 'ilut', 'row_entries=few', stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "row_entries is 'few', expected a whole number")
    call m%create_csr(a, given_order=[1, 2], stat=stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'given_count is 2, expected 24')
    call m%create_csr_named(a, 'ssor', stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "there is no preconditioner 'ssor'")
    call m%create_csr(a)
    call mt%create_transpose(m, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'without the option transposed')
    zeros = 0
    call wrong%create_csr(context, offsets, columns, zeros)
    call m%factor(wrong)
    call m%check(stat)
    call expect_refused(stat, HYPERPLANE_SINGULAR_PIVOT, 'singular pivot at row 0')
    call v%create_csr(context, 0, n, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'points is 0')
  end subroutine errors

end program test_fortran_csr
