! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Functions of hyperplane.h, for the parts of the module hyperplane.
module hyperplane_c_functions
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t
  implicit none
  public

  !> ni x nj x nk points, i fastest.
  type, bind(c) :: hyperplane_grid
    integer(c_int) :: ni, nj, nk
  end type hyperplane_grid

  type, bind(c) :: csr_arrays
    integer(c_size_t) :: struct_size
    integer(c_int64_t) :: rows
    integer(c_int64_t) :: entries
    integer(c_int) :: block_size
    integer(c_int) :: order
    integer(c_int) :: index_type
    type(c_ptr) :: row_offsets
    type(c_ptr) :: columns
    type(c_ptr) :: values
    integer(c_int64_t) :: value_count
    integer(c_int) :: unknowns_per_point
  end type csr_arrays

  interface
    function c_initialize() bind(c, name='hyperplane_initialize') result(status)
      import :: c_int
      integer(c_int) :: status
    end function c_initialize
    function c_finalize() bind(c, name='hyperplane_finalize') result(status)
      import :: c_int
      integer(c_int) :: status
    end function c_finalize
    function c_is_initialized() bind(c, name='hyperplane_is_initialized') result(status)
      import :: c_int
      integer(c_int) :: status
    end function c_is_initialized
    function c_has_block_size(n) bind(c, name='hyperplane_has_block_size') result(status)
      import :: c_int
      integer(c_int), value :: n
      integer(c_int) :: status
    end function c_has_block_size
    function c_retain(handle) bind(c, name='hyperplane_retain') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: handle
      integer(c_int) :: status
    end function c_retain
    function c_free(handle) bind(c, name='hyperplane_free') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: handle
      integer(c_int) :: status
    end function c_free
    function c_context_create(backend, stream, context) &
      bind(c, name='hyperplane_context_create') result(status)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: backend(*)
      type(c_ptr), value :: stream
      type(c_ptr), intent(out) :: context
      integer(c_int) :: status
    end function c_context_create
    function c_context_fence(context) bind(c, name='hyperplane_context_fence') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: context
      integer(c_int) :: status
    end function c_context_fence
    function c_context_concurrency(context, concurrency) bind(c, name='hyperplane_context_concurrency') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: context
      integer(c_int), intent(out) :: concurrency
      integer(c_int) :: status
    end function c_context_concurrency
    function c_context_backend(context, name) bind(c, name='hyperplane_context_backend') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: name
      integer(c_int) :: status
    end function c_context_backend
    function c_vector_create(context, grid, n, vector) bind(c, name='hyperplane_vector_create') result(status)
      import :: c_ptr, c_int, hyperplane_grid
      type(c_ptr), value :: context
      type(hyperplane_grid), value :: grid
      integer(c_int), value :: n
      type(c_ptr), intent(out) :: vector
      integer(c_int) :: status
    end function c_vector_create
    function c_vector_set(vector, values, count, space) bind(c, name='hyperplane_vector_set') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: vector
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_vector_set
    function c_vector_get(vector, values, count, space) bind(c, name='hyperplane_vector_get') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: vector
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_vector_get
    function c_vector_mask(vector, mask, count, space) bind(c, name='hyperplane_vector_mask') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: vector, mask
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_vector_mask
    function c_matrix_mask(matrix, mask, count, space) bind(c, name='hyperplane_matrix_mask') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: matrix, mask
      integer(c_int64_t), value :: count
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_matrix_mask
    function c_vector_fill(vector, number) bind(c, name='hyperplane_vector_fill') result(status)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: vector
      real(c_double), value :: number
      integer(c_int) :: status
    end function c_vector_fill
    function c_matrix_create(context, grid, n, storage, matrix) &
      bind(c, name='hyperplane_matrix_create') result(status)
      import :: c_ptr, c_int, hyperplane_grid
      type(c_ptr), value :: context
      type(hyperplane_grid), value :: grid
      integer(c_int), value :: n
      integer(c_int), value :: storage
      type(c_ptr), intent(out) :: matrix
      integer(c_int) :: status
    end function c_matrix_create
    function c_matrix_set(matrix, values, count, order, space) &
      bind(c, name='hyperplane_matrix_set') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: matrix
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
      integer(c_int), value :: order
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_matrix_set
    function c_matrix_get(matrix, values, count, order, space) &
      bind(c, name='hyperplane_matrix_get') result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: matrix
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
      integer(c_int), value :: order
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_matrix_get
    function c_csr_init(csr) bind(c, name='hyperplane_csr_init') result(status)
      import :: c_int, csr_arrays
      type(csr_arrays), intent(out) :: csr
      integer(c_int) :: status
    end function c_csr_init
    function c_matrix_set_csr(matrix, csr, space) bind(c, name='hyperplane_matrix_set_csr') result(status)
      import :: c_ptr, c_int, csr_arrays
      type(c_ptr), value :: matrix
      type(csr_arrays), intent(in) :: csr
      integer(c_int), value :: space
      integer(c_int) :: status
    end function c_matrix_set_csr
    function c_matrix_apply(a, x, y) bind(c, name='hyperplane_matrix_apply') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: a, x, y
      integer(c_int) :: status
    end function c_matrix_apply
    function c_matrix_residual(a, b, x, r) bind(c, name='hyperplane_matrix_residual') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: a, b, x, r
      integer(c_int) :: status
    end function c_matrix_residual
    function c_matrix_transpose(a, transpose) bind(c, name='hyperplane_matrix_transpose') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      type(c_ptr), intent(out) :: transpose
      integer(c_int) :: status
    end function c_matrix_transpose
    function c_matrix_create_narrowed(a, storage, narrowed) &
      bind(c, name='hyperplane_matrix_create_narrowed') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      integer(c_int), value :: storage
      type(c_ptr), intent(out) :: narrowed
      integer(c_int) :: status
    end function c_matrix_create_narrowed
    function c_matrix_narrow(narrowed) bind(c, name='hyperplane_matrix_narrow') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: narrowed
      integer(c_int) :: status
    end function c_matrix_narrow
    function c_matrix_choose_parts(a, count, parts) bind(c, name='hyperplane_matrix_choose_parts') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: a
      integer(c_int), value :: count
      integer(c_int), intent(out) :: parts(3)
      integer(c_int) :: status
    end function c_matrix_choose_parts
    function c_version() bind(c, name='hyperplane_version') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_version
    function c_backends() bind(c, name='hyperplane_backends') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_backends
    function c_last_error_message() bind(c, name='hyperplane_last_error_message') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_last_error_message
    subroutine c_keep_error(status) bind(c, name='hyperplane_keep_error')
      import :: c_int
      integer(c_int), value :: status
    end subroutine c_keep_error
    function c_take_error(message) bind(c, name='hyperplane_take_error') result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: message
      integer(c_int) :: status
    end function c_take_error
    function c_strlen(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

end module hyperplane_c_functions
