! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Grid blocks over ranks of MPI, beside the module hyperplane. Vectors, matrices, preconditioners and Krylov methods that
!> are made here are those of that module, and do the same; hyperplane_mpi.h says which calls all ranks make together. Grid
!> blocks and points count from 1.
module hyperplane_mpi
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_ptr
  use :: hyperplane
  use :: hyperplane_base, only: report, take
  use :: hyperplane_c_mpi
  use :: hyperplane_c_solvers, only: krylov_options, preconditioner_options, preconditioner_options_with
  use :: hyperplane_krylov_methods, only: krylov_options_with
  use :: hyperplane_transports
  implicit none
  private

  !> Where two grid blocks meet one to one, as 1-to-1 connectivity of CGNS has it: the points first <= (i, j, k) <= last of
  !> one layer on a face of block (HYPERPLANE_WEST, ...), of which the first one's neighbour is donor_first in the
  !> donor. i, j and k run along axes transform of the donor, backwards where that is negative.
  type, public :: hyperplane_interface
    integer :: block = 0, donor = 0, face = 0
    integer :: first(3) = 0, last(3) = 0, donor_first(3) = 0
    integer :: transform(3) = [1, 2, 3]
  end type hyperplane_interface

  !> Grid blocks over ranks. create(context, comm, blocks, interfaces, owners, stat), or cut(context, comm, whole, parts,
  !> owners, periodic, stat) of one grid, whose last points are neighbours of the first where a direction is periodic;
  !> comm is what MPI's Fortran has for a communicator (of mpi_f08: comm%MPI_VAL), owners are ranks, from 0.
  !> own_blocks(blocks, stat): those of this rank; owner(block, stat); block_size(block, stat); block_first(block, stat):
  !> the first point in the grid that was cut. set_transport(transport, stat): how values come from rank to rank, of what
  !> is made from then on. make_vector(n, vector, stat), make_matrix(n, a, stat), make_preconditioner(n, m, kind, path,
  !> coupling, relaxation, alpha, line_directions, line_sweeps, folded, storage, storage_fraction, stat), make_krylov(n,
  !> krylov, method, tolerance, max_iterations, restart, check_interval, monitor, monitor_data, absolute_tolerance,
  !> recycled, stat): over the ranks.
  type, extends(hyperplane_object), public :: hyperplane_mpi_grid
  contains
    procedure :: create => grid_create
    procedure :: cut => grid_cut
    procedure :: own_blocks => grid_own_blocks
    procedure :: owner => grid_owner
    procedure :: block_size => grid_block_size
    procedure :: block_first => grid_block_first
    procedure :: set_transport => grid_set_transport
    procedure :: make_vector => grid_make_vector
    procedure :: make_matrix => grid_make_matrix
    procedure :: make_preconditioner => grid_make_preconditioner
    procedure :: make_krylov => grid_make_krylov
  end type hyperplane_mpi_grid

  !> hyperplane_get_block(whole, block, part, stat): the values of a grid block of this rank, as a vector or a matrix of
  !> one grid.
  interface hyperplane_get_block
    module procedure :: get_vector_block, get_matrix_block
  end interface hyperplane_get_block
  public :: hyperplane_get_block, hyperplane_choose_parts, hyperplane_get_transport, HYPERPLANE_TRANSPORT_AUTOMATIC, &
            HYPERPLANE_TRANSPORT_HOST, HYPERPLANE_TRANSPORT_GPU_AWARE, HYPERPLANE_TRANSPORT_PEER

contains

  subroutine grid_create(this, context, comm, blocks, interfaces, owners, stat)
    class(hyperplane_mpi_grid), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer, intent(in) :: comm
    type(hyperplane_grid), intent(in) :: blocks(:)
    type(hyperplane_interface), intent(in) :: interfaces(:)
    integer, intent(in), optional :: owners(:)
    integer, intent(out), optional :: stat
    type(c_interface) :: given(size(interfaces))
    integer(c_int), allocatable :: ranks(:)
    type(c_ptr) :: made
    integer(c_int) :: status, count
    integer :: i
    call set_ranks(owners, ranks, count)
    do i = 1, size(interfaces)
      given(i) = to_c(interfaces(i))
    end do
    status = c_grid_create(context%handle, int(comm, c_int), size(blocks, kind=c_int), blocks, &
                           size(interfaces, kind=c_int), given, ranks, count, made)
    call take(this, made, status, stat)
  end subroutine grid_create

  !> From 0, and what comes behind the last point.
  elemental function to_c(from) result(to)
    type(hyperplane_interface), intent(in) :: from
    type(c_interface) :: to
    to%block = int(from%block - 1, c_int)
    to%donor = int(from%donor - 1, c_int)
    to%face = int(from%face - 1, c_int)
    to%begin = int(from%first - 1, c_int)
    to%end = int(from%last, c_int)
    to%donor_begin = int(from%donor_first - 1, c_int)
    to%transform = int(from%transform, c_int)
  end function to_c

  !> Where there are no owners, ranks is not allocated, and so not given to C. Of no owners, C wants an address.
  subroutine set_ranks(owners, ranks, count)
    integer, intent(in), optional :: owners(:)
    integer(c_int), allocatable, intent(out) :: ranks(:)
    integer(c_int), intent(out) :: count
    count = 0
    if (.not. present(owners)) return
    count = size(owners, kind=c_int)
    allocate (ranks(max(1, count)), source=-1_c_int)
    ranks(1:count) = int(owners, c_int)
  end subroutine set_ranks

  subroutine grid_cut(this, context, comm, whole, parts, owners, periodic, stat)
    class(hyperplane_mpi_grid), intent(inout) :: this
    type(hyperplane_context), intent(in) :: context
    integer, intent(in) :: comm
    type(hyperplane_grid), intent(in) :: whole
    integer, intent(in) :: parts(3)
    integer, intent(in), optional :: owners(:)
    logical, intent(in), optional :: periodic(3)
    integer, intent(out), optional :: stat
    integer(c_int), allocatable :: ranks(:)
    type(c_ptr) :: made
    integer(c_int) :: status, count, around(3)
    around = 0
    if (present(periodic)) around = merge(1_c_int, 0_c_int, periodic)
    call set_ranks(owners, ranks, count)
    status = c_grid_cut(context%handle, int(comm, c_int), whole, int(parts, c_int), around, ranks, count, made)
    call take(this, made, status, stat)
  end subroutine grid_cut

  !> How to cut a grid into so many parts(3) by its shape alone.
  subroutine hyperplane_choose_parts(whole, count, parts, stat)
    type(hyperplane_grid), intent(in) :: whole
    integer, intent(in) :: count
    integer, intent(out) :: parts(3)
    integer, intent(out), optional :: stat
    integer(c_int) :: found(3)
    found = 1
    call report(c_choose_parts(whole, int(count, c_int), found), stat)
    parts = found
  end subroutine hyperplane_choose_parts

  !> The grid blocks of this rank, rising.
  subroutine grid_own_blocks(this, blocks, stat)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, allocatable, intent(out) :: blocks(:)
    integer, intent(out), optional :: stat
    integer(c_int), allocatable :: numbers(:)
    integer(c_int) :: count, capacity, status
    count = 0
    allocate (numbers(0))
    status = c_grid_blocks(this%handle, numbers, 0_c_int, count)
    if (status == HYPERPLANE_SUCCESS) then
      deallocate (numbers)
      capacity = count
      allocate (numbers(capacity))
      status = c_grid_blocks(this%handle, numbers, capacity, count)
    end if
    blocks = int(numbers) + 1
    call report(status, stat)
  end subroutine grid_own_blocks

  !> The rank that has a grid block, from 0; -1 where there is no such grid block.
  function grid_owner(this, block, stat) result(rank)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, intent(in) :: block
    integer, intent(out), optional :: stat
    integer :: rank
    integer(c_int) :: found, status
    found = -1
    status = c_grid_owner(this%handle, int(block - 1, c_int), found)
    rank = found
    call report(status, stat)
  end function grid_owner

  !> The points of a grid block; 0 where there is no such grid block.
  function grid_block_size(this, block, stat) result(points)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, intent(in) :: block
    integer, intent(out), optional :: stat
    type(hyperplane_grid) :: points
    integer(c_int) :: status
    points = hyperplane_grid(0, 0, 0)
    status = c_grid_size(this%handle, int(block - 1, c_int), points)
    call report(status, stat)
  end function grid_block_size

  !> The first point of a grid block in the grid that was cut; 0 where there is none.
  function grid_block_first(this, block, stat) result(first)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, intent(in) :: block
    integer, intent(out), optional :: stat
    integer :: first(3)
    integer(c_int) :: found(3), status
    found = -1
    status = c_grid_first(this%handle, int(block - 1, c_int), found)
    first = found + 1
    call report(status, stat)
  end function grid_block_first

  subroutine grid_set_transport(this, transport, stat)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer(c_int), intent(in) :: transport
    integer, intent(out), optional :: stat
    call report(c_set_transport(this%handle, transport), stat)
  end subroutine grid_set_transport

  subroutine grid_make_vector(this, n, vector, stat)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, intent(in) :: n
    type(hyperplane_vector), intent(inout) :: vector
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_vector_create(this%handle, int(n, c_int), made)
    call take(vector, made, status, stat)
  end subroutine grid_make_vector

  subroutine grid_make_matrix(this, n, a, stat)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, intent(in) :: n
    type(hyperplane_matrix), intent(inout) :: a
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_matrix_create(this%handle, int(n, c_int), made)
    call take(a, made, status, stat)
  end subroutine grid_make_matrix

  !> HYPERPLANE_BILU0, _SSOR, _SIP, _LINES, _JACOBI or _IDENTITY; arguments as those of create() of one grid.
  subroutine grid_make_preconditioner(this, n, m, kind, path, coupling, relaxation, alpha, line_directions, &
                                      line_sweeps, folded, storage, storage_fraction, stat)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, intent(in) :: n
    type(hyperplane_preconditioner), intent(inout) :: m
    integer(c_int), intent(in), optional :: kind, path, coupling, storage
    real(c_double), intent(in), optional :: relaxation, alpha, storage_fraction
    integer(c_int), intent(in), optional :: line_directions(:)
    integer, intent(in), optional :: line_sweeps
    logical, intent(in), optional :: folded(3)
    integer, intent(out), optional :: stat
    type(preconditioner_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    options = preconditioner_options_with(kind, path, coupling, relaxation, alpha, line_directions, line_sweeps, folded, &
                                          storage, storage_fraction)
    status = c_preconditioner_create(this%handle, int(n, c_int), options, made)
    call take(m, made, status, stat)
  end subroutine grid_make_preconditioner

  subroutine grid_make_krylov(this, n, krylov, method, tolerance, max_iterations, restart, check_interval, monitor, &
                              monitor_data, absolute_tolerance, recycled, stat)
    class(hyperplane_mpi_grid), intent(in) :: this
    integer, intent(in) :: n
    type(hyperplane_krylov), intent(inout) :: krylov
    integer(c_int), intent(in), optional :: method
    real(c_double), intent(in), optional :: tolerance, absolute_tolerance
    integer, intent(in), optional :: max_iterations, restart, check_interval, recycled
    procedure(hyperplane_monitor), optional :: monitor
    type(c_ptr), intent(in), optional :: monitor_data
    integer, intent(out), optional :: stat
    type(krylov_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: status
    options = krylov_options_with(method, tolerance, absolute_tolerance, max_iterations, restart, check_interval, monitor, &
                                  monitor_data, recycled)
    status = c_krylov_create(this%handle, int(n, c_int), options, made)
    call take(krylov, made, status, stat)
  end subroutine grid_make_krylov

  subroutine get_vector_block(whole, block, part, stat)
    type(hyperplane_vector), intent(in) :: whole
    integer, intent(in) :: block
    type(hyperplane_vector), intent(inout) :: part
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_vector_block(whole%handle, int(block - 1, c_int), made)
    call take(part, made, status, stat)
  end subroutine get_vector_block

  subroutine get_matrix_block(whole, block, part, stat)
    type(hyperplane_matrix), intent(in) :: whole
    integer, intent(in) :: block
    type(hyperplane_matrix), intent(inout) :: part
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int) :: status
    status = c_matrix_block(whole%handle, int(block - 1, c_int), made)
    call take(part, made, status, stat)
  end subroutine get_matrix_block

end module hyperplane_mpi
