// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/array/box_packer.hpp>
#include <hyperplane/array/updates.hpp>
#include <string>

#include "support/array_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BoxPackerTest : public ::testing::Test {};
TYPED_TEST_SUITE(BoxPackerTest, ExecutionSpaces, SpaceNames);

constexpr std::array<std::array<int, 3>, 3> orders = {{{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}};

/// Visits the points of a box in the order of a buffer.
template <class Visitor>
void for_box_in_order(const Box& box, const std::array<int, 3>& order, int components, const Visitor& visit) {
  int const begin[3] = {box.begin.i, box.begin.j, box.begin.k};
  int const end[3] = {box.end.i, box.end.j, box.end.k};
  int p[3];
  for (int c = 0; c < components; ++c) {
    for (p[order[2]] = begin[order[2]]; p[order[2]] < end[order[2]]; ++p[order[2]]) {
      for (p[order[1]] = begin[order[1]]; p[order[1]] < end[order[1]]; ++p[order[1]]) {
        for (p[order[0]] = begin[order[0]]; p[order[0]] < end[order[0]]; ++p[order[0]]) visit(p[0], p[1], p[2], c);
      }
    }
  }
}

/// Every layout, every box, every order in one buffer.
template <class T, class Exec>
void pack_and_unpack(const Exec& exec, const std::array<int, 3>& extents, int components) {
  std::vector<TestArray<T, Exec>> arrays;
  std::vector<PackedBox<T>> packed_boxes;
  std::vector<std::size_t> owner;
  for (auto const& layout : layouts_of(extents, components)) {
    arrays.emplace_back(exec, layout, static_cast<unsigned int>(arrays.size()));
    for (auto const& box : boxes_in(extents)) {
      for (auto const& order : orders) {
        packed_boxes.push_back({arrays.back().ref(), box, order});
        owner.push_back(arrays.size() - 1);
      }
    }
  }
  BoxPacker<T, Exec> const packer(exec, packed_boxes);
  std::vector<double> expected;
  for (std::size_t s = 0; s < packed_boxes.size(); ++s) {
    EXPECT_EQ(packer.offset(static_cast<int>(s)), std::ssize(expected));
    for_box_in_order(packed_boxes[s].box, packed_boxes[s].order, components, [&](int i, int j, int k, int c) {
      expected.push_back(static_cast<double>(arrays[owner[s]].at(i, j, k, c)));
    });
  }
  ASSERT_EQ(packer.size(), std::ssize(expected));
  Kokkos::View<T*, typename Exec::memory_space> const buffer("buffer", packer.size());
  packer.pack(exec, buffer);
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, buffer);
  EXPECT_TRUE(bitwise_equal({host.data(), host.data() + host.size()}, expected));

  // Back into arrays of other values, a packed box for each, with new values.
  std::vector<TestArray<T, Exec>> targets;
  std::vector<PackedBox<T>> into;
  for (auto const& packed_box : packed_boxes) {
    targets.emplace_back(exec, layouts_of(extents, components)[targets.size() % 6], 99);
    into.push_back({targets.back().ref(), packed_box.box, packed_box.order});
  }
  BoxPacker<T, Exec>(exec, into).unpack(exec, buffer);
  std::size_t next = 0;
  for (std::size_t s = 0; s < into.size(); ++s) {
    for_box_in_order(into[s].box, into[s].order, components,
                     [&](int i, int j, int k, int c) { targets[s].at(i, j, k, c) = static_cast<T>(expected[next++]); });
    EXPECT_TRUE(bitwise_equal(targets[s].found(), targets[s].expected())) << "packed box " << s;
  }
}

TYPED_TEST(BoxPackerTest, packs_and_unpacks_any_box) {
  TypeParam const exec;
  pack_and_unpack<double>(exec, {7, 5, 4}, 2);
  pack_and_unpack<float>(exec, {1, 1, 1}, 1);
  pack_and_unpack<int>(exec, {3, 4, 2}, 3);
}

TYPED_TEST(BoxPackerTest, packs_boxes_that_are_larger_than_what_a_thread_takes) {
  TypeParam const exec;
  std::array<int, 3> const extents = {41, 30, 21};
  TestArray<double, TypeParam> const x(exec, layouts_of(extents, 2)[0], 1), y(exec, layouts_of(extents, 2)[3], 2);
  Box const box = x.ref().box();
  BoxPacker<double, TypeParam> const packer(
      exec, {{x.ref(), face_box(box, Direction::east, 3, 2)}, {y.ref(), box, {2, 1, 0}}, {x.ref(), box}});
  Kokkos::View<double*, typename TypeParam::memory_space> const buffer("buffer", packer.size() + 5);
  packer.pack(exec, buffer);
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, buffer);
  std::size_t e = 0, wrong = 0;
  for_box_in_order({{36, 0, 0}, {39, 30, 21}}, {0, 1, 2}, 2,
                   [&](int i, int j, int k, int c) { wrong += host(e++) != x.at(i, j, k, c); });
  for_box_in_order(box, {2, 1, 0}, 2, [&](int i, int j, int k, int c) { wrong += host(e++) != y.at(i, j, k, c); });
  for_box_in_order(box, {0, 1, 2}, 2, [&](int i, int j, int k, int c) { wrong += host(e++) != x.at(i, j, k, c); });
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(host(e), 0.0) << "nothing behind the last packed box is written";

  // And back, the one that runs in another order, and inside padded arrays.
  TestArray<double, TypeParam> z(exec, layouts_of(extents, 2)[3], 3);
  Box const part{{1, 0, 2}, {40, 30, 20}};
  BoxPacker<double, TypeParam> const moved(exec, {{y.ref(), part, {2, 1, 0}}});
  moved.pack(exec, buffer);
  BoxPacker<double, TypeParam>(exec, {{z.ref(), part, {2, 1, 0}}}).unpack(exec, buffer);
  for_box(part, 2, [&](int i, int j, int k, int c) { z.at(i, j, k, c) = y.at(i, j, k, c); });
  EXPECT_TRUE(bitwise_equal(z.found(), z.expected()));
  BoxPacker<double, TypeParam> const straight(exec, {{x.ref(), part}});
  straight.pack(exec, buffer);
  BoxPacker<double, TypeParam>(exec, {{z.ref(), part}}).unpack(exec, buffer);
  for_box(part, 2, [&](int i, int j, int k, int c) { z.at(i, j, k, c) = x.at(i, j, k, c); });
  EXPECT_TRUE(bitwise_equal(z.found(), z.expected()));
}

template <class T, class Exec>
void transpose_there_and_back(const Exec& exec, const std::array<int, 3>& e) {
  using Array = Kokkos::View<T***, Kokkos::LayoutLeft, Exec>;
  Array const x("x", e[0], e[1], e[2]), back("back", e[0], e[1], e[2]);
  auto const host_x = Kokkos::create_mirror_view(x);
  auto const value = [e_0 = e[0], e_1 = e[1]](int i, int j, int k) { return static_cast<T>(i + e_0 * (j + e_1 * k)); };
  Box const box = array_ref(x).box();
  for_box(box, 1, [&](int i, int j, int k, int) { host_x(i, j, k) = value(i, j, k); });
  Kokkos::deep_copy(x, host_x);
  BoxPacker<T, Exec> const packer(exec, {{array_ref(x), box, {1, 0, 2}}});
  Kokkos::View<T*, typename Exec::memory_space> const buffer("buffer", packer.size());
  packer.pack(exec, buffer);
  BoxPacker<T, Exec>(exec, {{array_ref(back), box, {1, 0, 2}}}).unpack(exec, buffer);
  exec.fence();
  auto const packed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, buffer);
  auto const unpacked = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back);
  std::size_t place = 0, wrong = 0;
  for_box_in_order(box, {1, 0, 2}, 1, [&](int i, int j, int k, int) {
    wrong += packed(place++) != value(i, j, k) || unpacked(i, j, k) != value(i, j, k);
  });
  EXPECT_EQ(wrong, 0u);
}

TYPED_TEST(BoxPackerTest, transposes_large_boxes) {
  TypeParam const exec;
  transpose_there_and_back<float>(exec, {96, 117, 5});
  transpose_there_and_back<int>(exec, {37, 300, 4});
  transpose_there_and_back<double>(exec, {523, 35, 3});
  // More than caches hold.
  transpose_there_and_back<double>(exec, {90, 104, 64});
  transpose_there_and_back<float>(exec, {96, 112, 100});
}

/// A box as BoxPacker has it: where its points are in memory, and one after the other in the buffer.
detail::Nest<double, 2> packed_nest(double* first, const std::array<int, 4>& extents,
                                    const std::array<std::int64_t, 4>& strides) {
  detail::Nest<double, 2> nest{};
  nest.m_data[0] = first;
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < 4; ++d) {
    nest.m_extents[d] = extents[d];
    nest.m_strides[0][d] = strides[d];
    nest.m_strides[1][d] = stride;
    stride *= extents[d];
  }
  return nest;
}

TYPED_TEST(BoxPackerTest, has_a_portable_way) {
  // Hosts and CUDA have ways of their own, so that packers there do not take it.
  TypeParam const exec;
  using Values = Kokkos::View<double*, typename TypeParam::memory_space>;
  int const size = 400;
  Values const array("array", size), back("back", size), buffer("buffer", size);
  auto const host_array = Kokkos::create_mirror_view(array);
  for (int e = 0; e < size; ++e) host_array(e) = e + 1;
  Kokkos::deep_copy(array, host_array);
  auto const nests = [](double* values) {
    return std::vector{packed_nest(values, {1, 1, 1, 1}, {1, 1, 1, 1}), packed_nest(values, {0, 3, 2, 1}, {1, 1, 1, 1}),
                       packed_nest(values + 1, {3, 5, 2, 1}, {7, 1, 40, 1}),
                       packed_nest(values + 100, {5, 3, 2, 4}, {1, 7, 30, 70})};
  };
  detail::PortableBoxCopy<double, TypeParam>(exec, nests(array.data())).template run<true>(exec, "pack", buffer.data());
  detail::PortableBoxCopy<double, TypeParam>(exec, nests(back.data())).template run<false>(exec, "back", buffer.data());
  exec.fence();
  std::vector<double> expected_buffer, expected_back(size, 0.0);
  for (auto const& nest : nests(host_array.data())) {
    auto const& strides = nest.m_strides[0];
    for (int e = 0; e < nest.size(); ++e) {
      int rest = e;
      auto offset = nest.m_data[0] - host_array.data();
      for (int d = 0; d < 4; rest /= nest.m_extents[d++]) offset += rest % nest.m_extents[d] * strides[d];
      expected_buffer.push_back(static_cast<double>(offset + 1));
      expected_back[static_cast<std::size_t>(offset)] = static_cast<double>(offset + 1);
    }
  }
  auto const packed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, buffer);
  auto const unpacked = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back);
  EXPECT_TRUE(bitwise_equal({packed.data(), packed.data() + expected_buffer.size()}, expected_buffer));
  EXPECT_TRUE(bitwise_equal({unpacked.data(), unpacked.data() + size}, expected_back));
}

TYPED_TEST(BoxPackerTest, exchanges_halos_like_a_copy) {
  // Two blocks side by side: what the left one sends is what the right one has in its halo.
  TypeParam const exec;
  auto const layout = layouts_of({8, 6, 5}, 1)[3];
  TestArray<double, TypeParam> const left(exec, layout, 1);
  TestArray<double, TypeParam> right(exec, layout, 2);
  Box const box = left.ref().box();
  BoxPacker<double, TypeParam> const send(exec, {{left.ref(), face_box(box, Direction::east, 2, 2)}});
  BoxPacker<double, TypeParam> const receive(exec, {{right.ref(), face_box(box, Direction::west, 2)}});
  Kokkos::View<double*, typename TypeParam::memory_space> const buffer("buffer", send.size());
  send.pack(exec, buffer);
  receive.unpack(exec, buffer);
  for_box({{0, 0, 0}, {2, 6, 5}}, 1, [&](int i, int j, int k, int c) { right.at(i, j, k) = left.at(i + 4, j, k, c); });
  EXPECT_TRUE(bitwise_equal(right.found(), right.expected()));
}

TYPED_TEST(BoxPackerTest, transposed_copies_between_arrays) {
  TypeParam const exec;
  for (auto const& order : orders) {
    for (auto const& layout : layouts_of({5, 4, 7}, 2)) {
      TestArray<double, TypeParam> const x(exec, layout, 1);
      TestArray<double, TypeParam> y(exec, layouts_of({8, 9, 10}, 2)[3], 2);
      Box const box{{1, 0, 2}, {5, 3, 7}};
      Point const begin{2, 1, 0};
      transposed_copy(exec, box, x, order, begin, y);
      for_box(box, 2, [&](int i, int j, int k, int c) {
        int const p[3] = {i - box.begin.i, j - box.begin.j, k - box.begin.k};
        y.at(begin.i + p[order[0]], begin.j + p[order[1]], begin.k + p[order[2]], c) = x.at(i, j, k, c);
      });
      EXPECT_TRUE(bitwise_equal(y.found(), y.expected())) << layout.name;
      EXPECT_THROW(transposed_copy(exec, box, x, order, Point{6, 6, 6}, y), Error);
    }
  }
}

TYPED_TEST(BoxPackerTest, is_one_launch_however_many_boxes) {
  auto const exec = OtherInstance<TypeParam>::make();
  TestArray<double, TypeParam> const x(exec, layouts_of({5, 4, 3}, 2)[3]);
  Box const box = x.ref().box();
  std::vector<PackedBox<double>> packed_boxes;
  for (auto const face : stencil7_directions) {
    if (face != Direction::center) packed_boxes.push_back({x.ref(), face_box(box, face, 1)});
  }
  BoxPacker<double, TypeParam> const packer(exec, packed_boxes);
  Kokkos::View<double*, typename TypeParam::memory_space> const buffer("buffer", packer.size());
  exec.fence();
  KokkosEvents const events;
  packer.pack(exec, buffer);
  packer.unpack(exec, buffer);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_THAT(events.copies(), ::testing::IsEmpty());
  ASSERT_EQ(events.kernels().size(), 2u);
  EXPECT_EQ(events.kernels()[0].label, "Hyperplane::BoxPacker::pack");
  EXPECT_EQ(events.kernels()[1].label, "Hyperplane::BoxPacker::unpack");
  EXPECT_EQ(events.kernels()[0].device_and_instance, Kokkos::Tools::Experimental::device_id(exec));
}

TYPED_TEST(BoxPackerTest, names_what_does_not_fit) {
  TypeParam const exec;
  TestArray<double, TypeParam> const x(exec, layouts_of({5, 4, 3}, 2)[0]);
  Box const box = x.ref().box();
  auto const message = [](auto&& function) {
    try {
      function();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  using Packer = BoxPacker<double, TypeParam>;
  EXPECT_THAT(message([&] { Packer(exec, {{x.ref(), box}, {x.ref(), Box{{0, 0, 0}, {6, 4, 3}}}}); }),
              ::testing::HasSubstr("packed box 1: box [0, 6)"));
  EXPECT_THAT(message([&] { Packer(exec, {{x.ref(), box, {0, 1, 1}}}); }), ::testing::HasSubstr("order 0, 1, 1"));
  EXPECT_THAT(message([&] { face_box(box, Direction::top, 2, 2); }), ::testing::HasSubstr("2 layers from layer 2"));
  EXPECT_THAT(message([&] { face_box(box, Direction::center, 1); }), ::testing::HasSubstr("no face"));
  Packer const packer(exec, {{x.ref(), box}});
  Kokkos::View<double*, typename TypeParam::memory_space> const small("small", 119);
  EXPECT_THAT(message([&] { packer.pack(exec, small); }), ::testing::HasSubstr("'small' has 119 values, expected 120"));
  EXPECT_THAT(message([&] { packer.unpack(exec, static_cast<const double*>(nullptr)); }),
              ::testing::HasSubstr("null pointer"));
  EXPECT_THAT(message([&] { static_cast<void>(packer.offset(2)); }), ::testing::HasSubstr("packed box 2 of 1"));
  Packer const nothing(exec, {});
  EXPECT_EQ(nothing.size(), 0);
  nothing.pack(exec, small);
}

}  // namespace
}  // namespace hyperplane::test
