// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace hyperplane::perf {

/// Numbers of the points of a plane and of the one before, in an order.
template <class Order>
struct OrderedPlane {
  Order m_order;
  OrderedPlane(const Order& order, int) : m_order(order) {}
  KOKKOS_FUNCTION std::int64_t own(const Point& p, std::int64_t) const { return m_order.index(p); }
  KOKKOS_FUNCTION std::int64_t before(const Point& p) const { return m_order.index(p); }
};

/// By hyperplanes a point of the plane has its number at hand.
template <>
struct OrderedPlane<HyperplaneMap> {
  HyperplaneMap m_planes;
  std::int64_t m_own;
  std::int64_t m_before;
  OrderedPlane(const HyperplaneMap& planes, int plane)
      : m_planes(planes), m_own(planes.plane_offset(plane)), m_before(plane > 0 ? planes.plane_offset(plane - 1) : 0) {}
  KOKKOS_FUNCTION std::int64_t own(const Point&, std::int64_t q) const { return m_own + q; }
  KOKKOS_FUNCTION std::int64_t before(const Point& p) const { return m_before + m_planes.q(p); }
};

KOKKOS_INLINE_FUNCTION double ordered_coefficient(std::int64_t natural, int d) {
  return d == 3 ? 0.5 : -0.25 - 0.01 * static_cast<double>((natural + 5 * d) % 7);
}
KOKKOS_INLINE_FUNCTION double ordered_right_hand_side(std::int64_t natural) {
  return 1.0 + 0.125 * static_cast<double>(natural % 11);
}

/// A forward sweep with a launch for each plane, as SweepPath::portable has, on arrays whose points are in some order:
/// what the order alone does to it.
template <class Order, class Exec>
class OrderedSweep {
  using Array = Kokkos::View<double*, typename Exec::memory_space>;
  using Arrays = Kokkos::View<double * [detail::lower_blocks], Kokkos::LayoutLeft, typename Exec::memory_space>;

 public:
  OrderedSweep(const Exec& exec, const Grid& grid)
      : m_order(grid),
        m_planes(grid),
        m_coefficients("coefficients", grid.size()),
        m_rhs("rhs", grid.size()),
        m_x("x", grid.size()) {
    fill(exec);
  }

  void fill(const Exec& exec) const {
    Kokkos::parallel_for("Hyperplane::perf::fill", Kokkos::RangePolicy<Exec>(exec, 0, m_planes.grid().size()),
                         Fill{m_planes.grid(), m_order, m_coefficients, m_rhs});
  }

  void run(const Exec& exec) const {
    for (int plane = 0; plane < m_planes.plane_count(); ++plane) {
      Kokkos::parallel_for("Hyperplane::perf::ordered_sweep",
                           Kokkos::RangePolicy<Exec>(exec, 0, m_planes.plane_size(plane)),
                           Plane{m_planes, OrderedPlane<Order>(m_order, plane), m_coefficients, m_rhs, m_x, plane});
    }
  }

  void verify(const Exec& exec) const {
    run(exec);
    auto const x = Kokkos::create_mirror_view(m_x);
    Kokkos::deep_copy(exec, x, m_x);
    exec.fence();
    Grid const& grid = m_planes.grid();
    std::vector<double> expected(grid.size());
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      double sum = ordered_right_hand_side(p);
      for (int d = 0; d < 3; ++d) {
        Point const other = neighbour(grid.point(p), detail::sweep_direction<detail::Sweep::forward>(d));
        if (grid.contains(other)) sum -= ordered_coefficient(p, d) * expected[grid.index(other)];
      }
      expected[p] = ordered_coefficient(p, 3) * sum;
      if (!(std::abs(x(m_order.index(grid.point(p))) - expected[p]) <= 1e-12)) {
        throw std::runtime_error("a sweep in another order differs from the serial one");
      }
    }
  }

  /// Public for nvcc.
  struct Fill {
    Grid m_grid;
    Order m_order;
    Arrays m_coefficients;
    Array m_rhs;

    KOKKOS_FUNCTION void operator()(std::int64_t natural) const {
      auto const number = m_order.index(m_grid.point(natural));
      for (int d = 0; d < detail::lower_blocks; ++d) m_coefficients(number, d) = ordered_coefficient(natural, d);
      m_rhs(number) = ordered_right_hand_side(natural);
    }
  };

  struct Plane {
    HyperplaneMap m_planes;
    OrderedPlane<Order> m_numbers;
    Arrays m_coefficients;
    Array m_rhs;
    Array m_x;
    int m_plane;

    KOKKOS_FUNCTION void operator()(std::int64_t q) const {
      Point const p = m_planes.point(m_plane, q);
      auto const own = m_numbers.own(p, q);
      double sum = m_rhs(own);
      HYPERPLANE_UNROLL
      for (int d = 0; d < 3; ++d) {
        Point const other = neighbour(p, detail::sweep_direction<detail::Sweep::forward>(d));
        if (m_planes.grid().contains(other)) sum -= m_coefficients(own, d) * m_x(m_numbers.before(other));
      }
      m_x(own) = m_coefficients(own, 3) * sum;
    }
  };

 private:
  Order m_order;
  HyperplaneMap m_planes;
  Arrays m_coefficients;
  Array m_rhs;
  Array m_x;
};

}  // namespace hyperplane::perf
