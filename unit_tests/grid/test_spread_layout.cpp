// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/grid/spread_layout.hpp>
#include <vector>

namespace hyperplane::test {
namespace {

// Whatever the sizes: a part lies in its piece, and begins with a SIMD group, of which all parts together have the
// numbers. Parts may have none.
TEST(SpreadLayout, parts_lie_in_their_pieces) {
  for (std::int64_t const pack : {8, 24, 40, 256}) {
    for (std::int64_t const unit : {8, 512, 262144}) {
      std::vector<std::int64_t> const packs{0, 1, 7, 1, 0, 0, 11000, 3, 0};
      detail::SpreadLayout const layout(packs, pack, unit);
      ASSERT_EQ(layout.count(), 9);
      std::int64_t begin = 0;
      for (int p = 0; p < layout.count(); ++p) {
        auto const piece = layout.pieces()[p];
        EXPECT_EQ(piece % unit, 0);
        EXPECT_EQ(layout.values(p), packs[p] * pack);
        EXPECT_EQ(layout.first_value(p), layout.first_pack(p) * pack);
        EXPECT_GE(layout.first_value(p), begin);
        EXPECT_LT(layout.first_value(p), begin + pack);
        EXPECT_LE(layout.first_value(p) + layout.values(p), begin + piece);
        EXPECT_LT(piece, layout.values(p) + pack + unit);
        begin += piece;
      }
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
