// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// BoxCopy of every execution space.
#include <hyperplane/array/detail/box_copy_host.hpp>
#include <hyperplane/array/detail/box_copy_portable.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/array/detail/box_copy_cuda.hpp>
#endif
