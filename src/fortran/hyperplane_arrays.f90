! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Arrays and boxes of the primitives of the module hyperplane.
module hyperplane_arrays
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int64_t, c_intptr_t, c_loc, c_null_ptr, c_ptr
  use :: hyperplane_base
  use :: hyperplane_c_functions, only: hyperplane_grid
  use :: hyperplane_c_primitives
  implicit none
  private

  public :: hyperplane_box_face
  !> For the other parts.
  public :: of_grid, to_c_box, placed

  integer(c_int), parameter, public :: HYPERPLANE_INT = 0, HYPERPLANE_FLOAT = 1, HYPERPLANE_DOUBLE = 2

  !> The points from first to last, both included, in subscripts of arrays. Empty where a last is less than its first.
  type, public :: hyperplane_box
    integer :: first(3) = 1
    integer :: last(3) = 0
  end type hyperplane_box

  !> Refers to an array of yours of rank 3, or 4 with components last, of integer(c_int), real(c_float) or
  !> real(c_double), sections with any strides among them; it has the attribute target and stays where it is.
  !> init(values, lower): subscripts of boxes begin at lower, or 1: init(p, lower=lbound(p)). init_device(pointer,
  !> scalar, extents, components, lower): contiguous, in memory of the context's device. box(): all points.
  !> component(c): one of the components.
  type, public :: hyperplane_array
    private
    type(c_array) :: c
    integer :: lower(3) = 1
  contains
    procedure, private :: array_init_integer_3
    procedure, private :: array_init_integer_4
    procedure, private :: array_init_float_3
    procedure, private :: array_init_float_4
    procedure, private :: array_init_double_3
    procedure, private :: array_init_double_4
    generic :: init => array_init_integer_3, array_init_integer_4, &
                       array_init_float_3, array_init_float_4, &
                       array_init_double_3, array_init_double_4
    procedure :: init_device => array_init_device
    procedure :: box => array_box
    procedure :: component => array_component
  end type hyperplane_array

contains

  subroutine array_init_integer_3(this, values, lower)
    class(hyperplane_array), intent(inout) :: this
    integer(c_int), intent(in), target :: values(:,:,:)
    integer, intent(in), optional :: lower(3)
    integer :: next(3)
    call describe(this, HYPERPLANE_INT, shape(values), lower)
    if (size(values) == 0) return
    next = min(2, shape(values))
    call place(this, c_loc(values(1,1,1)), [c_loc(values(next(1),1,1)), c_loc(values(1,next(2),1)), &
                                            c_loc(values(1,1,next(3)))])
  end subroutine array_init_integer_3

  subroutine array_init_integer_4(this, values, lower)
    class(hyperplane_array), intent(inout) :: this
    integer(c_int), intent(in), target :: values(:,:,:,:)
    integer, intent(in), optional :: lower(3)
    integer :: next(4)
    call describe(this, HYPERPLANE_INT, shape(values), lower)
    if (size(values) == 0) return
    next = min(2, shape(values))
    call place(this, c_loc(values(1,1,1,1)), [c_loc(values(next(1),1,1,1)), c_loc(values(1,next(2),1,1)), &
                                              c_loc(values(1,1,next(3),1)), c_loc(values(1,1,1,next(4)))])
  end subroutine array_init_integer_4

  subroutine array_init_float_3(this, values, lower)
    class(hyperplane_array), intent(inout) :: this
    real(c_float), intent(in), target :: values(:,:,:)
    integer, intent(in), optional :: lower(3)
    integer :: next(3)
    call describe(this, HYPERPLANE_FLOAT, shape(values), lower)
    if (size(values) == 0) return
    next = min(2, shape(values))
    call place(this, c_loc(values(1,1,1)), [c_loc(values(next(1),1,1)), c_loc(values(1,next(2),1)), &
                                            c_loc(values(1,1,next(3)))])
  end subroutine array_init_float_3

  subroutine array_init_float_4(this, values, lower)
    class(hyperplane_array), intent(inout) :: this
    real(c_float), intent(in), target :: values(:,:,:,:)
    integer, intent(in), optional :: lower(3)
    integer :: next(4)
    call describe(this, HYPERPLANE_FLOAT, shape(values), lower)
    if (size(values) == 0) return
    next = min(2, shape(values))
    call place(this, c_loc(values(1,1,1,1)), [c_loc(values(next(1),1,1,1)), c_loc(values(1,next(2),1,1)), &
                                              c_loc(values(1,1,next(3),1)), c_loc(values(1,1,1,next(4)))])
  end subroutine array_init_float_4

  subroutine array_init_double_3(this, values, lower)
    class(hyperplane_array), intent(inout) :: this
    real(c_double), intent(in), target :: values(:,:,:)
    integer, intent(in), optional :: lower(3)
    integer :: next(3)
    call describe(this, HYPERPLANE_DOUBLE, shape(values), lower)
    if (size(values) == 0) return
    next = min(2, shape(values))
    call place(this, c_loc(values(1,1,1)), [c_loc(values(next(1),1,1)), c_loc(values(1,next(2),1)), &
                                            c_loc(values(1,1,next(3)))])
  end subroutine array_init_double_3

  subroutine array_init_double_4(this, values, lower)
    class(hyperplane_array), intent(inout) :: this
    real(c_double), intent(in), target :: values(:,:,:,:)
    integer, intent(in), optional :: lower(3)
    integer :: next(4)
    call describe(this, HYPERPLANE_DOUBLE, shape(values), lower)
    if (size(values) == 0) return
    next = min(2, shape(values))
    call place(this, c_loc(values(1,1,1,1)), [c_loc(values(next(1),1,1,1)), c_loc(values(1,next(2),1,1)), &
                                              c_loc(values(1,1,next(3),1)), c_loc(values(1,1,1,next(4)))])
  end subroutine array_init_double_4

  !> Without values.
  subroutine describe(this, scalar, extents, lower)
    class(hyperplane_array), intent(inout) :: this
    integer(c_int), intent(in) :: scalar
    integer, intent(in) :: extents(:)
    integer, intent(in), optional :: lower(3)
    this%c = c_array()
    this%c%scalar = scalar
    this%c%space = in_host
    this%c%extents = int(extents(1:3), c_int)
    if (size(extents) == 4) this%c%components = int(extents(4), c_int)
    this%lower = 1
    if (present(lower)) this%lower = lower
  end subroutine describe

  !> Values by the first of them and its neighbours in each direction, or itself where there is none.
  subroutine place(this, first, neighbours)
    class(hyperplane_array), intent(inout) :: this
    type(c_ptr), intent(in) :: first, neighbours(:)
    integer :: d
    this%c%data = first
    do d = 1, 3
      this%c%strides(d) = distance(first, neighbours(d)) / bytes_of(this%c%scalar)
    end do
    if (size(neighbours) == 4) this%c%component_stride = distance(first, neighbours(4)) / bytes_of(this%c%scalar)
  end subroutine place

  subroutine array_init_device(this, pointer, scalar, extents, components, lower)
    class(hyperplane_array), intent(inout) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int), intent(in) :: scalar
    integer, intent(in) :: extents(3)
    integer, intent(in), optional :: components, lower(3)
    this%c%data = pointer
    this%c%scalar = scalar
    this%c%space = in_device
    this%c%extents = int(extents, c_int)
    this%c%components = 1
    if (present(components)) this%c%components = int(components, c_int)
    this%c%strides(1) = 1
    this%c%strides(2) = extents(1)
    this%c%strides(3) = this%c%strides(2) * extents(2)
    this%c%component_stride = this%c%strides(3) * extents(3)
    this%lower = 1
    if (present(lower)) this%lower = lower
  end subroutine array_init_device

  function bytes_of(scalar) result(bytes)
    integer(c_int), intent(in) :: scalar
    integer(c_int64_t) :: bytes
    bytes = 4
    if (scalar == HYPERPLANE_DOUBLE) bytes = 8
  end function bytes_of

  function distance(from, to) result(bytes)
    type(c_ptr), intent(in) :: from, to
    integer(c_int64_t) :: bytes
    bytes = transfer(to, 0_c_intptr_t) - transfer(from, 0_c_intptr_t)
  end function distance

  function moved(address, bytes) result(there)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: bytes
    type(c_ptr) :: there
    there = transfer(transfer(address, 0_c_intptr_t) + bytes, there)
  end function moved

  !> All points.
  function array_box(this) result(box)
    class(hyperplane_array), intent(in) :: this
    type(hyperplane_box) :: box
    box%first = this%lower
    box%last = this%lower + this%c%extents - 1
  end function array_box

  !> Component c, from 1, as an array of one.
  function array_component(this, c, stat) result(component)
    class(hyperplane_array), intent(in) :: this
    integer, intent(in) :: c
    integer, intent(out), optional :: stat
    type(hyperplane_array) :: component
    component%lower = this%lower
    call report(c_array_component(this%c, int(c - 1, c_int), component%c), stat)
  end function array_component

  !> The `width` layers of a box at a face, HYPERPLANE_BOTTOM to HYPERPLANE_TOP, beginning `from` layers inside it.
  function hyperplane_box_face(box, face, width, from, stat) result(layers)
    type(hyperplane_box), intent(in) :: box
    integer, intent(in) :: face, width
    integer, intent(in), optional :: from
    integer, intent(out), optional :: stat
    type(hyperplane_box) :: layers
    type(c_box) :: found
    integer(c_int) :: status, inside
    inside = 0
    if (present(from)) inside = int(from, c_int)
    status = c_box_face(c_box(int(box%first, c_int), int(box%last + 1, c_int)), int(face - 1, c_int), &
                        int(width, c_int), inside, found)
    if (status == HYPERPLANE_SUCCESS) then
      layers%first = found%begin
      layers%last = found%end - 1
    end if
    call report(status, stat)
  end function hyperplane_box_face

  !> Subscripts of the grid begin with 1.
  function of_grid(box) result(c)
    type(hyperplane_box), intent(in) :: box
    type(c_box) :: c
    c%begin = int(box%first - 1, c_int)
    c%end = int(max(box%last, box%first - 1), c_int)
  end function of_grid

  !> The box in the subscripts, from 0, of an array.
  function to_c_box(box, of) result(c)
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: of
    type(c_box) :: c
    c%begin = int(box%first - of%lower, c_int)
    c%end = int(max(box%last, box%first - 1) + 1 - of%lower, c_int)
  end function to_c_box

  !> The array as one whose subscripts begin where those of `of` do, so that a box is the same in both. A box that begins
  !> before this array is in none.
  function placed(this, box, of) result(c)
    type(hyperplane_array), intent(in) :: this
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: of
    type(c_array) :: c
    integer :: shift(3)
    c = this%c
    shift = of%lower - this%lower
    if (all(shift == 0)) return
    c%data = moved(c%data, sum(shift * c%strides) * bytes_of(c%scalar))
    c%extents = c%extents - int(shift, c_int)
    if (any(box%first < this%lower)) c%extents = 0
  end function placed

end module hyperplane_arrays
