! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Compressed rows that count from 1, as matrices of the module hyperplane take them, for the C interface.
module hyperplane_compressed_rows
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc, c_ptr
  use :: hyperplane_base, only: column_major
  use :: hyperplane_c_functions, only: c_csr_init, csr_arrays
  implicit none
  private

  integer(c_int), parameter :: index_32 = 0, index_64 = 1

  !> read(row_offsets, columns, values), of integer(c_int) or integer(c_int64_t), and read_device(...) make what C takes,
  !> csr. It refers to this variable, which has the attribute target, and to the values.
  type, public :: compressed_rows
    type(csr_arrays) :: csr
    integer(c_int), allocatable, private :: offsets_32(:), columns_32(:)
    integer(c_int64_t), allocatable, private :: offsets_64(:), columns_64(:)
  contains
    procedure, private :: read_32, read_64
    generic :: read => read_32, read_64
    procedure :: read_device
  end type compressed_rows

contains

  subroutine read_32(this, row_offsets, columns, values)
    class(compressed_rows), intent(inout), target :: this
    integer(c_int), intent(in) :: row_offsets(:), columns(:)
    real(c_double), intent(in), contiguous, target :: values(..)
    this%offsets_32 = row_offsets - 1_c_int
    this%columns_32 = columns - 1_c_int
    call describe(this%csr, size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), index_32, &
                  c_loc(this%offsets_32), c_loc(this%columns_32), values)
  end subroutine read_32

  subroutine read_64(this, row_offsets, columns, values)
    class(compressed_rows), intent(inout), target :: this
    integer(c_int64_t), intent(in) :: row_offsets(:), columns(:)
    real(c_double), intent(in), contiguous, target :: values(..)
    this%offsets_64 = row_offsets - 1_c_int64_t
    this%columns_64 = columns - 1_c_int64_t
    call describe(this%csr, size(row_offsets, kind=c_int64_t), size(columns, kind=c_int64_t), index_64, &
                  c_loc(this%offsets_64), c_loc(this%columns_64), values)
  end subroutine read_64

  !> With values of rank 1, or 3 of blocks.
  subroutine describe(csr, offsets, entries, indices, row_offsets, columns, values)
    type(csr_arrays), intent(out) :: csr
    integer(c_int64_t), intent(in) :: offsets, entries
    integer(c_int), intent(in) :: indices
    type(c_ptr), intent(in) :: row_offsets, columns
    real(c_double), intent(in), contiguous, target :: values(..)
    integer(c_int) :: status
    status = c_csr_init(csr)
    csr%rows = offsets - 1
    csr%entries = entries
    if (rank(values) == 3) csr%block_size = size(values, dim=1, kind=c_int)
    csr%value_count = size(values, kind=c_int64_t)
    csr%order = column_major
    csr%index_type = indices
    csr%row_offsets = row_offsets
    csr%columns = columns
    csr%values = c_loc(values)
  end subroutine describe

  !> Of device memory, counting from 0; index_bits is 32 or 64.
  subroutine read_device(this, rows, entries, block_size, index_bits, row_offsets, columns, values)
    class(compressed_rows), intent(inout) :: this
    integer(c_int64_t), intent(in) :: rows, entries
    integer, intent(in) :: block_size, index_bits
    type(c_ptr), intent(in) :: row_offsets, columns, values
    integer(c_int) :: status
    status = c_csr_init(this%csr)
    this%csr%rows = rows
    this%csr%entries = entries
    this%csr%block_size = int(block_size, c_int)
    this%csr%order = column_major
    this%csr%index_type = -1
    if (index_bits == 32) this%csr%index_type = index_32
    if (index_bits == 64) this%csr%index_type = index_64
    this%csr%row_offsets = row_offsets
    this%csr%columns = columns
    this%csr%values = values
  end subroutine read_device

end module hyperplane_compressed_rows
