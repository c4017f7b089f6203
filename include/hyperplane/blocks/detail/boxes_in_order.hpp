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
#include <hyperplane/blocks/detail/transposed_ghosts.hpp>
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
/// they have the bits of the box: the matrix and a vector are copied to larger grids. Where there are no others, and
/// the grid blocks fill the box, that is the box. Elsewhere each grid block is a grid with ghost points behind its
/// interfaces, by colours. Their rows make kernels do at a point next to them what they do inside of a box: see
/// SetGhostRows, and for M^T TransposedGhosts.
///
/// `subtracts`: whether neighbours subtract from diagonal blocks, so that others bring coefficients.
template <bool subtracts, class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
class BoxesInOrder {
 public:
  using Matrix = MultiBlockStencil7<Scalar, n, Exec>;
  using Vector = MultiBlockVector<Scalar, n, Exec>;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;
  using Values = Kokkos::View<Storage*, typename Exec::memory_space>;

  /// The colouring is that of the grid blocks; `remote` is what other processes have, if there are any, and `parts`
  /// what other parts of this process have: then connect_transposed() and forget_lists() have to follow. Waits for the
  /// instance.
  BoxesInOrder(const Exec& exec, const MultiBlockGrid& grid, const Colouring& colouring, std::shared_ptr<Remote> remote,
               std::optional<RemoteLists> parts = std::nullopt)
      : m_grid(grid),
        m_remote(std::move(remote)),
        m_colouring(colouring),
        m_own_packs(BlockPacks<vector_length>(grid).count()) {
    auto const box = m_remote || parts ? std::nullopt : whole_box(grid);
    m_has_ghosts = !box;
    if (box) m_colouring = Colouring(std::vector<int>{0});
    bool const is_part = parts.has_value();
    auto const& lists =
        m_lists.emplace(exec, grid, box ? Colouring(std::vector<int>(colouring.ranks.size(), 0)) : colouring,
                        is_part ? std::move(*parts) : RemoteLists(m_remote.get()));
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
    if (!is_part) forget_lists();
  }
  void forget_lists() { m_lists.reset(); }

  /// Whether the grid blocks fill one box.
  bool is_whole() const { return !m_has_ghosts; }
  /// The larger grids, and their colours.
  const MultiBlockGrid& grids() const { return m_grids; }
  const Colouring& colouring() const { return m_colouring; }
  /// The factors of their preconditioners. Waits for the instance.
  void set_factors(const Exec& exec, const std::vector<Factors>& factors) {
    m_factors_of_grids = factors;
    m_factors = to_space(exec, "Hyperplane::MultiBlock::factors", factors);
  }

  /// What is kept for other parts, where neighbours subtract: the coefficients of couplings to higher colours, and
  /// behind them those of reverses that others have; and the number of a point's coupling, before forget_lists().
  const Values& upper_values() const { return m_upper_values; }
  int upper_number(int colour, const Slot& slot, Direction direction) const {
    return m_lists->number(true, colour, slot, direction);
  }
  /// Where the factors have the coupling of a grid block's point in a direction. After set_factors().
  Storage* coupling(int block, std::int64_t pack, int lane, Direction direction) const {
    Point own{};
    SlabMap<vector_length>(m_grid.block(block)).find_point(pack, lane, own);
    auto const& begin = m_placed.begins[as_size(block)];
    return m_factors_of_grids[as_size(m_placed.grid_of[as_size(block)])].coupling(
        Point{begin.i + own.i, begin.j + own.j, begin.k + own.k}, direction);
  }
  /// Where this process has all grid blocks, and all factors are there: `coupling_back(coupling)` is where those of the
  /// donor have what couples it to the point. Waits for the instance.
  template <class CouplingBack>
  void connect_transposed(const Exec& exec, const CouplingBack& coupling_back) {
    m_transposed_ghosts.connect(exec, m_factors_of_grids, coupling_back);
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

  /// After the last colour, of all parts.
  void finish_factor(const Exec& exec) const { m_transposed_ghosts.copy(exec); }

  /// Calls sweep_boxes(vector) for a colour with what is to be swept of the right-hand side, in place, with M or M^T.
  /// Neighbours of lower colours, or of higher ones in a backward sweep, are read from x and from what remote grid
  /// blocks bring.
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
      for_each_ghost(m_grids.block(g), m_grid.block(b), begin, [&](const Point& ghost, Direction outward) {
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
            auto const& coupling = (lower ? lists.lower_list() : lists.upper_list()).couplings[as_size(number)];
            row.has_donor = true;
            row.donor = coupling.donor;
            if constexpr (subtracts) row.number = lower ? reverses[as_size(number)] : number;
            if (!m_remote) m_transposed_ghosts.add(row, coupling);
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
  std::vector<Factors> m_factors_of_grids;
  Kokkos::View<Factors*, typename Exec::memory_space> m_factors;
  std::vector<Colour> m_colours;
  std::optional<ColourLists<Exec, vector_length>> m_lists;
  TransposedGhosts<Storage, n, vector_length, Exec> m_transposed_ghosts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
