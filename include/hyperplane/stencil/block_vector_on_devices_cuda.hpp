// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/grid/spread_layout.hpp>
#include <hyperplane/grid/spread_values_cuda.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// n unknowns for each point of a GridOnDevices: each part has its values as a BlockVector, in the memory of its
/// device. A KrylovVector: BiCgStab, Fgmres and Richardson take it.
///
/// The addresses of all parts follow one another, and every device reads all of them, over the links between devices
/// where they are not its own. A shared handle with the semantics of a Kokkos::View; parts are there as long as one of
/// the handles. Padding is zero, see BlockVector. The constructor allocates, from the driver, which no Kokkos tool
/// sees; a part takes a multiple of 2 MiB. The end of the last handle waits for all devices.
template <Real Scalar, int n, CudaExecutionSpace Exec>
class BlockVectorOnDevices {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Part = BlockVector<Scalar, n, Exec>;
  using Flat = typename Part::Storage::Flat;
  static constexpr int block_size = n;
  static constexpr int vector_length = Part::vector_length;

  /// Allocates and sets to zero.
  BlockVectorOnDevices(const Exec& exec, const GridOnDevices<Exec>& grid)
      : BlockVectorOnDevices(exec, grid,
                             detail::SpreadLayout(packs(grid), n * vector_length, Values::unit(grid.instances()))) {}

  const GridOnDevices<Exec>& grid() const { return m_grid; }
  /// The values of a part, a handle of the same ones. What is launched on them is on the part's instance, or is over
  /// before something works on all parts.
  const Part& part(int p) const { return (*m_parts)[detail::as_size(p)]; }
  std::span<const Part> parts() const { return *m_parts; }
  /// All of the storage as one contiguous array, padding (zeros) included, and gaps (zeros) behind parts.
  const Flat& flat() const { return m_values.flat(); }
  /// Where a part begins in flat().
  std::int64_t first_value(int p) const { return part(p).flat().data() - flat().data(); }

 private:
  using Values = detail::SpreadValues<Scalar, Exec>;

  BlockVectorOnDevices(const Exec& exec, const GridOnDevices<Exec>& grid, const detail::SpreadLayout& layout)
      : m_grid(grid), m_values(exec, grid.instances(), layout), m_parts(std::make_shared<std::vector<Part>>()) {
    for (int p = 0; p < grid.count(); ++p) {
      m_parts->emplace_back(grid.part(p),
                            Flat(flat().data() + layout.first_value(p), detail::as_size(layout.values(p))));
    }
  }

  static std::vector<std::int64_t> packs(const GridOnDevices<Exec>& grid) {
    std::vector<std::int64_t> result;
    for (int p = 0; p < grid.count(); ++p) result.push_back(typename Part::Map(grid.part(p)).pack_count());
    return result;
  }

  GridOnDevices<Exec> m_grid;
  Values m_values;
  std::shared_ptr<std::vector<Part>> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
