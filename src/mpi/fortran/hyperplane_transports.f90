! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> How values come from rank to rank of MPI: a part of the module hyperplane_mpi.
module hyperplane_transports
  use, intrinsic :: iso_c_binding, only: c_int
  use :: hyperplane, only: hyperplane_matrix, hyperplane_preconditioner
  use :: hyperplane_base, only: report
  use :: hyperplane_c_mpi, only: c_matrix_transport, c_preconditioner_transport
  implicit none
  private

  integer(c_int), parameter, public :: HYPERPLANE_TRANSPORT_AUTOMATIC = 0, HYPERPLANE_TRANSPORT_HOST = 1, &
                                       HYPERPLANE_TRANSPORT_GPU_AWARE = 2, HYPERPLANE_TRANSPORT_PEER = 3

  !> hyperplane_get_transport(a, transport, stat) or hyperplane_get_transport(m, transport, through_devices, stat): the one
  !> that a matrix or a preconditioner over ranks has, HYPERPLANE_TRANSPORT_HOST where nothing is coupled, and whether
  !> kernels of the preconditioner go on from the device of a rank to that of the next one.
  interface hyperplane_get_transport
    module procedure :: get_matrix_transport, get_preconditioner_transport
  end interface hyperplane_get_transport
  public :: hyperplane_get_transport

contains

  subroutine get_matrix_transport(a, transport, stat)
    type(hyperplane_matrix), intent(in) :: a
    integer(c_int), intent(out) :: transport
    integer, intent(out), optional :: stat
    transport = HYPERPLANE_TRANSPORT_AUTOMATIC
    call report(c_matrix_transport(a%handle, transport), stat)
  end subroutine get_matrix_transport

  subroutine get_preconditioner_transport(m, transport, through_devices, stat)
    type(hyperplane_preconditioner), intent(in) :: m
    integer(c_int), intent(out) :: transport
    logical, intent(out), optional :: through_devices
    integer, intent(out), optional :: stat
    integer(c_int) :: goes
    transport = HYPERPLANE_TRANSPORT_AUTOMATIC
    goes = 0
    call report(c_preconditioner_transport(m%handle, transport, goes), stat)
    if (present(through_devices)) through_devices = goes /= 0
  end subroutine get_preconditioner_transport

end module hyperplane_transports
