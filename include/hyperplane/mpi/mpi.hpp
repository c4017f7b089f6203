// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// All public headers of grid blocks over ranks of MPI, which hyperplane.hpp leaves out.

#include <hyperplane/blocks/assign_blocks.hpp>
#include <hyperplane/mpi/apply.hpp>
#include <hyperplane/mpi/apply_transposed.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/distributed_ghost_points.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/distributed_multi_block.hpp>
#include <hyperplane/mpi/distributed_status.hpp>
#include <hyperplane/mpi/distributed_stencil7.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>
#include <hyperplane/mpi/mask_points.hpp>
#include <hyperplane/mpi/narrow.hpp>
#include <hyperplane/mpi/transport.hpp>
