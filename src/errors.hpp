// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>

/// Kinds of Error that the C interface tells apart.
namespace hyperplane::run_time {

/// A backend, device or block size that is not there.
class NotAvailable : public Error {
 public:
  using Error::Error;
};

/// Shapes or numbers of values that differ.
class SizeMismatch : public Error {
 public:
  using Error::Error;
};

/// A finite value that the type it is to be stored in does not hold.
class Overflow : public Error {
 public:
  using Error::Error;
};

}  // namespace hyperplane::run_time
