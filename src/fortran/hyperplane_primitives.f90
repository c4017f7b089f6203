! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Primitives of the module hyperplane: on boxes of arrays, a routine at a time. Arrays of a call have one type; box is in
!> the subscripts of each.
module hyperplane_primitives
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc, c_null_ptr, c_ptr
  use :: hyperplane_arrays
  use :: hyperplane_base
  use :: hyperplane_c_functions, only: hyperplane_grid
  use :: hyperplane_c_primitives
  implicit none
  private

  public :: hyperplane_reduce, hyperplane_dot, hyperplane_dots, hyperplane_axpy_dot, hyperplane_update_dot, &
            hyperplane_fill, hyperplane_scale, hyperplane_copy, hyperplane_transposed_copy, hyperplane_axpy, &
            hyperplane_axpby, hyperplane_stencil_apply

  integer(c_int), parameter, public :: HYPERPLANE_REDUCTION_SUM = 0, HYPERPLANE_REDUCTION_MIN = 1, &
                                       HYPERPLANE_REDUCTION_MAX = 2, HYPERPLANE_REDUCTION_NORM_1 = 3, &
                                       HYPERPLANE_REDUCTION_NORM_2 = 4, HYPERPLANE_REDUCTION_NORM_INF = 5
  integer(c_int), parameter, public :: HYPERPLANE_RELAXATION_JACOBI = 0, HYPERPLANE_RELAXATION_RED_BLACK = 1, &
                                       HYPERPLANE_RELAXATION_HYPERPLANE = 2

  !> Coefficients of the seven-point stencil, HYPERPLANE_BOTTOM to HYPERPLANE_TOP: the same at all points, or, where there
  !> are arrays, seven of them with the same extents, strides and lower bounds.
  type, public :: hyperplane_stencil
    real(c_double) :: values(7) = 0
    type(hyperplane_array), allocatable :: arrays(:)
  end type hyperplane_stencil

  !> Jacobi and SSOR on a stencil, to whose arrays it refers. create(context, grid, stencil, kind, scalar, relaxation,
  !> sweeps, stat); factor(stat), also after coefficients have changed; check(stat); solve(r, z, stat): z = M^-1 r, with
  !> contiguous arrays of the grid's extents.
  type, extends(hyperplane_object), public :: hyperplane_relaxation
  contains
    procedure :: create => relaxation_create
    procedure :: factor => relaxation_factor
    procedure :: check => relaxation_check
    procedure :: solve => relaxation_solve
  end type hyperplane_relaxation

contains

  !> Sum, minimum, maximum or norm over all components: HYPERPLANE_REDUCTION_SUM, ... Waits for the result.
  subroutine hyperplane_reduce(context, reduction, box, x, res, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    integer(c_int), intent(in) :: reduction
    type(hyperplane_array), intent(in) :: x
    real(c_double), intent(out) :: res
    integer, intent(out), optional :: stat
    call report(c_reduce(context%handle, reduction, to_c_box(box, x), placed(x, box, x), res), stat)
  end subroutine hyperplane_reduce

  !> res = (x, y)
  subroutine hyperplane_dot(context, box, x, y, res, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: x, y
    real(c_double), intent(out) :: res
    integer, intent(out), optional :: stat
    call report(c_dot(context%handle, to_c_box(box, x), placed(x, box, x), placed(y, box, x), res), stat)
  end subroutine hyperplane_dot

  !> res(p) = (x(p), y(p)), 1 to 4 of them in one pass
  subroutine hyperplane_dots(context, box, x, y, res, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: x(:), y(:)
    real(c_double), intent(out) :: res(:)
    integer, intent(out), optional :: stat
    type(c_array) :: xs(size(x)), ys(size(x))
    integer :: p
    if (size(y) /= size(x) .or. size(res) < size(x) .or. size(x) < 1) then
      call report(c_dots(context%handle, c_box([0, 0, 0], [0, 0, 0]), 0_c_int, xs, ys, res), stat)
      return
    end if
    do p = 1, size(x)
      xs(p) = placed(x(p), box, x(1))
      ys(p) = placed(y(p), box, x(1))
    end do
    call report(c_dots(context%handle, to_c_box(box, x(1)), size(x, kind=c_int), xs, ys, res), stat)
  end subroutine hyperplane_dots

  !> y = alpha x + y and res = (y, z), of the new y; z may be y
  subroutine hyperplane_axpy_dot(context, box, alpha, x, y, z, res, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    real(c_double), intent(in) :: alpha
    type(hyperplane_array), intent(in) :: x, y, z
    real(c_double), intent(out) :: res
    integer, intent(out), optional :: stat
    call report(c_axpy_dot(context%handle, to_c_box(box, x), alpha, placed(x, box, x), placed(y, box, x), &
                           placed(z, box, x), res), stat)
  end subroutine hyperplane_axpy_dot

  !> x = x + alpha p, r = r - alpha q and res = (r, r)
  subroutine hyperplane_update_dot(context, box, alpha, p, q, x, r, res, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    real(c_double), intent(in) :: alpha
    type(hyperplane_array), intent(in) :: p, q, x, r
    real(c_double), intent(out) :: res
    integer, intent(out), optional :: stat
    call report(c_update_dot(context%handle, to_c_box(box, p), alpha, placed(p, box, p), placed(q, box, p), &
                             placed(x, box, p), placed(r, box, p), res), stat)
  end subroutine hyperplane_update_dot

  !> x = value
  subroutine hyperplane_fill(context, box, value, x, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    real(c_double), intent(in) :: value
    type(hyperplane_array), intent(in) :: x
    integer, intent(out), optional :: stat
    call report(c_fill(context%handle, to_c_box(box, x), value, placed(x, box, x)), stat)
  end subroutine hyperplane_fill

  !> x = alpha x
  subroutine hyperplane_scale(context, box, alpha, x, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    real(c_double), intent(in) :: alpha
    type(hyperplane_array), intent(in) :: x
    integer, intent(out), optional :: stat
    call report(c_scale(context%handle, to_c_box(box, x), alpha, placed(x, box, x)), stat)
  end subroutine hyperplane_scale

  !> y = x
  subroutine hyperplane_copy(context, box, x, y, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: x, y
    integer, intent(out), optional :: stat
    call report(c_copy(context%handle, to_c_box(box, x), placed(x, box, x), placed(y, box, x)), stat)
  end subroutine hyperplane_copy

  !> y(first + q) = x(box%first + p), q(d) = p(order(d))
  subroutine hyperplane_transposed_copy(context, box, x, order, first, y, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: x, y
    integer, intent(in) :: order(3), first(3)
    integer, intent(out), optional :: stat
    type(hyperplane_box) :: begin
    type(c_box) :: there
    begin%first = first
    there = to_c_box(begin, y)
    call report(c_transposed_copy(context%handle, to_c_box(box, x), placed(x, box, x), int(order - 1, c_int), &
                                  there%begin, placed(y, begin, y)), stat)
  end subroutine hyperplane_transposed_copy

  !> y = alpha x + y
  subroutine hyperplane_axpy(context, box, alpha, x, y, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    real(c_double), intent(in) :: alpha
    type(hyperplane_array), intent(in) :: x, y
    integer, intent(out), optional :: stat
    call report(c_axpy(context%handle, to_c_box(box, x), alpha, placed(x, box, x), placed(y, box, x)), stat)
  end subroutine hyperplane_axpy

  !> y = alpha x + beta y
  subroutine hyperplane_axpby(context, box, alpha, x, beta, y, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    real(c_double), intent(in) :: alpha, beta
    type(hyperplane_array), intent(in) :: x, y
    integer, intent(out), optional :: stat
    call report(c_axpby(context%handle, to_c_box(box, x), alpha, placed(x, box, x), beta, placed(y, box, x)), stat)
  end subroutine hyperplane_axpby

  !> y = A x. Neighbours are taken where x has them, also outside the box; outside the array they are zero.
  subroutine hyperplane_stencil_apply(context, box, a, x, y, stat)
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_stencil), intent(in) :: a
    type(hyperplane_array), intent(in) :: x, y
    integer, intent(out), optional :: stat
    type(c_array), target :: arrays(7)
    call report(c_stencil_apply(context%handle, to_c_box(box, x), to_c(a, box, x, arrays), placed(x, box, x), &
                                placed(y, box, x)), stat)
  end subroutine hyperplane_stencil_apply

  !> arrays is memory for what the result refers to. Less or more than seven arrays are as many without extents.
  function to_c(a, box, of, arrays) result(c)
    type(hyperplane_stencil), intent(in) :: a
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: of
    type(c_array), intent(inout), target :: arrays(7)
    type(c_stencil) :: c
    integer :: d
    c%values = a%values
    c%arrays = c_null_ptr
    if (.not. allocated(a%arrays)) return
    c%arrays = c_loc(arrays)
    if (size(a%arrays) /= 7) return
    do d = 1, 7
      arrays(d) = placed(a%arrays(d), box, of)
    end do
  end function to_c

  subroutine relaxation_create(this, context, grid, a, kind, scalar, relaxation, sweeps, stat)
    class(hyperplane_relaxation), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    type(hyperplane_stencil), intent(in) :: a
    integer(c_int), intent(in), optional :: kind, scalar
    real(c_double), intent(in), optional :: relaxation
    integer, intent(in), optional :: sweeps
    integer, intent(out), optional :: stat
    type(relaxation_options) :: options
    type(c_array), target :: arrays(7)
    type(hyperplane_box) :: box
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_relaxation_options_init(options)
    if (present(kind)) options%kind = kind
    if (present(scalar)) options%scalar = scalar
    if (present(relaxation)) options%relaxation = relaxation
    if (present(sweeps)) options%sweeps = int(sweeps, c_int)
    ! The grid's first point is the arrays' first.
    if (allocated(a%arrays)) then
      if (size(a%arrays) == 7) then
        box = a%arrays(1)%box()
        status = c_relaxation_create(context%handle, grid, to_c(a, box, a%arrays(1), arrays), options, made)
        call take(this, made, status, stat)
        return
      end if
    end if
    status = c_relaxation_create(context%handle, grid, to_c(a, box, no_array(), arrays), options, made)
    call take(this, made, status, stat)
  end subroutine relaxation_create

  function no_array() result(array)
    type(hyperplane_array) :: array
    call array%init_device(c_null_ptr, HYPERPLANE_DOUBLE, [0, 0, 0])
  end function no_array

  subroutine relaxation_factor(this, stat)
    class(hyperplane_relaxation), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_relaxation_factor(this%handle), stat)
  end subroutine relaxation_factor

  !> HYPERPLANE_SINGULAR_PIVOT if the last factor() met a zero center; HYPERPLANE_RELAXATION_HYPERPLANE alone looks.
  subroutine relaxation_check(this, stat)
    class(hyperplane_relaxation), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_relaxation_check(this%handle), stat)
  end subroutine relaxation_check

  subroutine relaxation_solve(this, r, z, stat)
    class(hyperplane_relaxation), intent(in) :: this
    type(hyperplane_array), intent(in) :: r, z
    integer, intent(out), optional :: stat
    call report(c_relaxation_solve(this%handle, placed(r, r%box(), r), placed(z, z%box(), z)), stat)
  end subroutine relaxation_solve

end module hyperplane_primitives
