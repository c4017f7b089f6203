! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Vectors of the module hyperplane.
module hyperplane_vectors
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_int8_t, c_loc, c_ptr
  use :: hyperplane_arrays
  use :: hyperplane_base
  use :: hyperplane_c_csr, only: c_csr_vector_create
  use :: hyperplane_c_functions
  use :: hyperplane_c_primitives, only: c_box, c_vector_get_box, c_vector_set_box
  implicit none
  private

  !> n unknowns per point. create(context, grid, n, stat), zero at first; set(values, stat) and get(values, stat) with values of
  !> shape (n * points), (n, points), (n, ni, nj, nk) or any other that has as many in this order; set_device and get_device
  !> (pointer, count, stat); fill(value, stat). set_box(box, values, stat) and get_box(box, values, stat): the points of
  !> a box, in subscripts of the grid (from 1) and of the array alike, whose components are unknowns.
  !> create_csr(context, points, n, stat): of points without a grid, for general matrices.
  !> mask(mask, stat): zero at points where integer(c_int8_t) mask(ni, nj, nk) is 0; mask_device(pointer, count, stat).
  type, extends(hyperplane_object), public :: hyperplane_vector
  contains
    procedure :: create => vector_create
    procedure :: create_csr => vector_create_csr
    procedure :: fill => vector_fill
    procedure :: mask => vector_mask
    procedure :: mask_device => vector_mask_device
    procedure :: set_device => vector_set_device
    procedure :: get_device => vector_get_device
    procedure :: set_box => vector_set_box
    procedure :: get_box => vector_get_box
    procedure :: set => vector_set
    procedure :: get => vector_get
  end type hyperplane_vector

contains

  subroutine vector_create(this, context, grid, n, stat)
    class(hyperplane_vector), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_vector_create(context%handle, grid, int(n, c_int), made)
    call take(this, made, status, stat)
  end subroutine vector_create

  !> Of points without a grid.
  subroutine vector_create_csr(this, context, points, n, stat)
    class(hyperplane_vector), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer, intent(in) :: points, n
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_csr_vector_create(context%handle, int(points, c_int64_t), int(n, c_int), made)
    call take(this, made, status, stat)
  end subroutine vector_create_csr

  subroutine vector_fill(this, value, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: stat
    call report(c_vector_fill(this%handle, value), stat)
  end subroutine vector_fill

  !> Zero where the mask is 0.
  subroutine vector_mask(this, mask, stat)
    class(hyperplane_vector), intent(in) :: this
    integer(c_int8_t), intent(in), contiguous, target :: mask(..)
    integer, intent(out), optional :: stat
    call report(c_vector_mask(this%handle, c_loc(mask), size(mask, kind=c_int64_t), in_host), stat)
  end subroutine vector_mask

  subroutine vector_mask_device(this, pointer, count, stat)
    class(hyperplane_vector), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_vector_mask(this%handle, pointer, count, in_device), stat)
  end subroutine vector_mask_device

  subroutine vector_set(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_vector_set(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_set

  subroutine vector_get(this, values, stat)
    class(hyperplane_vector), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_vector_get(this%handle, c_loc(values), size(values, kind=c_int64_t), in_host), stat)
  end subroutine vector_get

  !> From memory of the context's device, in the order of its stream.
  subroutine vector_set_device(this, pointer, count, stat)
    class(hyperplane_vector), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_vector_set(this%handle, pointer, count, in_device), stat)
  end subroutine vector_set_device

  !> To memory of the context's device, in the order of its stream.
  subroutine vector_get_device(this, pointer, count, stat)
    class(hyperplane_vector), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_vector_get(this%handle, pointer, count, in_device), stat)
  end subroutine vector_get_device

  !> The points of a box, in subscripts of the grid and of the array.
  subroutine vector_set_box(this, box, values, stat)
    class(hyperplane_vector), intent(in) :: this
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: values
    integer, intent(out), optional :: stat
    call copy_box(this, box, values, c_vector_set_box, stat)
  end subroutine vector_set_box

  subroutine vector_get_box(this, box, values, stat)
    class(hyperplane_vector), intent(in) :: this
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: values
    integer, intent(out), optional :: stat
    call copy_box(this, box, values, c_vector_get_box, stat)
  end subroutine vector_get_box

  subroutine copy_box(this, box, values, copy, stat)
    class(hyperplane_vector), intent(in) :: this
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: values
    procedure(c_vector_set_box) :: copy
    integer, intent(out), optional :: stat
    type(c_box) :: there
    there = to_c_box(box, values)
    call report(copy(this%handle, of_grid(box), placed(values, box, values), there%begin), stat)
  end subroutine copy_box

end module hyperplane_vectors
