! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Primitives, packers and timers of the Fortran module, on arrays in host memory. Exit status 1 and a line for
! what is wrong.
program test_fortran_primitives
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
  use :: expectations, only: expect, failures, first_of
  use :: hyperplane
  implicit none

  integer, parameter :: ni = 6, nj = 5, nk = 4
  type(hyperplane_context) :: context
  integer :: stat

  call hyperplane_initialize()
  ! Arrays are in host memory: the first backend is one of the host.
  call context%create(backend=first_of(hyperplane_backends()))
  call expect(context%concurrency() >= 1, 'concurrency')
  call reductions()
  call updates()
  call subscripts()
  call stencils()
  call packers()
  call timers()
  call hyperplane_take_error(stat)
  call expect(stat == HYPERPLANE_SUCCESS, 'an error was kept')
  call context%free()
  call hyperplane_finalize()
  if (failures > 0) stop 1

contains

  subroutine reductions()
    real(c_double), target :: x(ni, nj, nk), y(ni, nj, nk), many(ni, nj, nk, 2)
    real(c_float), target :: single(ni, nj, nk)
    integer(c_int), target :: whole(ni, nj, nk)
    type(hyperplane_array) :: a, b, c
    type(hyperplane_box) :: box
    real(c_double) :: res, three(3)
    integer :: stat
    call random_number(x)
    call random_number(y)
    call random_number(many)
    call a%init(x)
    call b%init(y)
    box = hyperplane_box([2, 2, 2], [ni - 1, nj - 1, nk - 1])
    associate (xi => x(2:ni - 1, 2:nj - 1, 2:nk - 1), yi => y(2:ni - 1, 2:nj - 1, 2:nk - 1))
      call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, box, a, res)
      call expect(abs(res - sum(xi)) < 1e-13, 'sum')
      call hyperplane_reduce(context, HYPERPLANE_REDUCTION_MAX, box, a, res)
      call expect(res == maxval(xi), 'max')
      call hyperplane_reduce(context, HYPERPLANE_REDUCTION_NORM_2, box, a, res)
      call expect(abs(res - norm2(xi)) < 1e-13, 'norm')
      call hyperplane_dot(context, box, a, b, res)
      call expect(abs(res - sum(xi * yi)) < 1e-13, 'dot')
      call hyperplane_dots(context, box, [a, a, b], [a, b, b], three)
      call expect(abs(three(1) - sum(xi * xi)) < 1e-13 .and. three(2) == res, 'dots')
    end associate
    call c%init(many)
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, c%box(), c, res)
    call expect(abs(res - sum(many)) < 1e-12, 'components')
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_MIN, c%box(), c%component(2), res)
    call expect(res == minval(many(:, :, :, 2)), 'one component')
    single = real(x, c_float)
    call c%init(single)
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_NORM_INF, c%box(), c, res)
    call expect(real(res, c_float) == maxval(single), 'real32')
    whole = int(100 * x, c_int)
    call c%init(whole)
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, c%box(), c, res)
    call expect(nint(res) == sum(whole), 'integers')
    call hyperplane_dot(context, box, a, c, res, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'types that differ')
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, hyperplane_box([0, 1, 1], [ni, nj, nk]), a, res, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'before the array')
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, hyperplane_box([1, 1, 1], [ni, nj + 1, nk]), a, res, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'after the array')
    ! A section, of which no copy is made.
    call c%init(x(ni:1:-2, 2:, ::2))
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, c%box(), c, res)
    call expect(abs(res - sum(x(ni:1:-2, 2:, ::2))) < 1e-13, 'a section')
    call hyperplane_fill(context, c%box(), 2.0_c_double, c)
    call expect(all(x(ni:1:-2, 2:, ::2) == 2) .and. any(x(1:ni:2, 2:, ::2) /= 2), 'a section is filled')
    ! One point in a direction, and none.
    call c%init(x(2:2, :, nk:nk))
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, c%box(), c, res)
    call expect(abs(res - sum(x(2, :, nk))) < 1e-13, 'a line')
    call c%init(x(:, 2:1, :))
    call hyperplane_reduce(context, HYPERPLANE_REDUCTION_SUM, c%box(), c, res, stat)
    call expect(stat == HYPERPLANE_SUCCESS .and. res == 0, 'an empty section')
  end subroutine reductions

  subroutine updates()
    real(c_double), target :: x(ni, nj, nk), y(ni, nj, nk), z(ni, nj, nk), w(nj, ni, nk)
    real(c_double) :: before(ni, nj, nk)
    real(c_double) :: res
    type(hyperplane_array) :: a, b, c, d
    call random_number(x)
    call random_number(y)
    call random_number(z)
    call a%init(x)
    call b%init(y)
    call c%init(z)
    call d%init(w)
    before = y
    call hyperplane_axpy(context, a%box(), 2.0_c_double, a, b)
    call expect(maxval(abs(y - (2 * x + before))) < 1e-14, 'axpy')
    before = y
    call hyperplane_axpby(context, a%box(), 2.0_c_double, a, -1.0_c_double, b)
    call expect(maxval(abs(y - (2 * x - before))) < 1e-14, 'axpby')
    call hyperplane_scale(context, a%box(), 0.5_c_double, b)
    call hyperplane_copy(context, a%box(), b, c)
    call expect(all(y == z), 'copy')
    call hyperplane_transposed_copy(context, a%box(), a, [2, 1, 3], [1, 1, 1], d)
    call expect(all(w(:, :, 3) == transpose(x(:, :, 3))), 'transposed copy')
    before = y
    call hyperplane_axpy_dot(context, a%box(), 0.5_c_double, a, b, c, res)
    call expect(abs(res - sum((before + 0.5_c_double * x) * z)) < 1e-12, 'axpy_dot')
    before = z
    call hyperplane_update_dot(context, a%box(), 0.25_c_double, a, a, b, c, res)
    call expect(abs(res - sum((before - 0.25_c_double * x)**2)) < 1e-12, 'update_dot')
  end subroutine updates

  !> Arrays of one call with other lower bounds.
  subroutine subscripts()
    real(c_double), target :: p(ni, nj, nk), q(0:ni + 1, -1:nj + 2, nk)
    real(c_double) :: res
    type(hyperplane_array) :: a, b
    integer :: stat
    call random_number(p)
    q = 0
    call a%init(p)
    call b%init(q, lower=lbound(q))
    call hyperplane_copy(context, a%box(), a, b)
    call expect(all(q(1:ni, 1:nj, :) == p) .and. all(q(0, :, :) == 0) .and. all(q(:, nj + 1:, :) == 0), 'into halos')
    q(1, 1, 1) = 7
    call hyperplane_copy(context, hyperplane_box([1, 1, 1], [2, 2, 2]), b, a)
    call expect(p(1, 1, 1) == 7, 'out of halos')
    call hyperplane_dot(context, b%box(), b, a, res, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'a box that is in one array alone')
    call hyperplane_copy(context, hyperplane_box_face(a%box(), HYPERPLANE_EAST, 1), a, b)
    call expect(all(q(ni, 1:nj, :) == p(ni, :, :)), 'a face')
  end subroutine subscripts

  subroutine stencils()
    real(c_double), target :: x(0:ni + 1, 0:nj + 1, 0:nk + 1), y(ni, nj, nk), coefficients(ni, nj, nk, 7)
    real(c_double), target :: r(ni, nj, nk), z(ni, nj, nk)
    real(c_double) :: expected, before
    type(hyperplane_array) :: a, b, whole, c, d
    type(hyperplane_stencil) :: stencil
    type(hyperplane_relaxation) :: m
    integer :: direction, kind, stat
    call random_number(x)
    call a%init(x, lower=lbound(x))
    call b%init(y)
    stencil%values = [1, 2, 3, -4, 5, 6, 7]
    call hyperplane_stencil_apply(context, b%box(), stencil, a, b)
    expected = x(1, 1, 0) + 2 * x(1, 0, 1) + 3 * x(0, 1, 1) - 4 * x(1, 1, 1) + 5 * x(2, 1, 1) + 6 * x(1, 2, 1) &
               + 7 * x(1, 1, 2)
    call expect(abs(y(1, 1, 1) - expected) < 1e-13, 'one number for each direction, with a halo')
    do direction = 1, 7
      coefficients(:, :, :, direction) = stencil%values(direction)
    end do
    coefficients(:, :, :, HYPERPLANE_CENTER) = 40
    call whole%init(coefficients)
    allocate (stencil%arrays(7))
    do direction = 1, 7
      stencil%arrays(direction) = whole%component(direction)
    end do
    call hyperplane_stencil_apply(context, b%box(), stencil, a, b)
    call expect(abs(y(1, 1, 1) - (expected + 44 * x(1, 1, 1))) < 1e-13, 'arrays of coefficients')

    call random_number(r)
    call c%init(r)
    call d%init(z)
    do kind = HYPERPLANE_RELAXATION_JACOBI, HYPERPLANE_RELAXATION_HYPERPLANE
      call m%create(context, hyperplane_grid(ni, nj, nk), stencil, kind=kind, sweeps=3)
      call m%factor()
      call m%check()
      call m%solve(c, d)
      call hyperplane_stencil_apply(context, c%box(), stencil, d, b)
      before = norm2(r)
      call expect(norm2(r - y) < 0.5_c_double * before, 'relaxation')
    end do
    stencil%arrays = stencil%arrays(1:3)
    call hyperplane_stencil_apply(context, b%box(), stencil, a, b, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'three arrays of coefficients')
  end subroutine stencils

  subroutine packers()
    real(c_double), target :: x(ni, nj, nk), y(ni, nj, nk, 2)
    real(c_double), allocatable :: buffer(:)
    real(c_float) :: single(100)
    type(hyperplane_array) :: a, b
    type(hyperplane_packed_box) :: packed_boxes(2)
    type(hyperplane_packer) :: first, packer
    integer(c_int), target :: whole(2, 2, 2)
    integer(c_int) :: numbers(8)
    integer :: stat
    call random_number(x)
    call random_number(y)
    call a%init(x)
    call b%init(y)
    packed_boxes(1) = hyperplane_packed_box(a, hyperplane_box_face(a%box(), HYPERPLANE_WEST, 1, 1), [2, 1, 3])
    packed_boxes(2) = hyperplane_packed_box(b, hyperplane_box_face(b%box(), HYPERPLANE_TOP, 2))
    call first%create(context, packed_boxes)
    packer = first
    call expect(packer%size() == nj * nk + 2 * 2 * ni * nj, 'size of a buffer')
    allocate (buffer(packer%size()))
    call packer%pack(buffer)
    call expect(all(reshape(buffer(:nj * nk), [nj, nk]) == x(2, :, :)), 'a face')
    call expect(buffer(nj * nk + 1) == y(1, 1, nk - 1, 1), 'another face')
    x = 0
    call packer%unpack(buffer)
    call expect(all(reshape(buffer(:nj * nk), [nj, nk]) == x(2, :, :)) .and. all(x(3, :, :) == 0), 'back')
    call packer%pack(buffer(:10), stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'a short buffer')
    call packer%pack(single, stat)
    call expect(stat == HYPERPLANE_SIZE_MISMATCH, 'a buffer of another type')
    whole = reshape([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2])
    call a%init(whole)
    call first%create(context, [hyperplane_packed_box(a, a%box(), [3, 2, 1])])
    packer = first
    call packer%pack(numbers)
    call expect(all(numbers == [1, 5, 3, 7, 2, 6, 4, 8]), 'integers')
  end subroutine packers

  subroutine timers()
    real(c_double), target :: x(ni, nj, nk)
    type(hyperplane_array) :: a
    call a%init(x)
    call hyperplane_timers_start()
    call hyperplane_fill(context, a%box(), 1.0_c_double, a)
    call hyperplane_timers_stop()
    call expect(index(hyperplane_timers_table(), 'Hyperplane::fill') > 0, 'a table')
    call expect(index(hyperplane_timers_json(), '"label": "Hyperplane::fill", "count": 1') > 0, 'JSON')
    call hyperplane_timers_reset()
    call expect(index(hyperplane_timers_json(), 'fill') == 0, 'nothing')
  end subroutine timers

end program test_fortran_primitives
