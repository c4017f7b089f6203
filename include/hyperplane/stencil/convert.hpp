// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/stencil/axis_order.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/view_places.hpp>

/// Conversion between the compact SIMD-interleaved layout and the layouts that a host code has: point-major blocks,
/// structure of arrays, or any other Kokkos layout; with points in natural order or any other (RedBlackOrder,
/// HyperplaneMap), or in arrays (i, j, k, ...) or (k, j, i, ...) with or without ghost layers. On the device,
/// asynchronous on the given instance, one launch, no allocation; every value is read and written once.
namespace hyperplane::inline HYPERPLANE_ABI {

/// Numbers the points of a grid, in kernels too: Grid itself (natural order), RedBlackOrder, HyperplaneMap, or one's
/// own.
template <class Order>
concept PointOrder = requires(const Order& order, const Point& p) {
  { order.index(p) } -> std::same_as<std::int64_t>;
};

namespace detail {

/// More values than 32 bits count fit into a device.
template <class Exec>
using Slots = LongIndexRange<Exec>;

/// What the place of a slot costs, as bytes that are moved in its time: divisions.
inline constexpr double slot_bytes = 256;

/// A part of a line of points along i, one after the other: where divisions take long, as on hosts, a point costs none.
template <class Body>
struct PointsOfSegment {
  static constexpr int longest = 1024;

  Grid m_grid;
  Body m_body;

  KOKKOS_FUNCTION int in_row() const { return (m_grid.ni() + longest - 1) / longest; }
  std::int64_t count() const { return std::int64_t{m_grid.nj()} * m_grid.nk() * in_row(); }

  KOKKOS_FUNCTION void operator()(std::int64_t segment) const {
    std::int64_t const row = segment / in_row();
    int const begin = static_cast<int>(segment % in_row()) * longest;
    int const end = m_grid.ni() - begin < longest ? m_grid.ni() : begin + longest;
    Point p{begin, static_cast<int>(row % m_grid.nj()), static_cast<int>(row / m_grid.nj())};
    for (; p.i < end; ++p.i) m_body(p);
  }
};

template <class Body>
struct PointOfNumber {
  Grid m_grid;
  Body m_body;
  KOKKOS_FUNCTION void operator()(std::int64_t number) const { m_body(m_grid.point(number)); }
};

/// body(p) for all points of a grid, each of which moves as many bytes.
template <class Exec, class Body>
void for_each_point(const Exec& exec, const char* label, const Grid& grid, [[maybe_unused]] double bytes,
                    const Body& body) {
  if constexpr (HostExecutionSpace<Exec>) {
    PointsOfSegment<Body> const segments{grid, body};
    double const points = static_cast<double>(grid.size()) / static_cast<double>(segments.count());
    launch(label, Slots<Exec>(exec, 0, segments.count()), bytes * points, segments);
  } else {
    Kokkos::parallel_for(label, Slots<Exec>(exec, 0, grid.size()).policy(), PointOfNumber<Body>{grid, body});
  }
}

/// What a point has in a vector or a matrix, there and in a view: copy(stored, viewed) for each value.
template <class Owner>
struct PointValues;

template <class Scalar, int n, class Exec>
struct PointValues<BlockVector<Scalar, n, Exec>> {
  static constexpr double bytes = 2.0 * n * sizeof(Scalar);
  static constexpr const char* unpack_label = "Hyperplane::BlockVector::unpack";

  template <class View, class Places>
  static constexpr bool fits = VectorView<View, n, Places::by_axes>::fits;
  template <class View, class Places>
  static void check(const char* function, const View& view, const Places& places, const Grid& grid) {
    check_vector_view<n>(function, view, places, grid);
  }
  template <class Ref, class View, class Place, class Copy>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(const Ref& ref, const Point& p, const View& view, const Place& at,
                                                   const Copy& copy) {
    for (int c = 0; c < n; ++c) copy(ref(p, c), vector_view_entry<n>(view, at, c));
  }
};

template <class Scalar, int n, class Exec, class Storage>
struct PointValues<BlockStencil7<Scalar, n, Exec, Storage>> {
  static constexpr double bytes = stencil7_size * 2.0 * n * n * sizeof(Storage);
  static constexpr const char* pack_label = "Hyperplane::BlockStencil7::pack";
  static constexpr const char* unpack_label = "Hyperplane::BlockStencil7::unpack";

  template <class View, class Places>
  static constexpr bool fits = StencilView<View, n, Places::by_axes>::fits;
  template <class View, class Places>
  static void check(const char* function, const View& view, const Places& places, const Grid& grid) {
    check_stencil_view<n>(function, view, places, grid);
  }
  template <class Ref, class View, class Place, class Copy>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(const Ref& ref, const Point& p, const View& view, const Place& at,
                                                   const Copy& copy) {
    for (int d = 0; d < stencil7_size; ++d) {
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          copy(ref(p, static_cast<Direction>(d), r, c), stencil_view_entry(view, at, d, r, c));
        }
      }
    }
  }
};

/// A vector or a matrix of the grid's points.
template <class Owner>
concept HasPointValues = requires { PointValues<Owner>::bytes; };

struct CopyFromView {
  template <class Stored, class Viewed>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Stored& stored, const Viewed& viewed) const {
    stored = static_cast<Stored>(viewed);
  }
};

struct CopyToView {
  template <class Stored, class Viewed>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Stored& stored, Viewed&& viewed) const {
    viewed = stored;
  }
};

/// A slot of packs, which is a point, or padding and zero.
template <class Ref, class View, class Places, class Scalar, int n, int vector_length>
struct PackSlot {
  Ref m_ref;
  View m_view;
  Places m_places;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    std::int64_t const pack = slot / vector_length;
    int const lane = static_cast<int>(slot % vector_length);
    Point p;
    bool const exists = m_ref.map().find_point(pack, lane, p);
    auto const at = exists ? m_places.at(p) : decltype(m_places.at(p)){};
    for (int c = 0; c < n; ++c) {
      m_ref.packs()(pack, c, lane) = exists ? vector_view_entry<n>(m_view, at, c) : Scalar(0);
    }
  }
};

/// The values of a point from a view or to it.
template <class Values, class Ref, class View, class Places, class Copy>
struct CopyPoint {
  Ref m_ref;
  View m_view;
  Places m_places;

  KOKKOS_FUNCTION void operator()(const Point& p) const { Values::for_each(m_ref, p, m_view, m_places.at(p), Copy{}); }
};

/// By slots, so that padding is set to zero.
template <class Exec, class View, class Scalar, int n, class Places>
void pack_with(const Exec& exec, const View& view, const BlockVector<Scalar, n, Exec>& vector, const Places& places) {
  using Values = PointValues<BlockVector<Scalar, n, Exec>>;
  static_assert(Values::template fits<View, Places>);
  Values::check("pack", view, places, vector.grid());
  constexpr int vector_length = BlockVector<Scalar, n, Exec>::vector_length;
  using Ref = decltype(vector.ref());
  launch("Hyperplane::BlockVector::pack", Slots<Exec>(exec, 0, vector.map().pack_count() * vector_length),
         slot_bytes + Values::bytes, PackSlot<Ref, View, Places, Scalar, n, vector_length>{vector.ref(), view, places});
}

template <class Exec, class View, class Owner, class Places>
void pack_with(const Exec& exec, const View& view, const Owner& owner, const Places& places) {
  using Values = PointValues<Owner>;
  static_assert(Values::template fits<View, Places>);
  Values::check("pack", view, places, owner.grid());
  using Ref = decltype(owner.ref());
  for_each_point(exec, Values::pack_label, owner.grid(), Values::bytes,
                 CopyPoint<Values, Ref, View, Places, CopyFromView>{owner.ref(), view, places});
}

template <class Exec, class Owner, class View, class Places>
void unpack_with(const Exec& exec, const Owner& owner, const View& view, const Places& places) {
  using Values = PointValues<Owner>;
  static_assert(Values::template fits<View, Places>);
  Values::check("unpack", view, places, owner.grid());
  using Ref = decltype(owner.ref());
  for_each_point(exec, Values::unpack_label, owner.grid(), Values::bytes,
                 CopyPoint<Values, Ref, View, Places, CopyToView>{owner.ref(), view, places});
}

}  // namespace detail

/// owner <- view. A BlockVector is viewed with rank 1 (row = point * n + c) or 2 (point, c), a BlockStencil7 with rank
/// 4 (point, direction, r, c), or for n = 1 with rank 2 (point, direction), with any layout; `order` says what number a
/// point has. Padding of a vector is set to zero, whatever was in it. Throws Error where an extent does not match the
/// grid.
template <ExecutionSpace Exec, class View, detail::HasPointValues Owner, PointOrder Order>
void pack(const Exec& exec, const View& view, const Owner& owner, const Order& order) {
  detail::pack_with(exec, view, owner, detail::NumberedPlaces<Order>("pack", order, owner.grid()));
}

/// The same in natural order.
template <ExecutionSpace Exec, class View, detail::HasPointValues Owner>
void pack(const Exec& exec, const View& view, const Owner& owner) {
  pack(exec, view, owner, owner.grid());
}

/// owner <- view with any layout, by axes: (i, j, k, c) or (k, j, i, c) for a vector, (i, j, k, direction, r, c) or
/// (k, j, i, direction, r, c) for a matrix, as the options say; for n = 1 also without c, and without r and c. Ghost
/// layers are not read.
template <ExecutionSpace Exec, class View, detail::HasPointValues Owner>
void pack(const Exec& exec, const View& view, const Owner& owner, const ArrayOptions& options) {
  detail::pack_with(exec, view, owner, detail::AxesPlaces("pack", options, owner.grid()));
}

/// view <- owner; see pack().
template <ExecutionSpace Exec, detail::HasPointValues Owner, class View, PointOrder Order>
void unpack(const Exec& exec, const Owner& owner, const View& view, const Order& order) {
  detail::unpack_with(exec, owner, view, detail::NumberedPlaces<Order>("unpack", order, owner.grid()));
}

/// The same in natural order.
template <ExecutionSpace Exec, detail::HasPointValues Owner, class View>
void unpack(const Exec& exec, const Owner& owner, const View& view) {
  unpack(exec, owner, view, owner.grid());
}

/// view <- owner, by axes; see pack(). Ghost layers keep what they have.
template <ExecutionSpace Exec, detail::HasPointValues Owner, class View>
void unpack(const Exec& exec, const Owner& owner, const View& view, const ArrayOptions& options) {
  detail::unpack_with(exec, owner, view, detail::AxesPlaces("unpack", options, owner.grid()));
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
