/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <hyperplane.h>
#include <hyperplane_lines.h>
#include <hyperplane_primitives.h>

int main(void) {
  const char* name = hyperplane_status_name(HYPERPLANE_SUCCESS);
  return name == NULL ? 1 : 0;
}
