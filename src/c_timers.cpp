// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/core/timers.hpp>

#include <algorithm>
#include <cstring>

#include "c_library.hpp"

// Timers of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

hyperplane_status hyperplane_timers_start() {
  return guarded(__func__, [] {
    registry();
    Timers::start();
  });
}

hyperplane_status hyperplane_timers_stop() {
  return guarded(__func__, [] {
    registry();
    Timers::stop();
  });
}

hyperplane_status hyperplane_timers_reset() {
  return guarded(__func__, [] { Timers::reset(); });
}

hyperplane_status hyperplane_timers_report(hyperplane_timers_format format, char* text, size_t capacity,
                                           size_t* length) {
  return guarded(__func__, [&] {
    auto const kind = enumerator<hyperplane_timers_format>(format, HYPERPLANE_TIMERS_JSON, "format");
    require_pointer(length, "length");
    if (capacity > 0) require_pointer(text, "text");
    auto const report = kind == HYPERPLANE_TIMERS_TABLE ? Timers::table() : Timers::json();
    *length = report.size();
    if (capacity == 0) return;
    auto const room = std::min(report.size(), capacity - 1);
    std::memcpy(text, report.data(), room);
    text[room] = '\0';
  });
}
