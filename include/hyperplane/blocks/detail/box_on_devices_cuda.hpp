// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/detail/box_on_devices.hpp>
#include <hyperplane/blocks/detail/copy_parts.hpp>
#include <hyperplane/blocks/detail/placed_grids.hpp>
#include <hyperplane/blocks/detail/status_in_block.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/blocks/multi_block_status.hpp>
#include <hyperplane/blocks/part_of_cuda.hpp>
#include <hyperplane/blocks/stacked_parts.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/part_sweeps_cuda.hpp>
#include <hyperplane/sweep/parts_on_devices_cuda.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The box of the grid blocks that a part has, with a copy of A and of a vector.
template <class Scalar, int n, class Exec>
struct BlocksInBox {
  using Matrix = BlockStencil7<Scalar, n, Exec>;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int vector_length = Vector::vector_length;

  PlacedGrids placed;
  PartCopies<vector_length, Exec> copies;
  Matrix a;
  Vector x;

  BlocksInBox(const Exec& exec, const MultiBlockGrid& blocks, PlacedGrids in_box)
      : placed(std::move(in_box)),
        copies(exec, placed_parts(blocks, placed)),
        a(exec, placed.grids[0], "Hyperplane::MultiBlockOnDevices::a"),
        x(exec, placed.grids[0], "Hyperplane::MultiBlockOnDevices::x") {}

 private:
  static std::vector<PlacedPart<vector_length>> placed_parts(const MultiBlockGrid& blocks, const PlacedGrids& placed) {
    std::vector<PlacedPart<vector_length>> result;
    BlockPacks<vector_length> const packs(blocks);
    for (int b = 0; b < blocks.block_count(); ++b) {
      result.push_back({SlabMap<vector_length>(blocks.block(b)), packs.first(b),
                        SlabMap<vector_length>(placed.grids[0]), 0, placed.begins[as_size(b)]});
    }
    return result;
  }
};

/// P of a box, by PartOf<P>. Where a part has several grid blocks, all parts are boxes to which A and a vector are
/// copied, and from which the vector is.
template <class P>
  requires PartOfBox<typename PartOf<P>::Type>
class BoxOnDevices<P> {
  using Part = typename PartOf<P>::Type;
  using Parts = PartsOnDevices<Part>;
  using Scalar = typename Part::scalar_type;
  using Exec = typename Part::execution_space;
  static constexpr int n = Part::block_size;
  using Joined = BlocksInBox<Scalar, n, Exec>;

 public:
  static constexpr bool exists = true;

  /// Null where grid blocks are not as StackedParts wants them, where the path that is asked for is another one, and
  /// where devices lack what it takes. Throws Error where P refuses its options.
  static std::shared_ptr<BoxOnDevices> make(const MultiBlockGridOnDevices<Exec>& grid,
                                            const typename P::Options& options) {
    PartOf<P>::check(options);
    auto const upwards = StackedParts::owners_upwards(grid.whole(), grid.owners(), grid.count());
    if (upwards.size() < 2) return nullptr;
    if (options.path != SweepPath::automatic && options.path != SweepPath::slab) return nullptr;
    std::vector<Exec> instances;
    for (int const p : upwards) instances.push_back(grid.exec(p));
    if (!Parts::lacking(instances, PartOf<P>::options(options)).empty()) return nullptr;
    return std::make_shared<BoxOnDevices>(grid, upwards, instances, options);
  }

  /// `upwards` are the parts of the grid from the lowest one in the box on, and `instances` theirs. Waits for these.
  BoxOnDevices(const MultiBlockGridOnDevices<Exec>& grid, const std::vector<int>& upwards,
               const std::vector<Exec>& instances, const typename P::Options& options)
      : m_grid(grid), m_upwards(upwards), m_parts(instances, boxes(grid, upwards), PartOf<P>::options(options)) {
    if (grid.whole().block_count() == grid.count()) return;
    m_parts.for_parts([&](int s) {
      auto placed = whole_box(blocks(s));
      require(placed.has_value(), "MultiBlockOnDevices: the grid blocks of a part do not fill a box");
      m_joined.emplace_back(m_parts.exec(s), blocks(s), std::move(*placed));
    });
  }

  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a) const {
    using MatrixStorage = typename Matrix::storage_type;
    if (m_joined.empty()) {
      m_parts.template check_factor<MatrixStorage>();
      return in_order(exec, [&] { m_parts.factor([&](int s) { return a.part(part(s)).block(0); }); });
    }
    m_parts.template check_factor<Scalar>();
    in_order(exec, [&] {
      m_parts.for_parts([&](int s) {
        joined(s).copies.to_whole("Hyperplane::MultiBlockOnDevices::factor::join", m_parts.exec(s),
                                  a.part(part(s)).flat().data(), joined(s).a.flat().data(), stencil7_size * n * n);
      });
      m_parts.factor([&](int s) -> auto& { return joined(s).a; });
    });
  }

  template <class Vector>
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run(exec, rhs, x, [&](const auto& from, const auto& to) { m_parts.solve(from, to); });
  }
  template <class Vector>
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    m_parts.prepare_transposed();
    run(exec, rhs, x, [&](const auto& from, const auto& to) { m_parts.solve_transposed(from, to); });
  }

  /// The first failure in the order of the box, as DistributedMultiBlock has it. Waits for all instances.
  MultiBlockStatus<FactorStatus> status() const {
    MultiBlockStatus<FactorStatus> first;
    std::int64_t first_number = 0;
    int below = 0;
    m_parts.for_parts([&](int s) {
      auto found = m_parts.status(s);
      Grid const box = StackedParts::box(blocks(s));
      auto const number = box.index(found.point.i, found.point.j, below + found.point.k);
      below += box.nk();
      if (found.ok() || (!first.ok() && number >= first_number)) return;
      first_number = number;
      found = StackedParts::status_inside(box, found);
      int const block = m_joined.empty() ? 0 : status_in_block(blocks(s), joined(s).placed, 0, found);
      first = {found, m_grid.blocks(part(s))[as_size(block)]};
    });
    return first;
  }

 private:
  /// The part of the grid that is number s from the lowest one on.
  int part(int s) const { return m_upwards[as_size(s)]; }
  const MultiBlockGrid& blocks(int s) const { return m_grid.part(part(s)); }
  const Joined& joined(int s) const { return m_joined[as_size(s)]; }

  static std::vector<Grid> boxes(const MultiBlockGridOnDevices<Exec>& grid, const std::vector<int>& upwards) {
    std::vector<Grid> result;
    for (int const p : upwards) result.push_back(StackedParts::box(grid.part(p)));
    return result;
  }

  /// Kernels of parts wait for one another: nothing else may be launched between them. They leave the device of the
  /// lowest part of the box as the current one.
  template <class Launches>
  void in_order(const Exec& exec, const Launches& launches) const {
    cuda::CurrentDevice const current(exec.cuda_device());
    m_grid.instances().in_order(exec, launches);
  }

  template <class Vector, class Solve>
  void run(const Exec& exec, const Vector& rhs, const Vector& x, const Solve& solve) const {
    auto const in_blocks = [&](const Vector& vector) { return [&](int s) { return vector.part(part(s)).block(0); }; };
    if (m_joined.empty()) return in_order(exec, [&] { solve(in_blocks(rhs), in_blocks(x)); });
    auto const in_box = [&](int s) -> auto& { return joined(s).x; };
    in_order(exec, [&] {
      m_parts.for_parts([&](int s) {
        joined(s).copies.to_whole("Hyperplane::MultiBlockOnDevices::solve::join", m_parts.exec(s),
                                  rhs.part(part(s)).flat().data(), joined(s).x.flat().data(), n);
      });
      solve(in_box, in_box);
      m_parts.for_parts([&](int s) {
        joined(s).copies.to_parts("Hyperplane::MultiBlockOnDevices::solve::divide", m_parts.exec(s),
                                  joined(s).x.flat().data(), x.part(part(s)).flat().data(), n);
      });
    });
  }

  MultiBlockGridOnDevices<Exec> m_grid;
  std::vector<int> m_upwards;
  Parts m_parts;
  std::vector<Joined> m_joined;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
