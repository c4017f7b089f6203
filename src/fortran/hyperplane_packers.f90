! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Packers of the module hyperplane: boxes of many arrays to and from one buffer.
module hyperplane_packers
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int64_t, c_loc, c_ptr
  use :: hyperplane_arrays
  use :: hyperplane_base
  use :: hyperplane_c_primitives
  implicit none
  private

  !> A box of an array that goes into a buffer: direction order(1) fastest, then order(2), order(3), then components.
  type, public :: hyperplane_packed_box
    type(hyperplane_array) :: array
    type(hyperplane_box) :: box
    integer :: order(3) = [1, 2, 3]
  end type hyperplane_packed_box

  !> create(context, packed boxes, stat); size(): values of the buffer; pack(buffer, stat) and unpack(buffer, stat) with a buffer
  !> of rank 1 and the arrays' type (another one is HYPERPLANE_SIZE_MISMATCH); pack_device and unpack_device (pointer,
  !> count, stat).
  type, extends(hyperplane_object), public :: hyperplane_packer
  contains
    procedure :: create => packer_create
    procedure :: size => packer_size
    procedure :: pack_device => packer_pack_device
    procedure :: unpack_device => packer_unpack_device
    procedure, private :: pack_integer, pack_float, pack_double, unpack_integer, unpack_float, unpack_double
    generic :: pack => pack_integer, pack_float, pack_double
    generic :: unpack => unpack_integer, unpack_float, unpack_double
  end type hyperplane_packer

contains

  subroutine packer_create(this, context, packed_boxes, stat)
    class(hyperplane_packer), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_packed_box), intent(in) :: packed_boxes(:)
    integer, intent(out), optional :: stat
    type(c_packed_box), allocatable :: all(:)
    type(c_ptr) :: made
    integer(c_int) :: status
    integer :: s
    allocate(all(size(packed_boxes)))
    do s = 1, size(packed_boxes)
      all(s)%array = placed(packed_boxes(s)%array, packed_boxes(s)%box, packed_boxes(s)%array)
      all(s)%box = to_c_box(packed_boxes(s)%box, packed_boxes(s)%array)
      all(s)%order = int(packed_boxes(s)%order - 1, c_int)
    end do
    status = c_packer_create(context%handle, all, size(packed_boxes, kind=c_int), made)
    call take(this, made, status, stat)
  end subroutine packer_create

  !> 0 where there is no packer.
  function packer_size(this) result(values)
    class(hyperplane_packer), intent(in) :: this
    integer(c_int64_t) :: values
    if (c_packer_size(this%handle, values) /= HYPERPLANE_SUCCESS) values = 0
  end function packer_size

  subroutine pack_integer(this, buffer, stat)
    class(hyperplane_packer), intent(in) :: this
    integer(c_int), intent(inout), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    call report(c_packer_pack(this%handle, c_loc(buffer), count_of(this, HYPERPLANE_INT, size(buffer, kind=c_int64_t))), stat)
  end subroutine pack_integer

  subroutine unpack_integer(this, buffer, stat)
    class(hyperplane_packer), intent(in) :: this
    integer(c_int), intent(in), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    call report(c_packer_unpack(this%handle, c_loc(buffer), count_of(this, HYPERPLANE_INT, size(buffer, kind=c_int64_t))), stat)
  end subroutine unpack_integer

  subroutine pack_float(this, buffer, stat)
    class(hyperplane_packer), intent(in) :: this
    real(c_float), intent(inout), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    call report(c_packer_pack(this%handle, c_loc(buffer), count_of(this, HYPERPLANE_FLOAT, size(buffer, kind=c_int64_t))), stat)
  end subroutine pack_float

  subroutine unpack_float(this, buffer, stat)
    class(hyperplane_packer), intent(in) :: this
    real(c_float), intent(in), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    call report(c_packer_unpack(this%handle, c_loc(buffer), count_of(this, HYPERPLANE_FLOAT, size(buffer, kind=c_int64_t))), stat)
  end subroutine unpack_float

  subroutine pack_double(this, buffer, stat)
    class(hyperplane_packer), intent(in) :: this
    real(c_double), intent(inout), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    call report(c_packer_pack(this%handle, c_loc(buffer), count_of(this, HYPERPLANE_DOUBLE, size(buffer, kind=c_int64_t))), stat)
  end subroutine pack_double

  subroutine unpack_double(this, buffer, stat)
    class(hyperplane_packer), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    call report(c_packer_unpack(this%handle, c_loc(buffer), count_of(this, HYPERPLANE_DOUBLE, size(buffer, kind=c_int64_t))), stat)
  end subroutine unpack_double

  !> None that is right for a buffer of another type.
  function count_of(this, scalar, size) result(count)
    class(hyperplane_packer), intent(in) :: this
    integer(c_int), intent(in) :: scalar
    integer(c_int64_t), intent(in) :: size
    integer(c_int64_t) :: count
    integer(c_int) :: wanted
    count = size
    if (c_packer_scalar(this%handle, wanted) /= HYPERPLANE_SUCCESS) return
    if (wanted /= scalar) count = -1
  end function count_of

  !> With memory of the context's device, in the order of its stream.
  subroutine packer_pack_device(this, pointer, count, stat)
    class(hyperplane_packer), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_packer_pack(this%handle, pointer, count), stat)
  end subroutine packer_pack_device

  subroutine packer_unpack_device(this, pointer, count, stat)
    class(hyperplane_packer), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_packer_unpack(this%handle, pointer, count), stat)
  end subroutine packer_unpack_device

end module hyperplane_packers
