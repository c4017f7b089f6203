! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> The part of hyperplane_csr.h that the Fortran module needs, for general matrices.
module hyperplane_c_csr
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, c_ptr, c_size_t
  use :: hyperplane_c_functions, only: csr_arrays
  use :: hyperplane_c_solvers, only: krylov_options
  implicit none
  public

  type, bind(c) :: csr_preconditioner_options
    integer(c_size_t) :: struct_size
    integer(c_int) :: kind
    integer(c_int) :: fill
    real(c_double) :: drop_tolerance
    integer(c_int) :: row_entries
    integer(c_int) :: order
    type(c_ptr) :: given_order
    integer(c_int64_t) :: given_count
    integer(c_int) :: transposed
    real(c_double) :: relaxation
    real(c_double) :: pivot_shift
    integer(c_int) :: storage
    real(c_double) :: storage_fraction
    integer(c_int) :: line_sweeps
    real(c_double) :: strong_coupling
    type(c_ptr) :: line_offsets
    integer(c_int64_t) :: line_count
    type(c_ptr) :: line_points
    integer(c_int64_t) :: line_point_count
  end type csr_preconditioner_options

  interface
    function c_csr_matrix_create(context, csr, space, matrix) &
      bind(c, name='hyperplane_csr_matrix_create') result(status)
      import :: c_int, c_ptr, csr_arrays
      type(c_ptr), value :: context
      type(csr_arrays), intent(in) :: csr
      integer(c_int), value :: space
      type(c_ptr), intent(out) :: matrix
      integer(c_int) :: status
    end function c_csr_matrix_create
    function c_csr_vector_create(context, points, n, vector) &
      bind(c, name='hyperplane_csr_vector_create') result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: points
      integer(c_int), value :: n
      type(c_ptr), intent(out) :: vector
      integer(c_int) :: status
    end function c_csr_vector_create
    function c_csr_preconditioner_options_init(options) &
      bind(c, name='hyperplane_csr_preconditioner_options_init') result(status)
      import :: c_int, csr_preconditioner_options
      type(csr_preconditioner_options), intent(out) :: options
      integer(c_int) :: status
    end function c_csr_preconditioner_options_init
    function c_csr_preconditioner_create(a, options, preconditioner) &
      bind(c, name='hyperplane_csr_preconditioner_create') result(status)
      import :: c_int, c_ptr, csr_preconditioner_options
      type(c_ptr), value :: a
      type(csr_preconditioner_options), intent(in) :: options
      type(c_ptr), intent(out) :: preconditioner
      integer(c_int) :: status
    end function c_csr_preconditioner_create
    function c_csr_preconditioner_create_named(a, name, options, preconditioner) &
      bind(c, name='hyperplane_csr_preconditioner_create_named') result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: a
      character(kind=c_char), intent(in) :: name(*), options(*)
      type(c_ptr), intent(out) :: preconditioner
      integer(c_int) :: status
    end function c_csr_preconditioner_create_named
    function c_csr_preconditioner_replaced(preconditioner, count, first) &
      bind(c, name='hyperplane_csr_preconditioner_replaced') result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: preconditioner
      integer(c_int64_t), intent(out) :: count, first
      integer(c_int) :: status
    end function c_csr_preconditioner_replaced
    function c_csr_preconditioners() bind(c, name='hyperplane_csr_preconditioners') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_csr_preconditioners
    function c_csr_krylov_create(context, points, n, options, krylov) &
      bind(c, name='hyperplane_csr_krylov_create') result(status)
      import :: c_int, c_int64_t, c_ptr, krylov_options
      type(c_ptr), value :: context
      integer(c_int64_t), value :: points
      integer(c_int), value :: n
      type(krylov_options), intent(in) :: options
      type(c_ptr), intent(out) :: krylov
      integer(c_int) :: status
    end function c_csr_krylov_create
  end interface

contains

  !> Numbers from 1 as C has them: it is given no null where there are none.
  subroutine give_numbers(numbers, from_0, pointer, count)
    integer(c_int64_t), intent(in) :: numbers(:)
    integer(c_int64_t), intent(out), allocatable, target :: from_0(:)
    type(c_ptr), intent(out) :: pointer
    integer(c_int64_t), intent(out) :: count
    allocate (from_0(max(1, size(numbers))), source=0_c_int64_t)
    from_0(:size(numbers)) = numbers - 1
    pointer = c_loc(from_0)
    count = size(numbers, kind=c_int64_t)
  end subroutine give_numbers

end module hyperplane_c_csr
