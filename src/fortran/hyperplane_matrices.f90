! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Matrices of the module hyperplane.
module hyperplane_matrices
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_int, c_int64_t, c_int8_t, c_loc, c_ptr
  use :: hyperplane_arrays
  use :: hyperplane_base
  use :: hyperplane_c_csr, only: c_csr_matrix_create
  use :: hyperplane_c_functions
  use :: hyperplane_c_primitives, only: c_array, c_box, c_matrix_get_box, c_matrix_set_box
  use :: hyperplane_compressed_rows
  use :: hyperplane_vectors
  implicit none
  private

  !> For choose_parts: as many as pay where the context of the matrix runs, one where cutting does not pay.
  integer, parameter, public :: HYPERPLANE_PARTS_AUTOMATIC = -1

  !> Seven n x n blocks per point. create(context, grid, n, storage, stat), zero at first; set(values, stat) and
  !> get(values, stat) with values(r, c, direction, point), (r, c, direction, i, j, k) or any other shape that has as many in
  !> this order; set_device and get_device (pointer, count, stat); apply(x, y, stat): y = A x; residual(b, x, r, stat):
  !> r = b - A x. set_box(box, blocks, stat) and get_box(box, blocks, stat) with seven arrays, from bottom to top, of which
  !> component r + n * (c - 1) is entry (r, c); directions whose array has not been init are left out.
  !> mask(mask, stat): leaves points out where integer(c_int8_t) mask(ni, nj, nk) is 0, whatever the matrix has for them;
  !> mask_device(pointer, count, stat). choose_parts(count, parts, stat): how to cut the grid into so many parts(3), or as
  !> many as HYPERPLANE_PARTS_AUTOMATIC says, so that as little coupling as can be is cut.
  !> set_csr(row_offsets, columns, values, stat): compressed rows that count from 1, of integer(c_int) or
  !> integer(c_int64_t), with values(entry), or values(r, c, entry) of blocks. set_csr_device(rows, entries, block_size,
  !> index_bits, row_offsets, columns, values, stat): in memory of the context's device, as in C: counting from 0.
  !> Or a general matrix, of points without a grid: create_csr(context, row_offsets, columns, values, stat,
  !> unknowns_per_point) with the arrays of set_csr and create_csr_device(context, rows, ...) with those of set_csr_device;
  !> values(r, c, entry) are those of set and get. With unknowns_per_point n, values(entry) are scalars, whose rows are taken
  !> n by n. create_transpose(a, stat): A^T of a matrix on a grid or of a general one, which follows its values.
  !> create_narrowed(a, storage, stat): A whose products read a copy in HYPERPLANE_STORAGE_FLOAT, on a grid also _HALF or _BFLOAT16, which
  !> narrow(stat) rounds, at first and whenever A has changed; residuals are those of A.
  type, extends(hyperplane_object), public :: hyperplane_matrix
  contains
    procedure :: create => matrix_create
    procedure, private :: matrix_create_csr_32, matrix_create_csr_64
    generic :: create_csr => matrix_create_csr_32, matrix_create_csr_64
    procedure :: create_csr_device => matrix_create_csr_device
    procedure :: create_transpose => matrix_create_transpose
    procedure :: create_narrowed => matrix_create_narrowed, narrow => matrix_narrow
    procedure :: apply => matrix_apply
    procedure :: residual => matrix_residual
    procedure :: choose_parts => matrix_choose_parts
    procedure :: mask => matrix_mask, mask_device => matrix_mask_device
    procedure :: set_device => matrix_set_device, get_device => matrix_get_device
    procedure :: set_box => matrix_set_box, get_box => matrix_get_box
    procedure :: set_csr_device => matrix_set_csr_device
    procedure, private :: matrix_set_csr_32, matrix_set_csr_64
    generic :: set_csr => matrix_set_csr_32, matrix_set_csr_64
    procedure :: set => matrix_set, get => matrix_get
  end type hyperplane_matrix

contains

  subroutine matrix_create(this, context, grid, n, storage, stat)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(hyperplane_grid), intent(in) :: grid
    integer, intent(in) :: n
    integer(c_int), intent(in), optional :: storage
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status, stored
    stored = HYPERPLANE_STORAGE_DOUBLE
    if (present(storage)) stored = storage
    status = c_matrix_create(context%handle, grid, int(n, c_int), stored, made)
    call take(this, made, status, stat)
  end subroutine matrix_create

  subroutine matrix_mask(this, mask, stat)
    class(hyperplane_matrix), intent(in) :: this
    integer(c_int8_t), intent(in), contiguous, target :: mask(..)
    integer, intent(out), optional :: stat
    call report(c_matrix_mask(this%handle, c_loc(mask), size(mask, kind=c_int64_t), in_host), stat)
  end subroutine matrix_mask

  subroutine matrix_mask_device(this, pointer, count, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_matrix_mask(this%handle, pointer, count, in_device), stat)
  end subroutine matrix_mask_device

  subroutine matrix_set(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_matrix_set(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_set

  subroutine matrix_get(this, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    real(c_double), intent(out), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    call report(c_matrix_get(this%handle, c_loc(values), size(values, kind=c_int64_t), column_major, in_host), stat)
  end subroutine matrix_get

  subroutine matrix_set_device(this, pointer, count, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_matrix_set(this%handle, pointer, count, column_major, in_device), stat)
  end subroutine matrix_set_device

  subroutine matrix_get_device(this, pointer, count, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(c_ptr), intent(in) :: pointer
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    call report(c_matrix_get(this%handle, pointer, count, column_major, in_device), stat)
  end subroutine matrix_get_device

  subroutine matrix_apply(this, x, y, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(hyperplane_vector), intent(in) :: x, y
    integer, intent(out), optional :: stat
    call report(c_matrix_apply(this%handle, x%handle, y%handle), stat)
  end subroutine matrix_apply

  subroutine matrix_residual(this, b, x, r, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(hyperplane_vector), intent(in) :: b, x, r
    integer, intent(out), optional :: stat
    call report(c_matrix_residual(this%handle, b%handle, x%handle, r%handle), stat)
  end subroutine matrix_residual

  subroutine matrix_choose_parts(this, count, parts, stat)
    class(hyperplane_matrix), intent(in) :: this
    integer, intent(in) :: count
    integer, intent(out) :: parts(3)
    integer, intent(out), optional :: stat
    integer(c_int) :: found(3)
    found = 0
    call report(c_matrix_choose_parts(this%handle, int(count, c_int), found), stat)
    parts = found
  end subroutine matrix_choose_parts

  subroutine matrix_set_box(this, box, blocks, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: blocks(7)
    integer, intent(out), optional :: stat
    call copy_box(this, box, blocks, c_matrix_set_box, stat)
  end subroutine matrix_set_box

  subroutine matrix_get_box(this, box, blocks, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: blocks(7)
    integer, intent(out), optional :: stat
    call copy_box(this, box, blocks, c_matrix_get_box, stat)
  end subroutine matrix_get_box

  subroutine copy_box(this, box, blocks, copy, stat)
    class(hyperplane_matrix), intent(in) :: this
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: blocks(7)
    procedure(c_matrix_set_box) :: copy
    integer, intent(out), optional :: stat
    type(c_array) :: arrays(7)
    type(c_box) :: there
    call seven(box, blocks, arrays, there)
    call report(copy(this%handle, of_grid(box), arrays, there%begin, column_major), stat)
  end subroutine copy_box

  !> Arrays whose subscripts begin where those of the first do that is there, and the box in them.
  subroutine seven(box, blocks, arrays, there)
    type(hyperplane_box), intent(in) :: box
    type(hyperplane_array), intent(in) :: blocks(7)
    type(c_array), intent(out) :: arrays(7)
    type(c_box), intent(out) :: there
    integer :: d, first
    first = 0
    do d = 1, 7
      arrays(d) = placed(blocks(d), box, blocks(d))
      if (.not. c_associated(arrays(d)%data)) cycle
      if (first == 0) first = d
      arrays(d) = placed(blocks(d), box, blocks(first))
    end do
    if (first > 0) there = to_c_box(box, blocks(first))
  end subroutine seven

  subroutine matrix_set_csr_32(this, row_offsets, columns, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    integer(c_int), intent(in) :: row_offsets(:), columns(:)
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    type(compressed_rows), target :: rows
    call rows%read(row_offsets, columns, values)
    call report(c_matrix_set_csr(this%handle, rows%csr, in_host), stat)
  end subroutine matrix_set_csr_32

  subroutine matrix_set_csr_64(this, row_offsets, columns, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    integer(c_int64_t), intent(in) :: row_offsets(:), columns(:)
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    type(compressed_rows), target :: rows
    call rows%read(row_offsets, columns, values)
    call report(c_matrix_set_csr(this%handle, rows%csr, in_host), stat)
  end subroutine matrix_set_csr_64

  subroutine matrix_set_csr_device(this, rows, entries, block_size, index_bits, row_offsets, columns, values, stat)
    class(hyperplane_matrix), intent(in) :: this
    integer(c_int64_t), intent(in) :: rows, entries
    integer, intent(in) :: block_size, index_bits
    type(c_ptr), intent(in) :: row_offsets, columns, values
    integer, intent(out), optional :: stat
    type(compressed_rows), target :: given
    call given%read_device(rows, entries, block_size, index_bits, row_offsets, columns, values)
    call report(c_matrix_set_csr(this%handle, given%csr, in_device), stat)
  end subroutine matrix_set_csr_device

  subroutine matrix_create_csr_32(this, context, row_offsets, columns, values, stat, unknowns_per_point)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer(c_int), intent(in) :: row_offsets(:), columns(:)
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    integer, intent(in), optional :: unknowns_per_point
    type(compressed_rows), target :: rows
    call rows%read(row_offsets, columns, values)
    call create_csr(this, context, rows%csr, in_host, stat, unknowns_per_point)
  end subroutine matrix_create_csr_32

  subroutine matrix_create_csr_64(this, context, row_offsets, columns, values, stat, unknowns_per_point)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: row_offsets(:), columns(:)
    real(c_double), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    integer, intent(in), optional :: unknowns_per_point
    type(compressed_rows), target :: rows
    call rows%read(row_offsets, columns, values)
    call create_csr(this, context, rows%csr, in_host, stat, unknowns_per_point)
  end subroutine matrix_create_csr_64

  subroutine matrix_create_csr_device(this, context, rows, entries, block_size, index_bits, row_offsets, columns, values, &
                                      stat, unknowns_per_point)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: rows, entries
    integer, intent(in) :: block_size, index_bits
    type(c_ptr), intent(in) :: row_offsets, columns, values
    integer, intent(out), optional :: stat
    integer, intent(in), optional :: unknowns_per_point
    type(compressed_rows), target :: given
    call given%read_device(rows, entries, block_size, index_bits, row_offsets, columns, values)
    call create_csr(this, context, given%csr, in_device, stat, unknowns_per_point)
  end subroutine matrix_create_csr_device

  subroutine create_csr(this, context, csr, space, stat, unknowns_per_point)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    type(csr_arrays), intent(inout) :: csr
    integer(c_int), intent(in) :: space
    integer, intent(out), optional :: stat
    integer, intent(in), optional :: unknowns_per_point
    type(c_ptr) :: made
    integer(c_int) :: status
    if (present(unknowns_per_point)) csr%unknowns_per_point = int(unknowns_per_point, c_int)
    status = c_csr_matrix_create(context%handle, csr, space, made)
    call take(this, made, status, stat)
  end subroutine create_csr

  subroutine matrix_create_transpose(this, a, stat)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_matrix), intent(in) :: a
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_matrix_transpose(a%handle, made)
    call take(this, made, status, stat)
  end subroutine matrix_create_transpose

  subroutine matrix_create_narrowed(this, a, storage, stat)
    class(hyperplane_matrix), intent(inout) :: this
    type(hyperplane_matrix), intent(in) :: a
    integer(c_int), intent(in) :: storage
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_matrix_create_narrowed(a%handle, storage, made)
    call take(this, made, status, stat)
  end subroutine matrix_create_narrowed

  subroutine matrix_narrow(this, stat)
    class(hyperplane_matrix), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_matrix_narrow(this%handle), stat)
  end subroutine matrix_narrow

end module hyperplane_matrices
