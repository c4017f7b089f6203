// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/detail/copy_parts.hpp>
#include <hyperplane/blocks/detail/ghost_rows.hpp>
#include <hyperplane/blocks/detail/placed_grids.hpp>
#include <hyperplane/blocks/detail/status_in_block.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/blocks/remote_colours.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Parts of a box in its natural order, for factorizations and sweeps that know nothing outside of their grid, so that
/// they have the bits of the box: the matrix and a vector are copied to larger grids. In one process, where the grid
/// blocks fill the box, that is the box. Elsewhere each grid block is a grid with ghost points behind its interfaces,
/// by colours. Their rows make kernels do at a point next to them what they do inside of a box: see SetGhostRows.
///
/// `subtracts`: whether neighbours subtract from diagonal blocks, so that ranks bring coefficients.
template <bool subtracts, class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
class BoxesInOrder {
 public:
  using Matrix = MultiBlockStencil7<Scalar, n, Exec>;
  using Vector = MultiBlockVector<Scalar, n, Exec>;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;

  /// The colouring is that of the grid blocks; `remote` is what other processes have, if there are any. Waits for the
  /// instance.
  BoxesInOrder(const Exec& exec, const MultiBlockGrid& grid, const Colouring& colouring, std::shared_ptr<Remote> remote)
      : m_grid(grid),
        m_remote(std::move(remote)),
        m_colouring(colouring),
        m_own_packs(BlockPacks<vector_length>(grid).count()) {
    auto const box = m_remote ? std::nullopt : whole_box(grid);
    m_has_ghosts = !box;
    if (box) m_colouring = Colouring(std::vector<int>{0});
    ColourLists<Exec, vector_length> const lists(
        exec, grid, box ? Colouring(std::vector<int>(colouring.ranks.size(), 0)) : colouring,
        RemoteLists(m_remote.get()));
    NumbersOnFaces const numbers = numbers_of(lists);
    m_placed = box ? *box : with_ghost_layers(grid, numbers);
    m_grids = m_placed.grids.empty() ? MultiBlockGrid::without_blocks() : MultiBlockGrid(m_placed.grids);
    m_a.emplace(exec, m_grids, "Hyperplane::MultiBlock::a");
    m_x.emplace(exec, m_grids, "Hyperplane::MultiBlock::x");
    if constexpr (subtracts) {
      m_upper_values = Values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::MultiBlock::upper"),
                              lists.upper_list().couplings.size() * n * n);
      if (m_remote) m_remote->connect(exec, lists.upper_list(), lists.upper_begin(), m_upper_values);
    }
    for (int colour = 0; colour < m_colouring.count; ++colour) add_colour(exec, colour, lists, numbers);
  }

  /// Whether the grid blocks fill one box.
  bool is_whole() const { return !m_has_ghosts; }
  /// The larger grids, and their colours.
  const MultiBlockGrid& grids() const { return m_grids; }
  const Colouring& colouring() const { return m_colouring; }
  /// The factors of their preconditioners. Waits for the instance.
  void set_factors(const Exec& exec, const std::vector<Factors>& factors) {
    m_factors = to_space(exec, "Hyperplane::MultiBlock::factors", factors);
  }

  /// Calls factor_boxes(matrix) for a colour with the matrix of the larger grids.
  template <class MatrixStorage, class FactorBoxes>
  void factor(const Exec& exec, int colour, const MatrixStorage* a, const FactorBoxes& factor_boxes) const {
    auto const& those = m_colours[as_size(colour)];
    auto* const values = m_a->flat().data();
    InterleavedRef<Scalar, vector_length, stencil7_size * n * n> const matrix(values);
    those.copies.to_whole("Hyperplane::MultiBlock::factor::copy", exec, a, values, stencil7_size * n * n);
    run("Hyperplane::MultiBlock::factor::close", exec, those.closed.size(), n * n * sizeof(Scalar),
        CloseFaces<Scalar, n, vector_length>{those.closed.data(), matrix});
    run("Hyperplane::MultiBlock::factor::ghosts", exec, those.ghosts.size(), 2.0 * n * n * sizeof(Scalar),
        SetGhostRows<Scalar, n, Storage, vector_length>{those.ghosts.data(), matrix, m_upper_values.data()});
    factor_boxes(*m_a);
    run("Hyperplane::MultiBlock::factor::keep", exec, those.ghosts.size(), 3.0 * n * n * sizeof(Storage),
        KeepGhostRows<Scalar, n, Storage, vector_length>{those.ghosts.data(), m_factors.data(), m_upper_values.data()});
  }

  /// Calls sweep_boxes(vector) for a colour with what is to be swept of the right-hand side, in place. Neighbours of
  /// lower colours, or of higher ones in a backward sweep, are read from x and from what remote grid blocks bring.
  /// After a forward sweep x has what neighbours read, else all of the colour; a backward sweep begins with what the
  /// forward sweep has left.
  template <class SweepBoxes>
  void sweep(const Exec& exec, int colour, Sweeps sweeps, const Scalar* rhs, Scalar* x,
             const SweepBoxes& sweep_boxes) const {
    using Packs = InterleavedRef<Scalar, vector_length, n>;
    auto const& those = m_colours[as_size(colour)];
    auto* const values = m_x->flat().data();
    if (sweeps != Sweeps::backward) those.copies.to_whole("Hyperplane::MultiBlock::solve::copy", exec, rhs, values, n);
    run("Hyperplane::MultiBlock::solve::ghosts", exec, those.ghosts.size() * n, 2.0 * sizeof(Scalar),
        SetGhosts<Scalar, n, vector_length>{those.ghosts.data(), donors(x), Packs(values), sweeps != Sweeps::backward});
    sweep_boxes(*m_x);
    if (sweeps == Sweeps::forward) {
      run("Hyperplane::MultiBlock::solve::faces", exec, those.faces.size() * n, 2.0 * sizeof(Scalar),
          GiveFaces<Scalar, n, vector_length>{those.faces.data(), Packs(values), Packs(x)});
    } else {
      those.copies.to_parts("Hyperplane::MultiBlock::solve::copy_x", exec, values, x, n);
    }
  }

  /// The status of a larger grid as that of a grid block, which is returned.
  int status_in_block(int grid, FactorStatus& status) const {
    return detail::status_in_block(m_grid, m_placed, grid, status);
  }

 private:
  using Values = Kokkos::View<Storage*, typename Exec::memory_space>;
  using Copies = PartCopies<vector_length, Exec>;
  struct Colour {
    Copies copies;
    Kokkos::View<GhostRow*, typename Exec::memory_space> ghosts;
    Kokkos::View<ClosedFace*, typename Exec::memory_space> closed;
    Kokkos::View<FaceSlots*, typename Exec::memory_space> faces;
  };

  /// A point of the larger grid of a grid block.
  Point in_block(int block, const Point& p) const {
    auto const& begin = m_placed.begins[as_size(block)];
    return {p.i - begin.i, p.j - begin.j, p.k - begin.k};
  }

  DonorValues<Scalar, n, vector_length> donors(Scalar* x) const {
    if (!m_remote) return DonorValues<Scalar, n, vector_length>(x);
    return {x, m_remote->ghosts(), m_own_packs};
  }

  /// Of couplings in both lists: the faces of a point are in one of them each.
  NumbersOnFaces numbers_of(const ColourLists<Exec, vector_length>& lists) const {
    NumbersOnFaces result(m_grid);
    for (auto const* const list : {&lists.lower_list(), &lists.upper_list()}) {
      for (auto const& point : list->points) {
        auto const& block = m_grid.block(point.block);
        Point p{};
        SlabMap<vector_length>(block).find_point(point.pack, point.slot.lane, p);
        for (int c = point.begin; c < point.end; ++c) {
          result.set(block, point.block, list->couplings[as_size(c)].direction, p, c);
        }
      }
    }
    return result;
  }

  void add_colour(const Exec& exec, int colour, const ColourLists<Exec, vector_length>& lists,
                  const NumbersOnFaces& numbers) {
    BlockPacks<vector_length> const packs(m_grid), packs_of_grids(m_grids);
    std::vector<int> reverses;
    if constexpr (subtracts) reverses = reverse_numbers(lists.lower_list(), lists.upper_list());
    std::vector<typename Copies::Part> parts;
    std::vector<GhostRow> ghosts;
    std::vector<ClosedFace> closed;
    for (int b = 0; b < m_grid.block_count(); ++b) {
      int const g = m_placed.grid_of[as_size(b)];
      if (m_colouring.ranks[as_size(g)] != colour) continue;
      SlabMap<vector_length> const map(m_grid.block(b)), whole(m_grids.block(g));
      auto const first = packs_of_grids.first(g);
      auto const& begin = m_placed.begins[as_size(b)];
      parts.push_back({map, packs.first(b), whole, first, begin});
      if (!m_has_ghosts) continue;
      auto const slot = [&](const Point& p) { return Slot{first + whole.pack(p.i, p.j, p.k), whole.lane(p.j)}; };
      for_each_ghost(b, [&](const Point& ghost, Direction outward) {
        GhostRow row{slot(ghost), {}, g, first};
        if (outward != Direction::center) {
          Point const p = neighbour(ghost, opposite(outward));
          int const number = numbers.number(m_grid.block(b), b, outward, in_block(b, p));
          row.point = slot(p);
          row.inward = opposite(outward);
          if (number < 0) {
            closed.push_back({row.point, outward});
          } else {
            bool const lower = outward < Direction::center;
            row.donor = (lower ? lists.lower_list() : lists.upper_list()).couplings[as_size(number)].donor;
            if constexpr (subtracts) row.number = lower ? reverses[as_size(number)] : number;
          }
        }
        ghosts.push_back(row);
      });
    }
    m_colours.push_back({Copies(exec, std::move(parts)), to_space(exec, "Hyperplane::MultiBlock::ghosts", ghosts),
                         to_space(exec, "Hyperplane::MultiBlock::closed", closed),
                         to_space(exec, "Hyperplane::MultiBlock::faces", faces_of(colour, lists))});
  }

  /// The points of a colour that have couplings to higher ones: these have some to them.
  std::vector<FaceSlots> faces_of(int colour, const ColourLists<Exec, vector_length>& lists) const {
    BlockPacks<vector_length> const packs(m_grids);
    std::vector<FaceSlots> result;
    for (auto p = lists.upper_begin()[as_size(colour)]; p < lists.upper_begin()[as_size(colour) + 1]; ++p) {
      auto const& point = lists.upper_list().points[p];
      auto const& begin = m_placed.begins[as_size(point.block)];
      int const g = m_placed.grid_of[as_size(point.block)];
      SlabMap<vector_length> const map(m_grids.block(g));
      Point own{};
      SlabMap<vector_length>(m_grid.block(point.block)).find_point(point.pack, point.slot.lane, own);
      int const j = begin.j + own.j;
      result.push_back({point.slot, {packs.first(g) + map.pack(begin.i + own.i, j, begin.k + own.k), map.lane(j)}});
    }
    return result;
  }

  /// visit(point, direction) of the ghost points of a grid block: the face that they are behind, center of edges.
  template <class Visit>
  void for_each_ghost(int block, const Visit& visit) const {
    auto const& grid = m_grids.block(m_placed.grid_of[as_size(block)]);
    auto const& own = m_grid.block(block);
    auto const& begin = m_placed.begins[as_size(block)];
    auto const visit_point = [&](const Point& p) {
      int outside = 0;
      Direction direction = Direction::center;
      auto const look = [&](int at, int extent, Direction before, Direction after) {
        if (at >= 0 && at < extent) return;
        ++outside;
        direction = at < 0 ? before : after;
      };
      look(p.i - begin.i, own.ni(), Direction::west, Direction::east);
      look(p.j - begin.j, own.nj(), Direction::south, Direction::north);
      look(p.k - begin.k, own.nk(), Direction::bottom, Direction::top);
      visit(p, outside == 1 ? direction : Direction::center);
    };
    for (int k = 0; k < grid.nk(); ++k) {
      for (int j = 0; j < grid.nj(); ++j) {
        // Of a line that goes through the grid block its ends alone.
        bool const through = own.contains({0, j - begin.j, k - begin.k});
        for (int i = 0; i < grid.ni(); ++i) {
          if (through && i == begin.i) i += own.ni();
          if (i < grid.ni()) visit_point({i, j, k});
        }
      }
    }
  }

  template <class Kernel>
  static void run(const char* label, const Exec& exec, std::size_t count, double bytes, const Kernel& kernel) {
    if (count > 0) launch(label, LongIndexRange<Exec>(exec, 0, count), bytes, kernel);
  }

  MultiBlockGrid m_grid;
  std::shared_ptr<Remote> m_remote;
  Colouring m_colouring;
  std::int64_t m_own_packs;
  bool m_has_ghosts = false;
  PlacedGrids m_placed;
  MultiBlockGrid m_grids = MultiBlockGrid::without_blocks();
  std::optional<Matrix> m_a;
  std::optional<Vector> m_x;
  Values m_upper_values;
  Kokkos::View<Factors*, typename Exec::memory_space> m_factors;
  std::vector<Colour> m_colours;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
