// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/sweep/detail/typical_exponents.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/sample_part.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// FactorUnits::choose() for a box over devices: each part gets the units that the box has on one device. Nothing where
/// factors have no units.
template <class Scalar, int n, class Exec, class Storage, bool exist = has_scales<Storage>>
class UnitsOnDevices {
 public:
  explicit UnitsOnDevices(const GridOnDevices<Exec>&) {}
  template <class Matrices, class UnitsOf>
  void choose(const GridOnDevices<Exec>&, const Matrices&, const UnitsOf&) const {}
};

template <class Scalar, int n, class Exec, class Storage>
class UnitsOnDevices<Scalar, n, Exec, Storage, true> {
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Scales = FactorScales<Storage, n, vector_length>;

 public:
  explicit UnitsOnDevices(const GridOnDevices<Exec>& grid)
      : m_box(grid.box()),
        m_slots(sampled_slots(m_box.pack_count(), vector_length)),
        m_exponents(Kokkos::view_alloc(grid.exec(0), "Hyperplane::UnitsOnDevices::exponents"),
                    as_size((m_slots + 1) * n * n)) {}

  /// `units_of(p)` are FactorUnits of part p. Launches on the instances of the parts, ordered by events: nobody waits
  /// on the host.
  template <class Matrices, class UnitsOf>
  void choose(const GridOnDevices<Exec>& grid, const Matrices& a, const UnitsOf& units_of) const {
    using MatrixStorage = typename Matrices::value_type::storage_type;
    using Sample = SamplePart<MatrixStorage, n, vector_length>;
    Exec const& first = grid.exec(0);
    grid.run(first, [&](int p) {
      launch("Hyperplane::FactorUnits::sample", IndexRange<Exec>(grid.exec(p), 0, m_slots), Sample::point_bytes,
             Sample{a[as_size(p)].ref(), m_box, grid.first_layer(p), m_slots, m_exponents.data()});
    });
    std::int16_t* const quartiles = m_exponents.data() + m_slots * n * n;
    launch_quartiles(first, n * n, m_slots, UpperQuartiles{m_slots, m_exponents.data(), quartiles});
    units_of(0).template choose_by<Scalar>(first, quartiles);
    grid.run(first, [&](int p) {
      if (p == 0) return;
      launch("Hyperplane::FactorUnits::copy", IndexRange<Exec>(grid.exec(p), 0, Scales::units), 2.0 * sizeof(double),
             CopyUnits{units_of(0).ref().m_units, units_of(p).ref().m_units});
    });
  }

 private:
  SlabMap<vector_length> m_box;
  std::int64_t m_slots;
  Kokkos::View<std::int16_t*, typename Exec::memory_space> m_exponents;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
