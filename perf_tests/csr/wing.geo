// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Half a tapered, swept wing of sections NACA 0012 at the symmetry plane y = 0 of a box, for gmsh's own kernel. Tetrahedra are as
// large as `size` at the wing and grow away from it. docs/unstructured.md says how the mesh is made.

DefineConstant[ size = {0.04, Name "Size of elements at the wing, in chords of its root"} ];
DefineConstant[ growth = {0.08, Name "What the size grows by, for each chord away from the wing"} ];

points = 24;  // of each side of a section

Macro Section
  // From the leading edge `x`, `y` along the upper side to the trailing edge, and back along the lower one.
  first = newp;
  Point(first) = {x, y, 0};
  For k In {1 : points}
    t = 0.5 * (1 - Cos(Pi * k / points));
    half = 0.6 * (0.2969 * Sqrt(t) - 0.1260 * t - 0.3516 * t^2 + 0.2843 * t^3 - 0.1036 * t^4);
    Point(first + k) = {x + chord * t, y, (k == points) ? 0 : chord * half};
    If (k < points)
      Point(first + points + k) = {x + chord * t, y, -chord * half};
    EndIf
  EndFor
  upper = newc;
  Spline(upper) = {first : first + points};
  lower = newc;
  Spline(lower) = {first, first + points + 1 : first + 2 * points - 1, first + points};
Return

x = 0; y = 0; chord = 1;
Call Section;
root_first = first; root_upper = upper; root_lower = lower;
x = 0.6; y = 1.2; chord = 0.56;
Call Section;

leading = newc; Line(leading) = {root_first, first};
trailing = newc; Line(trailing) = {root_first + points, first + points};
Curve Loop(1) = {root_upper, trailing, -upper, -leading};
Surface(1) = {1};
Curve Loop(2) = {root_lower, trailing, -lower, -leading};
Surface(2) = {2};
Curve Loop(3) = {upper, -lower};
Plane Surface(3) = {3};

// The box; its face at y = 0 has the root as a hole.
corner = newp;
For side In {0 : 1}
  Point(corner + 4 * side) = {-4, 5 * side, -4};
  Point(corner + 4 * side + 1) = {6, 5 * side, -4};
  Point(corner + 4 * side + 2) = {6, 5 * side, 4};
  Point(corner + 4 * side + 3) = {-4, 5 * side, 4};
EndFor
edge = newc;
For k In {0 : 3}
  Line(edge + k) = {corner + k, corner + (k + 1) % 4};
  Line(edge + 4 + k) = {corner + 4 + k, corner + 4 + (k + 1) % 4};
  Line(edge + 8 + k) = {corner + k, corner + 4 + k};
EndFor
Curve Loop(4) = {root_upper, -root_lower};
Curve Loop(5) = {edge : edge + 3};
Plane Surface(5) = {5, 4};
Curve Loop(6) = {edge + 4 : edge + 7};
Plane Surface(6) = {6};
For k In {0 : 3}
  Curve Loop(7 + k) = {edge + k, edge + 8 + (k + 1) % 4, -(edge + 4 + k), -(edge + 8 + k)};
  Plane Surface(7 + k) = {7 + k};
EndFor
Surface Loop(1) = {1, 2, 3, 5 : 10};
Volume(1) = {1};
Physical Volume("air") = {1};  // so that nothing but tetrahedra is written

Field[1] = Distance;
Field[1].SurfacesList = {1, 2, 3};
Field[1].Sampling = 200;
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = size;
Field[2].SizeMax = size + 8 * growth;
Field[2].DistMin = 0;
Field[2].DistMax = 8;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
