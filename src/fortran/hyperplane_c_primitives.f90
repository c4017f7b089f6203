! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Functions of hyperplane_primitives.h and hyperplane_lines.h, of hyperplane_arrays.h for boxes, and timers, for the parts
!> of the module hyperplane.
module hyperplane_c_primitives
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_null_ptr, c_ptr, c_size_t
  use :: hyperplane_c_functions, only: hyperplane_grid
  implicit none
  public

  type, bind(c) :: c_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: scalar = 2
    integer(c_int) :: space = 0
    integer(c_int) :: extents(3) = 0
    integer(c_int) :: components = 1
    integer(c_int64_t) :: strides(3) = 0
    integer(c_int64_t) :: component_stride = 0
  end type c_array

  type, bind(c) :: c_box
    integer(c_int) :: begin(3) = 0
    integer(c_int) :: end(3) = 0
  end type c_box

  type, bind(c) :: c_stencil
    real(c_double) :: values(7)
    type(c_ptr) :: arrays
  end type c_stencil

  type, bind(c) :: c_packed_box
    type(c_array) :: array
    type(c_box) :: box
    integer(c_int) :: order(3) = 0
  end type c_packed_box

  type, bind(c) :: relaxation_options
    integer(c_size_t) :: struct_size
    integer(c_int) :: kind
    integer(c_int) :: scalar
    real(c_double) :: relaxation
    integer(c_int) :: sweeps
  end type relaxation_options

  interface
    function c_vector_set_box(vector, box, values, begin) bind(c, name='hyperplane_vector_set_box') result(status)
      import :: c_array, c_box, c_int, c_ptr
      type(c_ptr), value :: vector
      type(c_box), value :: box
      type(c_array), intent(in) :: values
      integer(c_int), intent(in) :: begin(3)
      integer(c_int) :: status
    end function c_vector_set_box
    function c_matrix_set_box(matrix, box, blocks, begin, order) &
      bind(c, name='hyperplane_matrix_set_box') result(status)
      import :: c_array, c_box, c_int, c_ptr
      type(c_ptr), value :: matrix
      type(c_box), value :: box
      type(c_array), intent(in) :: blocks(7)
      integer(c_int), intent(in) :: begin(3)
      integer(c_int), value :: order
      integer(c_int) :: status
    end function c_matrix_set_box
    function c_vector_get_box(vector, box, values, begin) bind(c, name='hyperplane_vector_get_box') result(status)
      import :: c_array, c_box, c_int, c_ptr
      type(c_ptr), value :: vector
      type(c_box), value :: box
      type(c_array), intent(in) :: values
      integer(c_int), intent(in) :: begin(3)
      integer(c_int) :: status
    end function c_vector_get_box
    function c_matrix_get_box(matrix, box, blocks, begin, order) &
      bind(c, name='hyperplane_matrix_get_box') result(status)
      import :: c_array, c_box, c_int, c_ptr
      type(c_ptr), value :: matrix
      type(c_box), value :: box
      type(c_array), intent(in) :: blocks(7)
      integer(c_int), intent(in) :: begin(3)
      integer(c_int), value :: order
      integer(c_int) :: status
    end function c_matrix_get_box
    function c_array_component(array, c, component) bind(c, name='hyperplane_array_component') result(status)
      import :: c_array, c_int
      type(c_array), intent(in) :: array
      integer(c_int), value :: c
      type(c_array), intent(out) :: component
      integer(c_int) :: status
    end function c_array_component
    function c_box_face(box, face, width, from, layers) bind(c, name='hyperplane_box_face') result(status)
      import :: c_box, c_int
      type(c_box), value :: box
      integer(c_int), value :: face, width, from
      type(c_box), intent(out) :: layers
      integer(c_int) :: status
    end function c_box_face
    function c_reduce(context, reduction, box, x, res) bind(c, name='hyperplane_reduce') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int), value :: reduction
      type(c_box), value :: box
      type(c_array), intent(in) :: x
      real(c_double), intent(out) :: res
      integer(c_int) :: status
    end function c_reduce
    function c_dot(context, box, x, y, res) bind(c, name='hyperplane_dot') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      type(c_array), intent(in) :: x, y
      real(c_double), intent(out) :: res
      integer(c_int) :: status
    end function c_dot
    function c_dots(context, box, count, x, y, res) bind(c, name='hyperplane_dots') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      integer(c_int), value :: count
      type(c_array), intent(in) :: x(*), y(*)
      real(c_double), intent(out) :: res(*)
      integer(c_int) :: status
    end function c_dots
    function c_axpy_dot(context, box, alpha, x, y, z, res) bind(c, name='hyperplane_axpy_dot') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      real(c_double), value :: alpha
      type(c_array), intent(in) :: x, y, z
      real(c_double), intent(out) :: res
      integer(c_int) :: status
    end function c_axpy_dot
    function c_update_dot(context, box, alpha, p, q, x, r, res) bind(c, name='hyperplane_update_dot') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      real(c_double), value :: alpha
      type(c_array), intent(in) :: p, q, x, r
      real(c_double), intent(out) :: res
      integer(c_int) :: status
    end function c_update_dot
    function c_fill(context, box, number, x) bind(c, name='hyperplane_fill') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      real(c_double), value :: number
      type(c_array), intent(in) :: x
      integer(c_int) :: status
    end function c_fill
    function c_scale(context, box, alpha, x) bind(c, name='hyperplane_scale') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      real(c_double), value :: alpha
      type(c_array), intent(in) :: x
      integer(c_int) :: status
    end function c_scale
    function c_copy(context, box, x, y) bind(c, name='hyperplane_copy') result(status)
      import :: c_array, c_box, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      type(c_array), intent(in) :: x, y
      integer(c_int) :: status
    end function c_copy
    function c_transposed_copy(context, box, x, order, begin, y) &
      bind(c, name='hyperplane_transposed_copy') result(status)
      import :: c_array, c_box, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      type(c_array), intent(in) :: x, y
      integer(c_int), intent(in) :: order(3), begin(3)
      integer(c_int) :: status
    end function c_transposed_copy
    function c_axpy(context, box, alpha, x, y) bind(c, name='hyperplane_axpy') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      real(c_double), value :: alpha
      type(c_array), intent(in) :: x, y
      integer(c_int) :: status
    end function c_axpy
    function c_axpby(context, box, alpha, x, beta, y) bind(c, name='hyperplane_axpby') result(status)
      import :: c_array, c_box, c_double, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_box), value :: box
      real(c_double), value :: alpha, beta
      type(c_array), intent(in) :: x, y
      integer(c_int) :: status
    end function c_axpby
    function c_stencil_apply(context, box, a, x, y) bind(c, name='hyperplane_stencil_apply') result(status)
      import :: c_array, c_box, c_int, c_ptr, c_stencil
      type(c_ptr), value :: context
      type(c_box), value :: box
      type(c_stencil), intent(in) :: a
      type(c_array), intent(in) :: x, y
      integer(c_int) :: status
    end function c_stencil_apply
    function c_relaxation_options_init(options) bind(c, name='hyperplane_relaxation_options_init') result(status)
      import :: c_int, relaxation_options
      type(relaxation_options), intent(out) :: options
      integer(c_int) :: status
    end function c_relaxation_options_init
    function c_relaxation_create(context, grid, a, options, relaxation) &
      bind(c, name='hyperplane_relaxation_create') result(status)
      import :: c_int, c_ptr, c_stencil, hyperplane_grid, relaxation_options
      type(c_ptr), value :: context
      type(hyperplane_grid), value :: grid
      type(c_stencil), intent(in) :: a
      type(relaxation_options), intent(in) :: options
      type(c_ptr), intent(out) :: relaxation
      integer(c_int) :: status
    end function c_relaxation_create
    function c_relaxation_factor(relaxation) bind(c, name='hyperplane_relaxation_factor') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: relaxation
      integer(c_int) :: status
    end function c_relaxation_factor
    function c_relaxation_check(relaxation) bind(c, name='hyperplane_relaxation_check') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: relaxation
      integer(c_int) :: status
    end function c_relaxation_check
    function c_relaxation_solve(relaxation, r, z) bind(c, name='hyperplane_relaxation_solve') result(status)
      import :: c_array, c_int, c_ptr
      type(c_ptr), value :: relaxation
      type(c_array), intent(in) :: r, z
      integer(c_int) :: status
    end function c_relaxation_solve
    function c_packer_create(context, packed_boxes, count, packer) bind(c, name='hyperplane_packer_create') result(status)
      import :: c_int, c_ptr, c_packed_box
      type(c_ptr), value :: context
      type(c_packed_box), intent(in) :: packed_boxes(*)
      integer(c_int), value :: count
      type(c_ptr), intent(out) :: packer
      integer(c_int) :: status
    end function c_packer_create
    function c_packer_size(packer, length) bind(c, name='hyperplane_packer_size') result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: packer
      integer(c_int64_t), intent(out) :: length
      integer(c_int) :: status
    end function c_packer_size
    function c_packer_scalar(packer, scalar) bind(c, name='hyperplane_packer_scalar') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: packer
      integer(c_int), intent(out) :: scalar
      integer(c_int) :: status
    end function c_packer_scalar
    function c_packer_pack(packer, buffer, count) bind(c, name='hyperplane_packer_pack') result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: packer, buffer
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function c_packer_pack
    function c_packer_unpack(packer, buffer, count) bind(c, name='hyperplane_packer_unpack') result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: packer, buffer
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function c_packer_unpack
    function c_timers_start() bind(c, name='hyperplane_timers_start') result(status)
      import :: c_int
      integer(c_int) :: status
    end function c_timers_start
    function c_timers_stop() bind(c, name='hyperplane_timers_stop') result(status)
      import :: c_int
      integer(c_int) :: status
    end function c_timers_stop
    function c_timers_reset() bind(c, name='hyperplane_timers_reset') result(status)
      import :: c_int
      integer(c_int) :: status
    end function c_timers_reset
    function c_timers_report(style, text, capacity, length) bind(c, name='hyperplane_timers_report') result(status)
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: style
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function c_timers_report
  end interface

end module hyperplane_c_primitives
