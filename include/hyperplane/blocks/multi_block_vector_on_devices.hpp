// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/spread_layout.hpp>
#include <hyperplane/grid/spread_values.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/grid/spread_values_cuda.hpp>
#endif

#include <cstdint>
#include <memory>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Where vectors on a grid over devices have their parts.
template <class Scalar, int n, ExecutionSpace Exec>
SpreadLayout spread_layout(const MultiBlockGridOnDevices<Exec>& grid) {
  constexpr int W = vector_length_v<Scalar, Exec>;
  std::vector<std::int64_t> packs;
  for (int p = 0; p < grid.count(); ++p) packs.push_back(BlockPacks<W>(grid.part(p)).count());
  return {packs, std::int64_t{n} * W, SpreadValues<Scalar, Exec>::unit(grid.instances())};
}

}  // namespace detail

/// n unknowns for each point of a MultiBlockGridOnDevices: each grid block has its values as a BlockVector, in the
/// memory of its device. A KrylovVector.
///
/// The addresses of all parts follow one another, and every device reads all of them, over the links between devices
/// where they are not its own. A shared handle with the semantics of a Kokkos::View, whose grid blocks are there as
/// long as one of the handles. Padding is zero, see BlockVector. The constructor allocates; on CUDA from the driver,
/// which no Kokkos tool sees, a multiple of 2 MiB for each part, and the end of the last handle waits for all devices.
template <Real Scalar, int n, ExecutionSpace Exec>
class MultiBlockVectorOnDevices {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Part = MultiBlockVector<Scalar, n, Exec>;
  using Block = typename Part::Block;
  using Flat = typename Part::Storage::Flat;
  static constexpr int block_size = n;
  static constexpr int vector_length = Part::vector_length;

  /// Allocates and sets to zero. Waits for the instance unless that is one of CUDA.
  MultiBlockVectorOnDevices(const Exec& exec, const MultiBlockGridOnDevices<Exec>& grid)
      : MultiBlockVectorOnDevices(exec, grid, detail::spread_layout<Scalar, n>(grid)) {}

  const MultiBlockGridOnDevices<Exec>& grid() const { return m_grid; }
  /// The part of a grid block, a handle of the same values. What is launched on them is on the instance of the grid
  /// block's part, or is over before something works on all parts.
  Block block(int number) const { return part(m_grid.owner(number)).block(m_grid.place(number)); }
  /// The grid blocks of part p.
  const Part& part(int p) const { return (*m_parts)[detail::as_size(p)]; }
  /// All of the storage as one contiguous array, padding (zeros) included, and gaps (zeros) between parts.
  const Flat& flat() const { return m_values.flat(); }
  /// Where a part begins in flat().
  std::int64_t first_value(int p) const { return part(p).flat().data() - flat().data(); }

 private:
  MultiBlockVectorOnDevices(const Exec& exec, const MultiBlockGridOnDevices<Exec>& grid,
                            const detail::SpreadLayout& layout)
      : m_grid(grid), m_values(exec, grid.instances(), layout), m_parts(std::make_shared<std::vector<Part>>()) {
    for (int p = 0; p < grid.count(); ++p) {
      auto const begin = layout.first_value(p);
      m_parts->emplace_back(grid.part(p), Flat(flat().data() + begin, detail::as_size(layout.values(p))));
    }
  }

  MultiBlockGridOnDevices<Exec> m_grid;
  detail::SpreadValues<Scalar, Exec> m_values;
  std::shared_ptr<std::vector<Part>> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
