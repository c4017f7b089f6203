// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/simd/pack_lanes.hpp>

namespace hyperplane::test {
namespace {

template <class Scalar, class Storage, int W>
void check_lanes(int begin, int end) {
  using PackType = Pack<Scalar, W>;
  detail::SomeLanes const lanes{begin, end};
  alignas(W * sizeof(Storage)) Storage values[W], stored[W], streamed[W];
  PackType pack(0);
  for (int lane = 0; lane < W; ++lane) {
    values[lane] = Storage(lane + 1);
    stored[lane] = streamed[lane] = Storage(-1);
    pack.set(lane, Scalar(lane + 1));
  }
  auto const loaded = lanes.load<PackType>(values), only = lanes.only(pack);
  lanes.store(pack, stored);
  lanes.stream(pack, streamed);
  auto const above = pack > PackType(1);
  detail::MaskOfLanes<typename PackType::Mask, detail::SomeLanes> const mask{above, lanes};
  for (int lane = 0; lane < W; ++lane) {
    bool const has = lane >= begin && lane < end;
    EXPECT_EQ(lanes.has(lane), has);
    EXPECT_EQ(loaded[lane], has ? Scalar(lane + 1) : Scalar(0));
    EXPECT_EQ(only[lane], has ? Scalar(lane + 1) : Scalar(0));
    EXPECT_EQ(stored[lane], has ? Storage(lane + 1) : Storage(-1));
    EXPECT_EQ(streamed[lane], stored[lane]);
    EXPECT_EQ(mask[lane], has && lane > 0);
  }
}

TEST(SomeLanes, neither_read_nor_write_the_others) {
  for (int begin = 0; begin <= 4; ++begin) {
    for (int end = 0; end <= 4; ++end) {
      check_lanes<double, double, 4>(begin, end);
      check_lanes<double, float, 4>(begin, end);
      check_lanes<float, float, 4>(begin, end);
    }
  }
  check_lanes<double, double, 1>(0, 1);
  check_lanes<double, double, 1>(0, 0);
}

}  // namespace
}  // namespace hyperplane::test
