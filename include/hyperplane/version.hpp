// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define HYPERPLANE_VERSION_MAJOR 0
#define HYPERPLANE_VERSION_MINOR 1
#define HYPERPLANE_VERSION_PATCH 0
