! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The Fortran module: compressed rows, boxes, arrays of rows, several right-hand sides and masks. Exit status 1 and a line
! for what is wrong.
program test_fortran_arrays
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int8_t, c_int64_t, c_null_ptr
  use :: expectations, only: expect, expect_refused, failures
  use :: hyperplane
  implicit none

  integer, parameter :: n = 2, ni = 4, nj = 3, nk = 2, points = ni * nj * nk
  type(hyperplane_grid), parameter :: grid = hyperplane_grid(ni, nj, nk)
  type(hyperplane_context) :: context
  integer :: stat

  call hyperplane_initialize(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'initialize')
  call context%create(stat=stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'context')
  call compressed_rows()
  call boxes()
  call several()
  call masks()
  call before_factor()
  call hyperplane_take_error(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'a call without stat')
  call context%free()
  call hyperplane_finalize(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'finalize')
  if (failures > 0) stop 1

contains

  !> Blocks of a matrix that is far from singular; zero where they point out of the grid.
  subroutine random_blocks(blocks)
    real(c_double), intent(out) :: blocks(:, :, :, :, :, :)
    integer :: c
    call random_number(blocks)
    blocks = 0.1_c_double * blocks
    do c = 1, size(blocks, 1)
      blocks(c, c, HYPERPLANE_CENTER, :, :, :) = 3
    end do
    blocks(:, :, HYPERPLANE_WEST, 1, :, :) = 0
    blocks(:, :, HYPERPLANE_EAST, ni, :, :) = 0
    blocks(:, :, HYPERPLANE_SOUTH, :, 1, :) = 0
    blocks(:, :, HYPERPLANE_NORTH, :, nj, :) = 0
    blocks(:, :, HYPERPLANE_BOTTOM, :, :, 1) = 0
    blocks(:, :, HYPERPLANE_TOP, :, :, nk) = 0
  end subroutine random_blocks

  subroutine compressed_rows()
    type(hyperplane_matrix) :: a
    real(c_double) :: blocks(n, n, 7, ni, nj, nk), found(n, n, 7, ni, nj, nk)
    real(c_double), allocatable :: of_blocks(:, :, :), of_scalars(:)
    integer(c_int), allocatable :: columns(:), scalar_columns(:)
    integer(c_int) :: offsets(points + 1), scalar_offsets(n * points + 1)
    integer :: i, j, k, point, d, r, entry, other
    integer, parameter :: step(3, 7) = reshape([0, 0, -1, 0, -1, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 7])
    call random_blocks(blocks)
    allocate (of_blocks(n, n, 0), of_scalars(0), columns(0), scalar_columns(0))
    offsets(1) = 1
    scalar_offsets(1) = 1
    do point = 1, points
      i = mod(point - 1, ni) + 1
      j = mod((point - 1) / ni, nj) + 1
      k = (point - 1) / (ni * nj) + 1
      do d = 1, 7
        if (i + step(1, d) < 1 .or. i + step(1, d) > ni .or. j + step(2, d) < 1 .or. j + step(2, d) > nj &
            .or. k + step(3, d) < 1 .or. k + step(3, d) > nk) cycle
        columns = [columns, point + step(1, d) + ni * (step(2, d) + nj * step(3, d))]
        of_blocks = reshape([of_blocks, blocks(:, :, d, i, j, k)], [n, n, size(columns)])
      end do
      offsets(point + 1) = size(columns) + 1
      do r = 1, n
        do entry = offsets(point), offsets(point + 1) - 1
          do other = 1, n
            scalar_columns = [scalar_columns, (columns(entry) - 1) * n + other]
            of_scalars = [of_scalars, of_blocks(r, other, entry)]
          end do
        end do
        scalar_offsets((point - 1) * n + r + 1) = size(scalar_columns) + 1
      end do
    end do

    call a%create(context, grid, n)
    call a%set_csr(offsets, columns, of_blocks)
    call a%get(found)
    call expect(all(found == blocks), 'blocks of compressed rows')
    call a%create(context, grid, n)
    call a%set_csr(int(scalar_offsets, c_int64_t), int(scalar_columns, c_int64_t), of_scalars)
    call a%get(found)
    call expect(all(found == blocks), 'compressed rows of scalars, with wide indices')

    columns(1) = 4
    call a%set_csr(offsets, columns, of_blocks, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, &
                        'hyperplane_matrix_set_csr: entry 0, in row 0 and column 3, couples point (0, 0, 0) with (3, 0, 0)')
    call a%set_csr(offsets, columns(2:), of_blocks, stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'more values than entries')
    call a%set_csr_device(int(points, c_int64_t), 1_c_int64_t, n, 32, c_null_ptr, c_null_ptr, c_null_ptr, stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory')
  end subroutine compressed_rows

  subroutine boxes()
    type(hyperplane_vector) :: v
    type(hyperplane_matrix) :: a
    type(hyperplane_array) :: array, blocks(7)
    type(hyperplane_box), parameter :: all_points = hyperplane_box([1, 1, 1], [ni, nj, nk])
    type(hyperplane_box), parameter :: part = hyperplane_box([2, 1, 2], [3, 3, 2])
    real(c_double), target :: halo(0:ni + 1, 0:nj + 1, 0:nk + 1, n), back(0:ni + 1, 0:nj + 1, 0:nk + 1, n)
    real(c_double) :: rows(n, ni, nj, nk), values(n, n, 7, ni, nj, nk)
    real(c_float), target :: west(ni, nj, nk, n * n)
    integer :: c
    call random_number(halo)
    call array%init(halo, lower=[0, 0, 0])
    call v%create(context, grid, n)
    call v%set_box(all_points, array)
    call v%get(rows)
    do c = 1, n
      call expect(all(rows(c, :, :, :) == halo(1:ni, 1:nj, 1:nk, c)), 'a vector from an array with a halo')
    end do
    back = -1
    call array%init(back, lower=[0, 0, 0])
    call v%get_box(part, array)
    call expect(all(back(2:3, 1:3, 2, :) == halo(2:3, 1:3, 2, :)) .and. count(back >= 0) == 2 * 3 * n, 'a part of it')
    call v%set_box(hyperplane_box([1, 1, 1], [ni + 1, nj, nk]), array, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'is not inside a grid of 4x3x2 points')
    call array%init(back(2:, :, :, :))
    call v%get_box(all_points, array, stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'another place')

    call a%create(context, grid, n)
    do c = 1, n * n
      west(:, :, :, c) = real(c, c_float)
    end do
    call blocks(HYPERPLANE_WEST)%init(west)
    call a%set_box(part, blocks)
    call a%get(values)
    call expect(all(values(2, 1, HYPERPLANE_WEST, 2:3, :, 2) == 2) .and. all(values(1, 2, HYPERPLANE_WEST, 2:3, :, 2) == 3) &
                .and. abs(sum(values) - 6 * (1 + 2 + 3 + 4)) < 1e-12, 'blocks in a box')
    west = 0
    call a%get_box(part, blocks)
    call expect(all(west(2:3, :, 2, 4) == 4) .and. all(west(1, :, :, :) == 0), 'and back')
    call blocks(1)%init(halo, lower=[0, 0, 0])
    call a%get_box(part, blocks, stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'the array has 2 components, expected 4')
  end subroutine boxes

  subroutine several()
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: b(3), x(3)
    type(hyperplane_preconditioner) :: m
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result, of_arrays, results(3)
    real(c_double) :: blocks(n, n, 7, ni, nj, nk), rhs(n, points, 3), expected(n, points, 3), found(n, points, 3)
    integer :: v
    call random_blocks(blocks)
    call random_number(rhs)
    call a%create(context, grid, n)
    call a%set(blocks)
    call m%create(context, grid, n, kind=HYPERPLANE_BILU0, right_hand_sides=2)
    call m%factor(a)
    do v = 1, 3
      call b(v)%create(context, grid, n)
      call b(v)%set(rhs(:, :, v))
      call x(v)%create(context, grid, n)
      call m%solve(b(v), x(v))
      call x(v)%get(expected(:, :, v))
      call x(v)%fill(0.0_c_double)
    end do
    call m%solve(b, x)
    do v = 1, 3
      call x(v)%get(found(:, :, v))
    end do
    call expect(maxval(abs(found - expected)) < 1e-13, 'several vectors')
    call m%solve(b, x(1:2), stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'fewer solutions than right-hand sides')
    found = 0
    call m%solve_columns(rhs, found, 3)
    call expect(maxval(abs(found - expected)) < 1e-13, 'several columns')
    call m%solve_columns(rhs, found, 2, stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'more columns than were said')
    call m%solve(rhs(:, :, 2), found(:, :, 1))
    call expect(maxval(abs(found(:, :, 1) - expected(:, :, 2))) < 1e-13, 'an array')
    found = rhs
    call m%solve(found(:, :, 3))
    call expect(maxval(abs(found(:, :, 3) - expected(:, :, 3))) < 1e-13 .and. all(found(:, :, 1:2) == rhs(:, :, 1:2)), &
                'an array in place')
    call m%solve_device(c_null_ptr, c_null_ptr, int(n * points, c_int64_t), 1, stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory')

    call krylov%create(context, grid, n, tolerance=1e-10_c_double)
    call x(1)%fill(0.0_c_double)
    call krylov%solve(a, b(1), x(1), result, m)
    call x(1)%get(expected(:, :, 1))
    found = 0
    call krylov%solve(a, rhs(:, :, 1), found(:, :, 1), of_arrays, m)
    call expect(all(found(:, :, 1) == expected(:, :, 1)) .and. of_arrays%iterations == result%iterations &
                .and. of_arrays%outcome == HYPERPLANE_CONVERGED, 'a method with arrays')
    found = 0
    call krylov%solve_columns(a, rhs, found, results, m)
    do v = 1, 3
      expected(:, :, v) = 0
      call krylov%solve(a, rhs(:, :, v), expected(:, :, v), of_arrays, m)
      call expect(results(v)%outcome == HYPERPLANE_CONVERGED, 'a column of a method converges')
      call expect(maxval(abs(found(:, :, v) - expected(:, :, v))) < 1e-8, 'a column of a method')
    end do
    call krylov%solve(a, rhs(1, :, 1), found(:, :, 1), of_arrays, stat=stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'a part of a right-hand side')
    call krylov%solve_device(a, c_null_ptr, c_null_ptr, int(n * points, c_int64_t), of_arrays, stat=stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory for a method')
  end subroutine several

  subroutine masks()
    type(hyperplane_matrix) :: a
    type(hyperplane_preconditioner) :: sip
    type(hyperplane_vector) :: v
    real(c_double) :: blocks(1, 1, 7, ni, nj, nk), rhs(ni, nj, nk), x(ni, nj, nk), of_matrix(ni, nj, nk)
    integer(c_int8_t) :: mask(ni, nj, nk)
    call random_blocks(blocks)
    call random_number(rhs)
    mask = 1_c_int8_t
    mask(2, 2, 1) = 0_c_int8_t
    blocks(1, 1, HYPERPLANE_CENTER, 2, 2, 1) = 0
    call a%create(context, grid, 1)
    call a%set(blocks)
    call sip%create(context, grid, 1, kind=HYPERPLANE_SIP)
    call sip%factor_masked(a, mask)
    call sip%check(stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'what is masked is not singular')
    x = 1
    call sip%solve(rhs, x)
    call expect(x(2, 2, 1) == 0 .and. x(1, 2, 1) /= 0, 'a masked point')
    call sip%factor_masked(a, mask(:, :, 1), stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'count is 12, expected 24')
    call sip%factor_masked_device(a, c_null_ptr, int(points, c_int64_t), stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory for a mask')
    ! Left out of the matrix, they are left out by all.
    rhs(2, 2, 1) = 0
    call a%mask(mask)
    call sip%factor(a)
    call sip%solve(rhs, of_matrix)
    call expect(all(of_matrix == x), 'a mask of a matrix')
    call v%create(context, grid, 1)
    call v%fill(1.0_c_double)
    call v%mask(mask)
    call v%get(x)
    call expect(all(x == mask), 'a mask of a vector')
    call a%mask(mask(:, :, 1), stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'hyperplane_matrix_mask: count is 12, expected 24')
    call v%mask(mask(:, :, 1), stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'hyperplane_vector_mask: count is 12, expected 24')
    call a%mask_device(c_null_ptr, int(points, c_int64_t), stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory for a mask of a matrix')
    call v%mask_device(c_null_ptr, int(points, c_int64_t), stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'no device memory for a mask of a vector')
  end subroutine masks

  subroutine before_factor()
    type(hyperplane_preconditioner) :: m
    call m%create(context, grid, n)
    call m%check(stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'hyperplane_preconditioner_check: called before factor')
  end subroutine before_factor

end program test_fortran_arrays
