// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

/// Conversion between the compact SIMD-interleaved layout and the layouts that a host code has: point-major blocks,
/// structure of arrays, or any other Kokkos layout; with points in natural order or any other (RedBlackOrder,
/// HyperplaneMap). On the device, asynchronous on the given instance, one launch, no allocation; every value is read
/// and written once.
namespace hyperplane {

/// Numbers the points of a grid, in kernels too: Grid itself (natural order), RedBlackOrder, HyperplaneMap, or one's
/// own.
template <class Order>
concept PointOrder = requires(const Order& order, const Point& p) {
  { order.index(p) } -> std::same_as<std::int64_t>;
};

namespace detail {

template <class Order>
void check_order(const char* function, const Order& order, const Grid& grid) {
  if constexpr (requires { order.grid(); }) {
    if (!(order.grid() == grid)) {
      fail(std::string(function) + ": the order is one of a grid of " + to_string(order.grid()) + " points, expected " +
           to_string(grid));
    }
  } else if constexpr (std::is_same_v<Order, Grid>) {
    if (!(order == grid)) {
      fail(std::string(function) + ": the order is one of a grid of " + to_string(order) + " points, expected " +
           to_string(grid));
    }
  }
}

/// More values than 32 bits count fit into a device.
template <class Exec>
using Slots = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

template <class View>
void check_extents(const char* function, const View& view, const std::array<std::int64_t, View::rank()>& expected) {
  for (std::size_t d = 0; d < View::rank(); ++d) {
    if (static_cast<std::int64_t>(view.extent(d)) != expected[d]) {
      fail(std::string(function) + ": extent " + std::to_string(d) + " of view '" + view.label() + "' is " +
           std::to_string(view.extent(d)) + ", expected " + std::to_string(expected[d]));
    }
  }
}

template <class View>
void check_vector_view(const char* function, const View& view, const Grid& grid, int n) {
  constexpr auto rank = View::rank();
  static_assert(rank == 1 || rank == 2 || rank == 4, "a vector is viewed as (row), (point, c) or (i, j, k, c)");
  if constexpr (rank == 1) {
    check_extents(function, view, {grid.size() * n});
  } else if constexpr (rank == 2) {
    check_extents(function, view, {grid.size(), n});
  } else {
    check_extents(function, view, {grid.ni(), grid.nj(), grid.nk(), n});
  }
}

/// Unknown c of a point in any of the views that check_vector_view accepts.
template <int n, class View>
KOKKOS_FUNCTION decltype(auto) vector_view_entry(const View& view, std::int64_t number, const Point& p, int c) {
  if constexpr (View::rank() == 1) {
    return view(number * n + c);
  } else if constexpr (View::rank() == 2) {
    return view(number, c);
  } else {
    return view(p.i, p.j, p.k, c);
  }
}

template <class View>
void check_stencil_view(const char* function, const View& view, const Grid& grid, int n) {
  static_assert(View::rank() == 2 || View::rank() == 4,
                "a stencil is viewed as (point, direction, r, c), for n = 1 also as (point, direction)");
  if constexpr (View::rank() == 4) {
    check_extents(function, view, {grid.size(), stencil7_size, n, n});
  } else {
    if (n != 1) fail(std::string(function) + ": a view of rank 2 has no place for blocks of " + std::to_string(n));
    check_extents(function, view, {grid.size(), stencil7_size});
  }
}

template <class View>
KOKKOS_FUNCTION decltype(auto) stencil_view_entry(const View& view, std::int64_t number, int d, int r, int c) {
  if constexpr (View::rank() == 4) {
    return view(number, d, r, c);
  } else {
    return view(number, d);
  }
}

}  // namespace detail

/// vector <- view, a view of rank 1 (row = point * n + c), 2 (point, c) or 4 (i, j, k, c) with any layout; `order` says
/// what number a point has in views of the first two kinds. Padding is set to zero, whatever was in it. Throws Error
/// where an extent does not match the grid.
template <class View, class Scalar, int n, ExecutionSpace Exec, PointOrder Order>
void pack(const Exec& exec, const View& view, const BlockVector<Scalar, n, Exec>& vector, const Order& order) {
  detail::check_vector_view("pack", view, vector.grid(), n);
  detail::check_order("pack", order, vector.grid());
  constexpr int vector_length = BlockVector<Scalar, n, Exec>::vector_length;
  auto const ref = vector.ref();
  Kokkos::parallel_for(
      "Hyperplane::BlockVector::pack", detail::Slots<Exec>(exec, 0, vector.map().pack_count() * vector_length),
      KOKKOS_LAMBDA(std::int64_t slot) {
        std::int64_t const pack = slot / vector_length;
        int const lane = static_cast<int>(slot % vector_length);
        Point p;
        bool const exists = ref.map().find_point(pack, lane, p);
        std::int64_t const number = exists ? order.index(p) : 0;
        for (int c = 0; c < n; ++c) {
          ref.packs()(pack, c, lane) = exists ? detail::vector_view_entry<n>(view, number, p, c) : Scalar(0);
        }
      });
}

/// The same in natural order.
template <class View, class Scalar, int n, ExecutionSpace Exec>
void pack(const Exec& exec, const View& view, const BlockVector<Scalar, n, Exec>& vector) {
  pack(exec, view, vector, vector.grid());
}

/// view <- vector; see pack().
template <class Scalar, int n, ExecutionSpace Exec, class View, PointOrder Order>
void unpack(const Exec& exec, const BlockVector<Scalar, n, Exec>& vector, const View& view, const Order& order) {
  detail::check_vector_view("unpack", view, vector.grid(), n);
  detail::check_order("unpack", order, vector.grid());
  auto const ref = vector.ref();
  Kokkos::parallel_for(
      "Hyperplane::BlockVector::unpack", detail::Slots<Exec>(exec, 0, vector.grid().size()),
      KOKKOS_LAMBDA(std::int64_t natural) {
        Point const p = ref.grid().point(natural);
        std::int64_t const number = order.index(p);
        for (int c = 0; c < n; ++c) detail::vector_view_entry<n>(view, number, p, c) = ref(p, c);
      });
}

/// The same in natural order.
template <class Scalar, int n, ExecutionSpace Exec, class View>
void unpack(const Exec& exec, const BlockVector<Scalar, n, Exec>& vector, const View& view) {
  unpack(exec, vector, view, vector.grid());
}

/// stencil <- view of rank 4 (point, direction, r, c), or for n = 1 of rank 2 (point, direction), with any layout.
/// Throws Error where an extent does not match.
template <class View, class Scalar, int n, ExecutionSpace Exec, class Storage, PointOrder Order>
void pack(const Exec& exec, const View& view, const BlockStencil7<Scalar, n, Exec, Storage>& stencil,
          const Order& order) {
  detail::check_stencil_view("pack", view, stencil.grid(), n);
  detail::check_order("pack", order, stencil.grid());
  auto const ref = stencil.ref();
  Kokkos::parallel_for(
      "Hyperplane::BlockStencil7::pack", detail::Slots<Exec>(exec, 0, stencil.grid().size()),
      KOKKOS_LAMBDA(std::int64_t natural) {
        Point const p = ref.grid().point(natural);
        std::int64_t const number = order.index(p);
        for (int d = 0; d < stencil7_size; ++d) {
          for (int c = 0; c < n; ++c) {
            for (int r = 0; r < n; ++r) {
              ref(p, static_cast<Direction>(d), r, c) =
                  static_cast<Storage>(detail::stencil_view_entry(view, number, d, r, c));
            }
          }
        }
      });
}

/// The same in natural order.
template <class View, class Scalar, int n, ExecutionSpace Exec, class Storage>
void pack(const Exec& exec, const View& view, const BlockStencil7<Scalar, n, Exec, Storage>& stencil) {
  pack(exec, view, stencil, stencil.grid());
}

/// view <- stencil; see pack().
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class View, PointOrder Order>
void unpack(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& stencil, const View& view,
            const Order& order) {
  detail::check_stencil_view("unpack", view, stencil.grid(), n);
  detail::check_order("unpack", order, stencil.grid());
  auto const ref = stencil.ref();
  Kokkos::parallel_for(
      "Hyperplane::BlockStencil7::unpack", detail::Slots<Exec>(exec, 0, stencil.grid().size()),
      KOKKOS_LAMBDA(std::int64_t natural) {
        Point const p = ref.grid().point(natural);
        std::int64_t const number = order.index(p);
        for (int d = 0; d < stencil7_size; ++d) {
          for (int c = 0; c < n; ++c) {
            for (int r = 0; r < n; ++r) {
              detail::stencil_view_entry(view, number, d, r, c) = ref(p, static_cast<Direction>(d), r, c);
            }
          }
        }
      });
}

/// The same in natural order.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class View>
void unpack(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& stencil, const View& view) {
  unpack(exec, stencil, view, stencil.grid());
}

}  // namespace hyperplane
