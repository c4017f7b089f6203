! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! General matrices of the Fortran module, and what is refused. Exit status 1 and a line for what is wrong.
program test_fortran_csr
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_null_ptr
  use :: expectations, only: expect, expect_refused, failures, first_of
  use :: general_mesh, only: blocks, columns, entries, make_mesh, n, offsets, points, times
  use :: hyperplane
  implicit none

  type(hyperplane_context) :: context
  type(hyperplane_matrix) :: a
  integer :: stat

  call hyperplane_initialize()
  ! Arrays are in host memory: the first backend is one of the host.
  call context%create(backend=first_of(hyperplane_backends()))
  call make_mesh()
  call a%create_csr(context, offsets, columns, blocks)
  call products()
  call values()
  call scalars()
  call lines()
  call errors()
  call hyperplane_take_error(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'an error was kept')
  call a%free()
  call context%free()
  call hyperplane_finalize()
  if (failures > 0) stop 1

contains

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

  ! The blocks as rows of scalars, of which the zeros are left out.
  subroutine scalars()
    type(hyperplane_matrix) :: whole, of_scalars
    type(hyperplane_vector) :: x, y
    real(c_double) :: holed(n, n, entries), given(n, points), found(n, points), expected(n, points)
    integer(c_int) :: rows(n * points + 1), places(n * n * entries)
    real(c_double) :: values(n * n * entries)
    integer :: point, r, c, entry, count
    holed = blocks
    holed(1, n, ::3) = 0
    count = 0
    rows(1) = 1
    do point = 1, points
      do r = 1, n
        do entry = offsets(point), offsets(point + 1) - 1
          do c = 1, n
            if (holed(r, c, entry) == 0) cycle
            count = count + 1
            places(count) = (columns(entry) - 1) * n + c
            values(count) = holed(r, c, entry)
          end do
        end do
        rows((point - 1) * n + r + 1) = count + 1
      end do
    end do
    call random_number(given)
    call x%create_csr(context, points, n)
    call y%create_csr(context, points, n)
    call x%set(given)
    call whole%create_csr(context, offsets, columns, holed)
    call whole%apply(x, y)
    call y%get(expected)
    call of_scalars%create_csr(context, rows, places(:count), values(:count), unknowns_per_point=n)
    call of_scalars%apply(x, y)
    call y%get(found)
    call expect(maxval(abs(found - expected)) < 1e-13, 'a matrix of scalars')
    call of_scalars%set(2 * values(:count))
    call of_scalars%apply(x, y)
    call y%get(found)
    call expect(maxval(abs(found - 2 * expected)) < 1e-13, 'scalars that were set')
    call of_scalars%set_csr(int(rows, c_int64_t), int(places(:count), c_int64_t), values(:count))
    call of_scalars%apply(x, y)
    call y%get(found)
    call expect(maxval(abs(found - expected)) < 1e-13, 'scalars from compressed rows')
    call of_scalars%create_csr(context, [1, 2], [1], values(:1), stat, n)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'rows is 1, expected a multiple of unknowns_per_point, 2')
  end subroutine scalars

  subroutine lines()
    type(hyperplane_preconditioner) :: m, mt, named
    real(c_double) :: x(n, points), y(n, points), z(n, points)
    integer(c_int64_t), parameter :: line_offsets(3) = [1_c_int64_t, 5_c_int64_t, 6_c_int64_t]
    integer(c_int64_t), parameter :: line_points(5) = [2_c_int64_t, 3_c_int64_t, 4_c_int64_t, 5_c_int64_t, 9_c_int64_t]
    integer :: p, e
    call m%create_csr(a, kind=HYPERPLANE_CSR_LINES, line_offsets=line_offsets, line_points=line_points, transposed=.true.)
    call mt%create_transpose(m)
    call m%factor(a)
    call m%check()
    ! Times x: the blocks on the diagonal, and those that a point on the first line has for the next one.
    call random_number(x)
    do p = 1, points
      e = offsets(p) + 1
      y(:, p) = matmul(blocks(:, :, e), x(:, p))
      if (p >= 2 .and. p < 5) y(:, p) = y(:, p) + matmul(blocks(:, :, e + 1), x(:, p + 1))
    end do
    call m%solve(y)
    call expect(maxval(abs(x - y)) < 1e-13, 'lines that are given')
    call random_number(z)
    y = x
    call m%solve(y)
    call expect(abs(sum(z * y) - sum(x * transpose_solved(mt, z))) < 1e-12, 'lines, transposed')
    call m%create_csr(a, kind=HYPERPLANE_CSR_LINES, strong_coupling=1.0_c_double, line_sweeps=2, relaxation=0.75_c_double)
    call named%create_csr_named(a, 'lines', 'strong_coupling=1,line_sweeps=2,relaxation=0.75')
    call m%factor(a)
    call named%factor(a)
    y = x
    call m%solve(x)
    call named%solve(y)
    call expect(all(x == y), 'lines that are found, by two names')
    ! No line is block Jacobi.
    call m%create_csr(a, kind=HYPERPLANE_CSR_LINES, line_offsets=line_offsets(:1), line_points=line_points(:0))
    call named%create_csr_named(a, 'jacobi')
    call m%factor(a)
    call named%factor(a)
    y = x
    call m%solve(x)
    call named%solve(y)
    call expect(maxval(abs(x - y)) < 1e-14, 'no line')
    call m%create_csr(a, kind=HYPERPLANE_CSR_LINES, line_offsets=line_offsets, line_points=line_points(:4), stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'the last offset is 5, but 4 points are listed')
    call m%create_csr(a, kind=HYPERPLANE_CSR_LINES, line_points=line_points, stat=stat)
    call expect_refused(stat, HYPERPLANE_NULL_POINTER, 'line_offsets is NULL')
    call m%create_csr(a, line_sweeps=1, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "bilu0 has no option 'line_sweeps'")
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUK, strong_coupling=2.0_c_double, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "iluk has no option 'strong_coupling'")
    call m%create_csr(a, kind=HYPERPLANE_CSR_LINES, pivot_shift=0.0_c_double, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "lines has no option 'pivot_shift'")
  end subroutine lines

  function transpose_solved(mt, rhs) result(x)
    type(hyperplane_preconditioner), intent(in) :: mt
    real(c_double), intent(in) :: rhs(n, points)
    real(c_double) :: x(n, points)
    x = rhs
    call mt%solve(x)
  end function transpose_solved

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
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'value_count is 380, expected 384: 96 entries of 2 x 2')
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
    call m%create_csr(a, fill=1, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "bilu0 has no option 'fill'")
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUT, fill=2, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "ilut has no option 'fill'")
    call m%create_csr(a, kind=HYPERPLANE_CSR_DILU, drop_tolerance=0.01_c_double, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "dilu has no option 'drop_tolerance'")
    call m%create_csr(a, kind=HYPERPLANE_CSR_ILUK, row_entries=20, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "iluk has no option 'row_entries'")
    call m%create_csr(a, relaxation=1.0_c_double, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "bilu0 has no option 'relaxation'")
    call m%create_csr(a, kind=HYPERPLANE_CSR_SSOR, relaxation=2.0_c_double, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'relaxation is 2, expected more than 0 and less than 2')
    call m%create_csr(a, given_order=[1, 2], stat=stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'given_count is 2, expected 24')
    call m%create_csr_named(a, 'sip', stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "there is no preconditioner 'sip'")
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
