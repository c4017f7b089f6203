! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> The part of hyperplane_mpi.h that the Fortran module needs.
module hyperplane_c_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use :: hyperplane_c_functions, only: hyperplane_grid
  use :: hyperplane_c_solvers, only: krylov_options, preconditioner_options
  implicit none
  public

  type, bind(c) :: c_interface
    integer(c_int) :: block, donor, face
    integer(c_int) :: begin(3), end(3), donor_begin(3), transform(3)
  end type c_interface

  interface
    function c_grid_create(context, comm, block_count, blocks, interface_count, interfaces, owners, owner_count, grid) &
      bind(c, name='hyperplane_mpi_grid_create_f') result(status)
      import :: c_int, c_interface, c_ptr, hyperplane_grid
      type(c_ptr), value :: context
      integer(c_int), value :: comm, block_count, interface_count, owner_count
      type(hyperplane_grid), intent(in) :: blocks(*)
      type(c_interface), intent(in) :: interfaces(*)
      integer(c_int), intent(in), optional :: owners(*)
      type(c_ptr), intent(out) :: grid
      integer(c_int) :: status
    end function c_grid_create
    function c_grid_cut(context, comm, whole, parts, periodic, owners, owner_count, grid) &
      bind(c, name='hyperplane_mpi_grid_cut_f') result(status)
      import :: c_int, c_ptr, hyperplane_grid
      type(c_ptr), value :: context
      integer(c_int), value :: comm, owner_count
      type(hyperplane_grid), value :: whole
      integer(c_int), intent(in) :: parts(3), periodic(3)
      integer(c_int), intent(in), optional :: owners(*)
      type(c_ptr), intent(out) :: grid
      integer(c_int) :: status
    end function c_grid_cut
    function c_choose_parts(whole, count, parts) bind(c, name='hyperplane_mpi_choose_parts') result(status)
      import :: c_int, hyperplane_grid
      type(hyperplane_grid), value :: whole
      integer(c_int), value :: count
      integer(c_int), intent(inout) :: parts(3)
      integer(c_int) :: status
    end function c_choose_parts
    function c_grid_blocks(grid, numbers, capacity, count) bind(c, name='hyperplane_mpi_grid_blocks') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: numbers(*)
      integer(c_int), value :: capacity
      integer(c_int), intent(inout) :: count
      integer(c_int) :: status
    end function c_grid_blocks
    function c_grid_owner(grid, block, rank) bind(c, name='hyperplane_mpi_grid_owner') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), value :: block
      integer(c_int), intent(inout) :: rank
      integer(c_int) :: status
    end function c_grid_owner
    function c_grid_size(grid, block, size) bind(c, name='hyperplane_mpi_grid_size') result(status)
      import :: c_int, c_ptr, hyperplane_grid
      type(c_ptr), value :: grid
      integer(c_int), value :: block
      type(hyperplane_grid), intent(inout) :: size
      integer(c_int) :: status
    end function c_grid_size
    function c_grid_first(grid, block, first) bind(c, name='hyperplane_mpi_grid_first') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), value :: block
      integer(c_int), intent(inout) :: first(3)
      integer(c_int) :: status
    end function c_grid_first
    function c_set_transport(grid, transport) bind(c, name='hyperplane_mpi_grid_set_transport') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), value :: transport
      integer(c_int) :: status
    end function c_set_transport
    function c_matrix_transport(a, transport) bind(c, name='hyperplane_mpi_matrix_transport') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      integer(c_int), intent(inout) :: transport
      integer(c_int) :: status
    end function c_matrix_transport
    function c_preconditioner_transport(m, transport, through_devices) &
      bind(c, name='hyperplane_mpi_preconditioner_transport') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: m
      integer(c_int), intent(inout) :: transport, through_devices
      integer(c_int) :: status
    end function c_preconditioner_transport
    function c_vector_create(grid, n, vector) bind(c, name='hyperplane_mpi_vector_create') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), value :: n
      type(c_ptr), intent(out) :: vector
      integer(c_int) :: status
    end function c_vector_create
    function c_matrix_create(grid, n, matrix) bind(c, name='hyperplane_mpi_matrix_create') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), value :: n
      type(c_ptr), intent(out) :: matrix
      integer(c_int) :: status
    end function c_matrix_create
    function c_vector_block(vector, block, part) bind(c, name='hyperplane_mpi_vector_block') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: vector
      integer(c_int), value :: block
      type(c_ptr), intent(out) :: part
      integer(c_int) :: status
    end function c_vector_block
    function c_matrix_block(matrix, block, part) bind(c, name='hyperplane_mpi_matrix_block') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: matrix
      integer(c_int), value :: block
      type(c_ptr), intent(out) :: part
      integer(c_int) :: status
    end function c_matrix_block
    function c_preconditioner_create(grid, n, options, preconditioner) &
      bind(c, name='hyperplane_mpi_preconditioner_create') result(status)
      import :: c_int, c_ptr, preconditioner_options
      type(c_ptr), value :: grid
      integer(c_int), value :: n
      type(preconditioner_options), intent(in) :: options
      type(c_ptr), intent(out) :: preconditioner
      integer(c_int) :: status
    end function c_preconditioner_create
    function c_krylov_create(grid, n, options, krylov) bind(c, name='hyperplane_mpi_krylov_create') result(status)
      import :: c_int, c_ptr, krylov_options
      type(c_ptr), value :: grid
      integer(c_int), value :: n
      type(krylov_options), intent(in) :: options
      type(c_ptr), intent(out) :: krylov
      integer(c_int) :: status
    end function c_krylov_create
  end interface

end module hyperplane_c_mpi
