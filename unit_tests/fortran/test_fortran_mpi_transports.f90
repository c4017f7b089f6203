! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> How values come from rank to rank, from Fortran: asked for, and asked.
program test_fortran_mpi_transports
  use, intrinsic :: iso_c_binding, only: c_int
  use :: expectations
  use :: hyperplane
  use :: hyperplane_mpi
  use :: mpi_f08
  implicit none

  integer :: all_failures

  call MPI_Init()
  call hyperplane_initialize()
  call check_transports()
  call hyperplane_finalize()
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (all_failures > 0) error stop 1

contains

  subroutine check_transports()
    type(hyperplane_context) :: context
    type(hyperplane_mpi_grid) :: grid
    type(hyperplane_matrix) :: a, of_one_grid
    type(hyperplane_preconditioner) :: m
    integer(c_int) :: transport
    logical :: through_devices
    integer :: stat
    call context%create()
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [1, 1, 2])
    call grid%set_transport(HYPERPLANE_TRANSPORT_HOST, stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'a transport')
    call grid%make_matrix(1, a)
    call hyperplane_get_transport(a, transport)
    call expect(transport == HYPERPLANE_TRANSPORT_HOST, 'the transport of a matrix')
    call grid%make_preconditioner(1, m, coupling=HYPERPLANE_COUPLING_NATURAL)
    call hyperplane_get_transport(m, transport, through_devices)
    call expect(transport == HYPERPLANE_TRANSPORT_HOST .and. .not. through_devices, 'the transport of a preconditioner')
    call grid%set_transport(HYPERPLANE_TRANSPORT_PEER + 1_c_int, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'transport is 4, expected 0 to 3')
    call of_one_grid%create(context, hyperplane_grid(4, 7, 5), 1)
    call hyperplane_get_transport(of_one_grid, transport, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'a is not over ranks')
    call expect(transport == HYPERPLANE_TRANSPORT_AUTOMATIC, 'no transport')
  end subroutine check_transports

end program test_fortran_mpi_transports
