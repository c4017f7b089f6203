// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_cut.hpp>
#include <hyperplane/line/detail/line_diagnosis.hpp>
#include <hyperplane/line/detail/line_factorization.hpp>
#include <hyperplane/line/detail/line_matrices.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/line/detail/line_separators.hpp>
#include <hyperplane/line/detail/line_split_factor.hpp>
#include <hyperplane/line/detail/line_split_solve.hpp>
#include <hyperplane/line/detail/line_split_transposed.hpp>
#include <hyperplane/line/detail/line_teams.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/line/line_vector.hpp>
#include <hyperplane/simd/interleaved_view.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar>
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
/// M^T has the same factors: its reduced system is the transposed one, whose right-hand side is that of the separators
/// less the transposed spikes times that of the parts; then parts are solved, for what the separators' unknowns leave.
///
/// Factors of parts and spikes are StorageScalar; what belongs to separators alone is not kept in 16 bits.
///
/// A solve reads 5 n^2 values per point (one spike: 4 n^2) and the unknowns once more. Launches: factor five or more,
/// solve three a column more than one, with M^T four.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar>
class LineSplit {
  using Layout = LineLayout<Scalar, Exec>;
  using OfSeparators = WideStorage<Scalar, StorageScalar>;
  using Solver = LineSolver<Scalar, n, Exec, OfSeparators>;
  using Direct = LineFactorization<Scalar, n, Exec, StorageScalar>;
  static constexpr int vector_length = Layout::vector_length;
  static constexpr int internal_length = Layout::internal_vector_length;
  static constexpr bool records_spikes = sizeof(StorageScalar) < sizeof(Scalar);
  static constexpr bool records_couplings = sizeof(OfSeparators) < sizeof(Scalar);
  static constexpr int internal_vectors = vector_length / internal_length;
  using Spikes = InterleavedView<StorageScalar, vector_length, n * n, Exec>;
  using Given = LineUnknowns<const Scalar, GatheredPlaces>;
  using Wanted = LineUnknowns<Scalar, GatheredPlaces>;

 public:
  LineSplit(const Exec& exec, const Layout& layout, int partitions, LinePath path, std::optional<int> load_bits)
      : m_cut(exec, layout, partitions),
        m_parts(m_cut.parts() ? std::optional<Direct>(std::in_place, exec, *m_cut.parts(), path, load_bits)
                              : std::nullopt),
        m_reduced(exec, m_cut.separators(), 1, path, load_bits),
        m_left(exec, "Hyperplane::BlockTridiagonal::spikes", part_items()),
        m_right(exec, "Hyperplane::BlockTridiagonal::spikes", m_cut.single() ? 0 : part_items()),
        m_unstorable_spikes(exec, "Hyperplane::BlockTridiagonal::status"),
        m_unstorable_couplings(exec, "Hyperplane::BlockTridiagonal::status"),
        m_matrix(exec, m_reduced.layout(), "Hyperplane::BlockTridiagonal::reduced"),
        m_couplings(exec, "Hyperplane::BlockTridiagonal::couplings", m_reduced.layout().items()),
        m_unknowns(exec, m_reduced.layout(), 1, "Hyperplane::BlockTridiagonal::separators"),
        m_shares(exec, "Hyperplane::BlockTridiagonal::shares", m_reduced.layout().items()) {}

  template <class MatrixStorage>
  void factor(const Exec& exec, LineData where, const MatrixStorage* data, const LineEntries& of) const {
    auto const matrix = [&](const GatheredPlaces& places) { return make_line_matrix(data, places, of); };
    if (m_parts) {
      auto const parts = matrix(m_cut.part_places(where));
      m_parts->factor(exec, parts);
      // A device needs the threads more than a host needs a block for all columns.
      constexpr int columns = HostExecutionSpace<Exec> ? n : 1;
      using Spike =
          LineSpikeFactor<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length, internal_length, columns>;
      for_line_packs<internal_vectors>("Hyperplane::BlockTridiagonal::spikes", exec,
                                       m_parts->layout().packs() * Spike::groups,
                                       5.0 * n * n * n * sizeof(StorageScalar) * line_slots(m_parts->layout()),
                                       Spike{parts, m_parts->factors(), spikes(), m_cut.left_of_part(),
                                             m_cut.right_of_part(), m_unstorable_spikes.ref()});
      if constexpr (records_spikes) {
        m_unstorable_spikes.conclude(exec, LineSpikeDiagnosis<Scalar, n, MatrixStorage, vector_length>{
                                               {parts, m_parts->layout().ref(), m_parts->layout().lines().count()},
                                               m_cut.left_of_part(),
                                               m_cut.right_of_part()});
      }
    }
    auto const separators = matrix(m_cut.separator_places(where));
    for_line_packs<vector_length>("Hyperplane::BlockTridiagonal::reduce", exec, m_reduced.layout().items() * n,
                                  7.0 * n * n * n * sizeof(StorageScalar) * line_slots(m_reduced.layout()),
                                  LineReduce<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length>{
                                      separators, spikes(), m_cut.beside_separators(), m_matrix.flat().data(),
                                      m_couplings.flat().data(), m_unstorable_couplings.ref()});
    if constexpr (records_couplings) {
      auto const& layout = m_reduced.layout();
      m_unstorable_couplings.conclude(exec, LineCouplingDiagnosis<Scalar, n, MatrixStorage, vector_length>{
                                                {separators, layout.ref(), layout.lines().count()}});
    }
    m_reduced.factor(exec, LineData::lines, m_matrix.flat().data(), matrix_line_entries<n>());
  }

  template <bool many>
  void solve(const Exec& exec, LineData where, const Scalar* rhs, Scalar* x, int columns) const {
    auto const at_parts = m_cut.part_places(where);
    auto const at_separators = m_cut.separator_places(where);
    int const entries = columns * n;
    if (m_parts) {
      m_parts->template solve<many, false>(exec, Given{rhs, at_parts, entries, 0}, Wanted{x, at_parts, entries, 0},
                                           columns);
    }
    Scalar* const reduced = m_unknowns.flat().data();
    constexpr bool on_host = HostExecutionSpace<Exec>;
    int const longest = m_cut.longest_part();
    int const steps = on_host ? longest : 1, ranges = on_host ? 1 : longest;
    for (int first = 0; first < entries; first += n) {
      for_line_packs<vector_length>("Hyperplane::BlockTridiagonal::reduce_rhs", exec, m_reduced.layout().items(),
                                    2.0 * n * n * sizeof(StorageScalar) * line_slots(m_reduced.layout()),
                                    LineReduceRhs<Scalar, n, StorageScalar, vector_length>{
                                        Given{rhs, at_separators, entries, first}, Given{x, at_parts, entries, first},
                                        m_cut.beside_separators(), m_couplings.flat().data(), reduced});
      m_reduced.template solve<false, false>(exec, LineData::lines, reduced, reduced, 1);
      for_line_packs<internal_vectors>(
          "Hyperplane::BlockTridiagonal::expand", exec,
          (m_parts ? m_parts->layout().packs() * ranges : 0) + m_reduced.layout().items(),
          2.0 * n * n * sizeof(StorageScalar) * (m_parts ? line_slots(m_parts->layout()) : 0.0),
          LineExpand<Scalar, n, StorageScalar, vector_length, internal_length>{
              m_parts ? m_parts->layout().ref() : LineLayoutRef<vector_length>{}, spikes(), m_cut.left_of_part(),
              m_cut.right_of_part(), reduced, Wanted{x, at_parts, entries, first},
              Wanted{x, at_separators, entries, first}, steps, ranges});
    }
  }

  /// Of x nothing is read before it is written, and of rhs nothing after that.
  template <bool many>
  void solve_transposed(const Exec& exec, LineData where, const Scalar* rhs, Scalar* x, int columns) const {
    auto const at_parts = m_cut.part_places(where);
    auto const at_separators = m_cut.separator_places(where);
    int const entries = columns * n;
    Scalar* const reduced = m_unknowns.flat().data();
    double const separator_slots = line_slots(m_reduced.layout());
    constexpr bool on_host = HostExecutionSpace<Exec>;
    using Share = LineShare<Scalar, n, StorageScalar, vector_length, internal_length, on_host ? n : 1>;
    int const longest = m_cut.longest_part();
    int const steps = on_host ? longest : 1, ranges = on_host ? 1 : longest;
    for (int first = 0; first < entries; first += n) {
      Given const given{rhs, at_parts, entries, first};
      if (m_parts) {
        for_line_packs<internal_vectors>("Hyperplane::BlockTridiagonal::share", exec,
                                         m_parts->layout().packs() * Share::groups,
                                         2.0 * n * n * sizeof(StorageScalar) * line_slots(m_parts->layout()),
                                         Share{m_parts->layout().ref(), spikes(), m_cut.left_of_part(),
                                               m_cut.right_of_part(), given, m_shares.ref()});
      }
      for_line_packs<vector_length>("Hyperplane::BlockTridiagonal::reduce_rhs", exec, m_reduced.layout().items(),
                                    3.0 * n * sizeof(Scalar) * separator_slots,
                                    LineReduceShares<Scalar, n, vector_length>{
                                        Given{rhs, at_separators, entries, first}, m_cut.beside_separators(),
                                        m_cut.single(), m_shares.ref(), reduced});
      m_reduced.template solve<false, true>(exec, LineData::lines, reduced, reduced, 1);
      for_line_packs<internal_vectors>(
          "Hyperplane::BlockTridiagonal::spread", exec,
          (m_parts ? m_parts->layout().packs() * ranges : 0) + m_reduced.layout().items(),
          2.0 * n * sizeof(Scalar) * (m_parts ? line_slots(m_parts->layout()) : separator_slots),
          LineSpread<Scalar, n, StorageScalar, vector_length, internal_length>{
              m_parts ? m_parts->layout().ref() : LineLayoutRef<vector_length>{}, m_couplings.flat().data(),
              m_cut.left_of_part(), m_cut.right_of_part(), reduced, given, Wanted{x, at_parts, entries, first},
              Wanted{x, at_separators, entries, first}, steps, ranges});
    }
    if (!m_parts) return;
    m_parts->template solve<many, true>(exec, Given{x, at_parts, entries, 0}, Wanted{x, at_parts, entries, 0}, columns);
  }

  std::optional<LineSingular> find_singular(const Exec& exec) const {
    std::optional<LineSingular> of_parts;
    if (m_parts) {
      of_parts = at_ordinal(m_parts->find_singular(exec));
      if constexpr (records_spikes) {
        of_parts = m_cut.first_of_parts(of_parts, at_ordinal(m_unstorable_spikes.find(exec)));
      }
    }
    auto const of_separators = LineCut<Scalar, Exec>::first_of_separators(
        m_reduced.find_singular(exec),
        records_couplings ? at_ordinal(m_unstorable_couplings.find(exec)) : std::nullopt);
    return m_cut.first_failure(of_parts, of_separators);
  }

 private:
  using Reduced = BlockTridiagonalMatrix<Scalar, n, Exec>;
  using Couplings = InterleavedView<OfSeparators, vector_length, 2 * n * n, Exec>;
  static std::optional<LineSingular> at_ordinal(const std::optional<typename SingularPivotRecord<Exec>::Place>& found) {
    if (!found) return std::nullopt;
    return LineSingular{found->number, found->finding};
  }

  std::int64_t part_items() const { return m_parts ? m_parts->layout().items() : 0; }
  LineSpikes<StorageScalar, n, vector_length> spikes() const {
    LineSpikes<StorageScalar, n, vector_length> result{m_left.ref(), m_right.ref(), m_cut.single()};
    if (m_parts) result.m_scales = m_parts->factors().m_scales;
    return result;
  }

  LineCut<Scalar, Exec> m_cut;
  std::optional<Direct> m_parts;  ///< none where every line is a single periodic point
  Solver m_reduced;
  Spikes m_left;
  Spikes m_right;
  SingularPivotRecord<Exec> m_unstorable_spikes;     ///< those that are too large, where records_spikes
  SingularPivotRecord<Exec> m_unstorable_couplings;  ///< likewise, where records_couplings
  Reduced m_matrix;
  Couplings m_couplings;
  LineVector<Scalar, n, Exec> m_unknowns;
  InterleavedView<Scalar, vector_length, 2 * n, Exec> m_shares;  ///< of solve_transposed()
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
