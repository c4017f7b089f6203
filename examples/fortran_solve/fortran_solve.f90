! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Solves a seven-point system of five unknowns per point with BiCGStab and BILU(0), from Fortran: fortran_solve [FILE]
! writes the bits of the solution to a file. The environment's HYPERPLANE_BACKEND says where.
program fortran_solve
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  use :: hyperplane
  implicit none

  integer, parameter :: ni = 20, nj = 12, nk = 9, n = 5, points = ni * nj * nk
  type(hyperplane_grid), parameter :: grid = hyperplane_grid(ni, nj, nk)
  type(hyperplane_context) :: context
  type(hyperplane_matrix) :: a
  type(hyperplane_vector) :: b, x
  type(hyperplane_preconditioner) :: ilu
  type(hyperplane_krylov) :: bicgstab
  type(hyperplane_result) :: result
  real(c_double), allocatable :: values(:, :, :, :), rhs(:, :), solution(:, :)
  character(len=:), allocatable :: message
  character(len=1000) :: path
  integer :: stat

  allocate (values(n, n, 7, points), rhs(n, points), solution(n, points))
  call assemble()

  ! Calls without stat: the first error is asked for at the end.
  call hyperplane_initialize()
  call context%create()
  call a%create(context, grid, n)
  call a%set(values)
  call b%create(context, grid, n)
  call x%create(context, grid, n)
  call b%set(rhs)
  call ilu%create(context, grid, n, kind=HYPERPLANE_BILU0)
  call ilu%factor(a)
  call ilu%check()
  call bicgstab%create(context, grid, n, method=HYPERPLANE_BICGSTAB, tolerance=1e-10_c_double)
  call bicgstab%solve(a, b, x, result, preconditioner=ilu)
  call x%get(solution)
  call hyperplane_take_error(stat, message)
  if (stat /= HYPERPLANE_SUCCESS) then
    write (error_unit, '(2a)') 'fortran_solve: ', message
    stop 1
  end if
  write (*, '(2a, i0, a, es9.3, a, es9.3)') context%backend(), ': iterations ', result%iterations, ', residual ', &
    result%residual_norm, ' of ', result%rhs_norm

  if (command_argument_count() > 0) then
    call get_command_argument(1, path)
    call write_bits()
  end if
  call hyperplane_finalize()
  if (result%outcome /= HYPERPLANE_CONVERGED) stop 2

contains

  ! Convection and diffusion; unknowns are coupled at each point.
  subroutine assemble()
    integer :: point, r, c
    values = 0
    do point = 1, points
      do c = 1, n
        do r = 1, n
          values(r, c, HYPERPLANE_CENTER, point) = merge(7.0_c_double, 0.125_c_double * (c - r), r == c)
        end do
      end do
      do r = 1, n
        values(r, r, HYPERPLANE_WEST, point) = -1.5_c_double
        values(r, r, HYPERPLANE_EAST, point) = -0.5_c_double
        values(r, r, HYPERPLANE_SOUTH, point) = -1.25_c_double
        values(r, r, HYPERPLANE_NORTH, point) = -0.75_c_double
        values(r, r, HYPERPLANE_BOTTOM, point) = -1.0_c_double
        values(r, r, HYPERPLANE_TOP, point) = -1.0_c_double
        rhs(r, point) = 1 + 0.125_c_double * mod((point - 1) * n + r - 1, 7)
      end do
    end do
  end subroutine assemble

  subroutine write_bits()
    integer :: unit, point, r
    open (newunit=unit, file=trim(path), action='write', status='replace')
    do point = 1, points
      do r = 1, n
        write (unit, '(z16.16)') transfer(solution(r, point), 0_c_int64_t)
      end do
    end do
    close (unit)
  end subroutine write_bits

end program fortran_solve
