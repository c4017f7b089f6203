// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hyperplane {

/// How a solver runs. `automatic` takes the fastest path of the execution space; every other choice is taken at its
/// word, and throws Error where the execution space cannot run it.
enum class Path {
  automatic,
  portable,    ///< Kokkos alone (BlockIlu0: one launch for each hyperplane, one thread a point); every execution space
  pencil,      ///< along skewed pencils, point to point, without barriers; host execution spaces, CUDA from 9.0 on
  cuda_graph,  ///< a kernel for each hyperplane, captured once; starts, and loads factors, before the one before ends
  thread_recycling,  ///< one persistent kernel, points fetched in batches, an atomic grid barrier between hyperplanes
  cooperative,       ///< the same with the grid barrier of cooperative groups
  self_scheduled,    ///< one kernel, points fetched in batches by ticket, a counter of finished batches a hyperplane
  staged,  ///< BlockTridiagonal: several threads a line; CUDA, for n > 1 from 9.0 on (blocks brought ahead by bulk
           ///< copies)
};

constexpr const char* name(Path path) {
  switch (path) {
    case Path::automatic: return "automatic";
    case Path::portable: return "portable";
    case Path::pencil: return "pencil";
    case Path::cuda_graph: return "cuda_graph";
    case Path::thread_recycling: return "thread_recycling";
    case Path::cooperative: return "cooperative";
    case Path::self_scheduled: return "self_scheduled";
    case Path::staged: return "staged";
  }
  return "unknown";
}

}  // namespace hyperplane
