// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <functional>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/swept_rule.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"

// What runs depends on the device and on what the code was compiled for: code for 8.0 runs on a device of 9.0, without
// what that has.
namespace hyperplane::test {

__global__ void write_after_the_kernel_before(int* word) {
  cuda::wait_for_kernel_before();
  *word = 1;
}

namespace {

using Exec = Kokkos::Cuda;

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Architecture, support_is_of_the_device_and_of_the_code) {
  constexpr int compiled[] = {__CUDA_ARCH_LIST__};
  Exec const exec;
  auto const support = cuda::support_of(write_after_the_kernel_before);
  EXPECT_EQ(support.m_device, 10 * exec.cuda_device_prop().major + exec.cuda_device_prop().minor);
  EXPECT_EQ(10 * support.m_compiled, compiled[0]);
  EXPECT_EQ(support.m_shared_bytes, exec.cuda_device_prop().sharedMemPerBlockOptin);
}

template <class Scalar, int n, class Storage>
void expect_that_automatic_runs() {
  Exec const exec;
  auto const runs = paths_of<Exec>();
  // Slabs need more shared memory in the factorization of BILU(0) than in sweeps.
  using Factor = detail::BlockIlu0FastFactor<Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
  using Slab = detail::BlockIlu0CudaSlabFactor<Scalar, n, Storage, vector_length_v<Scalar, Exec>>;
  auto const asked = Factor::sweep_path(exec, SweepPath::automatic);
  EXPECT_EQ(asked, Slab::lacking().empty() ? SweepPath::automatic : SweepPath::cuda_graph) << "n = " << n;
  for (auto const& grid : {Grid(3, 4, 5), Grid(40, 50, 60), Grid(150, 150, 150)}) {
    auto const path = detail::TriangularSweepsFastPath<Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>::choose(
        exec, SlabMap<vector_length_v<Scalar, Exec>>(grid));
    EXPECT_THAT(runs, ::testing::Contains(path)) << "n = " << n;
    auto const both = asked == SweepPath::automatic ? path : asked;
    EXPECT_THAT(runs, ::testing::Contains(both)) << "BlockIlu0, n = " << n;
  }
  auto const line_path = BlockTridiagonal<Scalar, n, Exec, Storage>(exec, LineSet::uniform(3, 4)).path();
  EXPECT_THAT(line_paths_of<Exec>(n), ::testing::Contains(line_path)) << "n = " << n;
}

TEST(Architecture, automatic_is_a_path_that_runs) {
  expect_that_automatic_runs<double, 1, double>();
  expect_that_automatic_runs<double, 5, double>();
  expect_that_automatic_runs<double, 5, float>();
  expect_that_automatic_runs<float, 1, float>();
  Exec const exec;
  // BILU(0) runs what its sweeps take when they are asked for the path of the factorization.
  Grid const grid(3, 4, 5);
  using Ilu = BlockIlu0<double, 5, Exec>;
  auto const asked =
      detail::BlockIlu0FastFactor<double, 5, Exec, double, Ilu::vector_length>::sweep_path(exec, SweepPath::automatic);
  EXPECT_EQ(Ilu(exec, grid).path(), Ilu::Sweeps(exec, grid, "Owner", {.path = asked}).path());
  auto const path = SipIteration<double, Exec>(exec, grid).options().path;
  EXPECT_EQ(path, SipIterationPath::slab);
}

TEST(Architecture, what_a_path_lacks_is_named) {
  if (has_capability_90<Exec>()) GTEST_SKIP() << "nothing is lacking";
  Exec const exec;
  Grid const grid(3, 4, 5);
  auto const& device = exec.cuda_device_prop();
  constexpr int compiled[] = {__CUDA_ARCH_LIST__};
  auto const expected = [&](const std::string& what) {
    return ::testing::HasSubstr(what + " needs compute capability 9.0: the device has " + std::to_string(device.major) +
                                "." + std::to_string(device.minor) + ", and the code was compiled for " +
                                cuda::capability_name(compiled[0] / 10));
  };
  EXPECT_THAT(
      message([&] { BlockTridiagonal<double, 5, Exec>(exec, LineSet::uniform(3, 4), {.path = LinePath::staged}); }),
      expected("BlockTridiagonal: path staged"));
  using Rule = SweptRule<HeatEquation<double>, Exec>;
  EXPECT_THAT(message([&] {
                Rule(exec, HeatEquation<double>{.fourier_number = 0.25}, 4096, {.variant = SweptVariant::resident});
              }),
              expected("SweptRule: the variant resident"));
}

#if CUDART_VERSION >= 13000
TEST(Architecture, a_kernel_overlaps_the_one_before_only_where_it_can_wait) {
  Kokkos::View<int, Exec> const word("word");
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  for (int kernel = 0; kernel < 2; ++kernel) {
    cuda::launch(stream, write_after_the_kernel_before, 1, 1, 0, cuda::Dependency::programmatic, word.data());
  }
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphNode_t from = nullptr, to = nullptr;
  cudaGraphEdgeData edge{};
  std::size_t edges = 1;
  ASSERT_EQ(cudaGraphGetEdges(graph, &from, &to, &edge, &edges), cudaSuccess);
  EXPECT_EQ(edges, 1u);
  EXPECT_EQ(edge.type == cudaGraphDependencyTypeProgrammatic, has_capability_90<Exec>());
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}
#endif

}  // namespace
}  // namespace hyperplane::test
