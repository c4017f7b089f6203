// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/detail/krylov_over_ranks.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// n unknowns for each point of a DistributedGrid: each rank has those of its grid blocks, as a MultiBlockVector. A
/// KrylovVector: BiCgStab, Fgmres and Richardson take it, with sums over all ranks.
///
/// A shared handle with the semantics of a Kokkos::View. Padding is zero, see BlockVector. The constructor is
/// collective and allocates on the given instance: where that fails on a rank, all ranks throw Error. Nothing else here
/// allocates or is collective.
template <Real Scalar, int n, ExecutionSpace Exec>
class DistributedVector {
 public:
  using Local = MultiBlockVector<Scalar, n, Exec>;
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  static constexpr int vector_length = Local::vector_length;
  using Block = typename Local::Block;

  /// Allocates and sets to zero.
  DistributedVector(const Exec& exec, const DistributedGrid& grid,
                    const std::string& label = "Hyperplane::DistributedVector")
      : m_grid(grid), m_local(grid.communicator().agree([&] { return Local(exec, grid.local(), label); })) {}

  /// A handle of values that exist: flat() of a vector with as many unknowns on this grid. Of each rank by itself:
  /// throws Error where the number of values is another one.
  DistributedVector(const DistributedGrid& grid, const typename Local::Storage::Flat& values)
      : m_grid(grid), m_local(grid.local(), values) {}

  const DistributedGrid& grid() const { return m_grid; }
  /// The part of a grid block, by its number in the whole grid. Throws Error where another rank has it.
  Block block(int number) const { return m_local.block(m_grid.local_number(number)); }
  /// The part of this rank.
  const Local& local() const { return m_local; }
  /// All of this rank's storage as one contiguous array, padding (zeros) included. Not empty where this rank has no
  /// grid blocks: it is padding then.
  const typename Local::Storage::Flat& flat() const { return m_local.flat(); }

 private:
  DistributedGrid m_grid;
  Local m_local;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
