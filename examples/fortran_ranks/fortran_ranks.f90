! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The system of fortran_solve in parts over ranks of MPI, from Fortran: mpirun -n 4 fortran_ranks. There are as many parts
! as ranks, one behind the other along k, and each rank assembles its own. The environment's HYPERPLANE_BACKEND says where.
program fortran_ranks
  use, intrinsic :: iso_c_binding, only: c_double
  use, intrinsic :: iso_fortran_env, only: error_unit
  use :: hyperplane
  use :: hyperplane_mpi
  use :: mpi_f08
  implicit none

  integer, parameter :: ni = 20, nj = 12, nk = 9, n = 5
  type(hyperplane_grid), parameter :: whole = hyperplane_grid(ni, nj, nk)
  type(hyperplane_result) :: result
  integer :: rank, ranks

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call hyperplane_initialize()
  call solve()
  call hyperplane_finalize()
  call MPI_Finalize()
  if (result%outcome /= HYPERPLANE_CONVERGED) stop 2

contains

  subroutine solve()
    type(hyperplane_context) :: context
    type(hyperplane_mpi_grid) :: grid
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: b, x
    type(hyperplane_preconditioner) :: ilu
    type(hyperplane_krylov) :: bicgstab
    character(len=:), allocatable :: message
    integer :: stat

    ! Calls without stat: the first error is asked for at the end.
    call context%create()
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, whole, [1, 1, ranks])
    call grid%make_matrix(n, a)
    call grid%make_vector(n, b)
    call grid%make_vector(n, x)
    call assemble(grid, a, b)
    ! That of the whole grid, whatever the number of ranks.
    call grid%make_preconditioner(n, ilu, kind=HYPERPLANE_BILU0, coupling=HYPERPLANE_COUPLING_NATURAL)
    call ilu%factor(a)
    call ilu%check()
    call grid%make_krylov(n, bicgstab, method=HYPERPLANE_BICGSTAB, tolerance=1e-10_c_double)
    call bicgstab%solve(a, b, x, result, preconditioner=ilu)
    call hyperplane_take_error(stat, message)
    if (stat /= HYPERPLANE_SUCCESS) then
      ! What fails on one rank may let the others wait, so all end.
      write (error_unit, '(2a)') 'fortran_ranks: ', message
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    if (rank == 0) then
      write (*, '(i0, a, i0, a, es9.3, a, es9.3)') ranks, ' ranks: iterations ', result%iterations, ', residual ', &
        result%residual_norm, ' of ', result%rhs_norm
    end if
  end subroutine solve

  ! Arrays of a rank have the points of its parts, one part after the other.
  subroutine assemble(grid, a, b)
    type(hyperplane_mpi_grid), intent(in) :: grid
    type(hyperplane_matrix), intent(inout) :: a
    type(hyperplane_vector), intent(inout) :: b
    real(c_double), allocatable :: values(:, :, :, :), rhs(:, :)
    integer, allocatable :: parts(:)
    type(hyperplane_grid) :: size_of_part
    integer :: first(3), i, j, k, part, points, row

    call grid%own_blocks(parts)
    points = 0
    do part = 1, size(parts)
      size_of_part = grid%block_size(parts(part))
      points = points + size_of_part%ni * size_of_part%nj * size_of_part%nk
    end do
    allocate (values(n, n, 7, points), rhs(n, points))
    row = 0
    do part = 1, size(parts)
      size_of_part = grid%block_size(parts(part))
      first = grid%block_first(parts(part))
      do k = first(3), first(3) + size_of_part%nk - 1
        do j = first(2), first(2) + size_of_part%nj - 1
          do i = first(1), first(1) + size_of_part%ni - 1
            row = row + 1
            call assemble_point(values(:, :, :, row), rhs(:, row), i - 1 + ni * (j - 1 + nj * (k - 1)))
          end do
        end do
      end do
    end do
    call a%set(values)
    call b%set(rhs)
  end subroutine assemble

  ! Convection and diffusion; unknowns are coupled at each point. The coupling to a point of another part is set like any
  ! other; those to points out of the whole grid mean nothing.
  subroutine assemble_point(blocks, rows, point)
    real(c_double), intent(out) :: blocks(n, n, 7), rows(n)
    integer, intent(in) :: point
    integer :: r, c
    blocks = 0
    do c = 1, n
      do r = 1, n
        blocks(r, c, HYPERPLANE_CENTER) = merge(7.0_c_double, 0.125_c_double * (c - r), r == c)
      end do
      blocks(c, c, HYPERPLANE_WEST) = -1.5_c_double
      blocks(c, c, HYPERPLANE_EAST) = -0.5_c_double
      blocks(c, c, HYPERPLANE_SOUTH) = -1.25_c_double
      blocks(c, c, HYPERPLANE_NORTH) = -0.75_c_double
      blocks(c, c, HYPERPLANE_BOTTOM) = -1.0_c_double
      blocks(c, c, HYPERPLANE_TOP) = -1.0_c_double
      rows(c) = 1 + 0.125_c_double * mod(point * n + c - 1, 7)
    end do
  end subroutine assemble_point

end program fortran_ranks
