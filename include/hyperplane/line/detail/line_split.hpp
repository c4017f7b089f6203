// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_factorization.hpp>
#include <hyperplane/line/detail/line_matrices.hpp>
#include <hyperplane/line/detail/line_partitions.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/line/detail/line_separators.hpp>
#include <hyperplane/line/detail/line_split_factor.hpp>
#include <hyperplane/line/detail/line_split_solve.hpp>
#include <hyperplane/line/detail/line_teams.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_vector.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// In what values of the points of lines are: line storage, or vectors on the grid and arrays of points.
enum class LineData { lines, outer };

/// The failure at an ordinal.
struct LineSingular {
  std::int64_t ordinal;
  PivotFinding finding;
};

template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class LineSolver;

/// Lines cut into parts by separators, for parallelism inside a line and for periodic ends.
///
/// With the separators' unknowns x_s taken as known, parts are independent: x = y - Z_l x_l - Z_r x_r, where y solves
/// the part alone and the spikes Z_l, Z_r, n x n per point, are its solutions for the blocks that couple its first and
/// its last point to the separators beside it. Put into the separators' rows, that gives a block tridiagonal system in
/// the separators alone, which is solved by a solver of its own. Source: E. Polizzi, A. H. Sameh, "A parallel hybrid
/// banded system solver: the SPIKE algorithm", doi:10.1016/j.parco.2005.07.005, here with separators. A periodic line
/// with one separator has one spike, the sum of both: bordered elimination.
///
/// A solve reads 5 n^2 values per point (one spike: 4 n^2) and the unknowns once more. Launches: factor five or more,
/// solve three a column more than one.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class LineSplit {
  using Layout = LineLayout<Scalar, Exec>;
  using Solver = LineSolver<Scalar, n, Exec, StorageScalar>;
  using Direct = typename Solver::Direct;
  using Places = LinePlaces<Scalar, Exec>;
  static constexpr int vector_length = Layout::vector_length;
  static constexpr int internal_length = Layout::internal_vector_length;
  static constexpr int internal_vectors = vector_length / internal_length;
  static constexpr int slab_length = vector_length_v<Scalar, Exec>;
  using Spikes = InterleavedView<StorageScalar, vector_length, n * n, Exec>;

  struct Sides {
    Places lines, outer;
    const Places& of(LineData where) const { return where == LineData::lines ? lines : outer; }
  };

 public:
  LineSplit(const Exec& exec, const Layout& layout, int partitions, LinePath path, std::optional<int> load_bits)
      : LineSplit(exec, layout, LinePartitions(layout.lines(), partitions), path, load_bits) {}

  template <class MatrixStorage>
  void factor(const Exec& exec, LineData where, const MatrixStorage* data, const LineEntries& of) const {
    auto const matrix = [&](const GatheredPlaces& places) { return make_line_matrix(data, places, of); };
    if (m_parts) {
      auto const parts = matrix(m_part_places->of(where).gathered_places());
      m_parts->factor(exec, parts);
      // A device needs the threads more than a host needs a block for all columns.
      constexpr int columns = HostExecutionSpace<Exec> ? n : 1;
      using Spike = LineSpikeFactor<Scalar, n, StorageScalar, MatrixStorage, vector_length, internal_length, columns>;
      for_line_packs<internal_vectors>(
          "Hyperplane::BlockTridiagonal::spikes", exec, m_parts->layout().packs() * Spike::groups,
          5.0 * n * n * n * sizeof(StorageScalar) * line_slots(m_parts->layout()),
          Spike{parts, m_parts->factors(), spikes(), m_left_of_part.data(), m_right_of_part.data()});
    }
    for_line_packs<vector_length>("Hyperplane::BlockTridiagonal::reduce", exec, m_reduced.layout().items() * n,
                                  7.0 * n * n * n * sizeof(StorageScalar) * line_slots(m_reduced.layout()),
                                  LineReduce<Scalar, n, StorageScalar, MatrixStorage, vector_length>{
                                      matrix(m_separator_places.of(where).gathered_places()), spikes(), separators(),
                                      m_matrix.flat().data(), m_couplings.flat().data()});
    m_reduced.factor(exec, LineData::lines, m_matrix.flat().data(), matrix_line_entries<n>());
  }

  template <bool many>
  void solve(const Exec& exec, LineData where, const Scalar* rhs, Scalar* x, int columns) const {
    auto const at_parts = m_parts ? m_part_places->of(where).gathered_places() : GatheredPlaces{};
    auto const at_separators = m_separator_places.of(where).gathered_places();
    using Given = LineUnknowns<const Scalar, GatheredPlaces>;
    using Wanted = LineUnknowns<Scalar, GatheredPlaces>;
    int const entries = columns * n;
    if (m_parts) {
      m_parts->template solve<many>(exec, Given{rhs, at_parts, entries, 0}, Wanted{x, at_parts, entries, 0}, columns);
    }
    Scalar* const reduced = m_unknowns.flat().data();
    constexpr bool on_host = HostExecutionSpace<Exec>;
    int const steps = on_host ? m_longest_part : 1, ranges = on_host ? 1 : m_longest_part;
    for (int first = 0; first < entries; first += n) {
      for_line_packs<vector_length>("Hyperplane::BlockTridiagonal::reduce_rhs", exec, m_reduced.layout().items(),
                                    2.0 * n * n * sizeof(StorageScalar) * line_slots(m_reduced.layout()),
                                    LineReduceRhs<Scalar, n, StorageScalar, vector_length>{
                                        Given{rhs, at_separators, entries, first}, Given{x, at_parts, entries, first},
                                        separators(), m_couplings.flat().data(), reduced});
      m_reduced.template solve<false>(exec, LineData::lines, reduced, reduced, 1);
      for_line_packs<internal_vectors>(
          "Hyperplane::BlockTridiagonal::expand", exec,
          (m_parts ? m_parts->layout().packs() * ranges : 0) + m_reduced.layout().items(),
          2.0 * n * n * sizeof(StorageScalar) * (m_parts ? line_slots(m_parts->layout()) : 0.0),
          LineExpand<Scalar, n, StorageScalar, vector_length, internal_length>{
              m_parts ? m_parts->layout().ref() : LineLayoutRef<vector_length>{}, spikes(), m_left_of_part.data(),
              m_right_of_part.data(), reduced, Wanted{x, at_parts, entries, first},
              Wanted{x, at_separators, entries, first}, steps, ranges});
    }
  }

  std::optional<LineSingular> find_singular(const Exec& exec) const {
    // Points of parts and of separators are ordinals of the lines.
    auto const in_lines = [](const LineSet& sublines, std::int64_t ordinal, const PivotFinding& finding) {
      auto const subline = sublines.line_of(ordinal);
      return LineSingular{sublines.point(subline, static_cast<int>(ordinal - sublines.first(subline))), finding};
    };
    std::optional<LineSingular> of_parts, of_separators;
    if (m_parts) {
      if (auto const found = m_parts->find_singular(exec)) {
        of_parts = in_lines(m_parts->layout().lines(), found->number, found->finding);
      }
    }
    if (auto const found = m_reduced.find_singular(exec)) {
      of_separators = in_lines(m_reduced.layout().lines(), found->ordinal, found->finding);
      // The reduced matrix has blocks of its own.
      if (of_separators->finding.failure == FactorFailure::not_finite) of_separators->finding.index = unknown_block;
    }
    if (!of_parts || !of_separators) return of_parts ? of_parts : of_separators;
    // After a singular part of a line the reduced matrix of that line is wrong, but not that of another.
    bool const separator_first = m_lines.line_of(of_separators->ordinal) < m_lines.line_of(of_parts->ordinal);
    return separator_first ? of_separators : of_parts;
  }

 private:
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

  LineSplit(const Exec& exec, const Layout& layout, const LinePartitions& cut, LinePath path,
            std::optional<int> load_bits)
      : m_lines(layout.lines()),
        m_single(cut.single),
        m_parts(make_parts(exec, layout, cut, path, load_bits)),
        m_longest_part(m_parts ? std::ranges::max(m_parts->layout().tables().lengths()) : 0),
        m_part_places(m_parts ? std::optional(sides(exec, layout, m_parts->layout())) : std::nullopt),
        m_reduced(exec, Layout(exec, separator_lines(layout.lines(), cut)), 1, path, load_bits),
        m_separator_places(sides(exec, layout, m_reduced.layout())),
        m_left(exec, "Hyperplane::BlockTridiagonal::spikes", m_parts ? m_parts->layout().items() : 0),
        m_right(exec, "Hyperplane::BlockTridiagonal::spikes", m_parts && !m_single ? m_parts->layout().items() : 0),
        m_matrix(exec, m_reduced.layout(), "Hyperplane::BlockTridiagonal::reduced"),
        m_couplings(exec, "Hyperplane::BlockTridiagonal::couplings", m_reduced.layout().items()),
        m_unknowns(exec, m_reduced.layout(), 1, "Hyperplane::BlockTridiagonal::separators") {
    make_tables(exec, cut);
  }

  static std::optional<Direct> make_parts(const Exec& exec, const Layout& layout, const LinePartitions& cut,
                                          LinePath path, std::optional<int> load_bits) {
    if (cut.neighbours.empty()) return std::nullopt;
    auto const lines = LineSet::lists(layout.lines().size(), cut.part_offsets, cut.part_points);
    return Direct(exec, Layout(exec, lines), path, load_bits);
  }

  /// Periodic as the lines are, unless they all have one separator, which couples to itself alone.
  static LineSet separator_lines(const LineSet& lines, const LinePartitions& cut) {
    return LineSet::lists(lines.size(), cut.separator_offsets, cut.separator_points,
                          cut.single ? LineEnds::open : lines.ends());
  }

  /// Where the points of `sublines`, whose points are ordinals of the layout's lines, are.
  static Sides sides(const Exec& exec, const Layout& layout, const Layout& sublines) {
    auto const& lines = layout.lines();
    auto const at = [&](const auto& slot_of) {
      return [&](std::int64_t subline, int position) {
        auto const ordinal = sublines.lines().point(subline, position);
        auto const line = lines.line_of(ordinal);
        return slot_of(line, static_cast<int>(ordinal - lines.first(line)));
      };
    };
    auto const in_lines = [&](std::int64_t line, int position) { return layout.slot(line, position); };
    auto const in_outer = [&](std::int64_t line, int position) { return Places::outer_slot(lines, line, position); };
    return {Places::gathered(exec, sublines, vector_length, at(in_lines)),
            Places::gathered(exec, sublines, lines.grid() ? slab_length : 1, at(in_outer))};
  }

  void make_tables(const Exec& exec, const LinePartitions& cut) {
    auto const& reduced = m_reduced.layout();
    std::vector<int> before(as_size(reduced.items() * vector_length), -1), after = before, same(before.size(), 0);
    std::vector<int> left(as_size(m_parts ? m_parts->layout().packs() * vector_length : 0), -1), right = left;
    std::vector<int> slot_of_separator;
    for (std::int64_t line = 0; line < reduced.lines().count(); ++line) {
      for (int p = 0; p < reduced.lines().length(line); ++p) {
        slot_of_separator.push_back(static_cast<int>(reduced.slot(line, p)));
      }
    }
    for (std::size_t part = 0; part < cut.neighbours.size(); ++part) {
      auto const& layout = m_parts->layout();
      auto const place = as_size(layout.tables().slots[part]);
      auto const& beside = cut.neighbours[part];
      int const length = layout.lines().length(static_cast<std::int64_t>(part));
      bool const is_same = beside.left == beside.right;
      if (beside.left >= 0) {
        left[place] = slot_of_separator[as_size(beside.left)];
        after[as_size(left[place])] = static_cast<int>(layout.slot(static_cast<std::int64_t>(part), 0));
        if (is_same) same[as_size(left[place])] |= 2;
      }
      if (beside.right >= 0) {
        right[place] = slot_of_separator[as_size(beside.right)];
        before[as_size(right[place])] = static_cast<int>(layout.slot(static_cast<std::int64_t>(part), length - 1));
        if (is_same) same[as_size(right[place])] |= 1;
      }
    }
    m_before = to_space(exec, before);
    m_after = to_space(exec, after);
    m_same = to_space(exec, same);
    m_left_of_part = to_space(exec, left);
    m_right_of_part = to_space(exec, right);
  }

  LineSpikes<StorageScalar, n, vector_length> spikes() const { return {m_left.ref(), m_right.ref(), m_single}; }
  LineSeparators separators() const { return {m_before.data(), m_after.data(), m_same.data()}; }

  LineSet m_lines;
  bool m_single;
  std::optional<Direct> m_parts;  ///< none where every line is a single periodic point
  int m_longest_part;             ///< steps of the longest pack of parts
  std::optional<Sides> m_part_places;
  Solver m_reduced;
  Sides m_separator_places;
  Spikes m_left;
  Spikes m_right;
  BlockTridiagonalMatrix<Scalar, n, Exec> m_matrix;
  InterleavedView<StorageScalar, vector_length, 2 * n * n, Exec> m_couplings;
  LineVector<Scalar, n, Exec> m_unknowns;
  Table<int> m_before;
  Table<int> m_after;
  Table<int> m_same;
  Table<int> m_left_of_part;
  Table<int> m_right_of_part;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
