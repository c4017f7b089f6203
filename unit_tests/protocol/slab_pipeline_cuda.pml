// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweeps of detail::CudaSlabSolve inside a cluster (include/hyperplane/sweep/detail/slab_solve_cuda_*.hpp): the warps
// of its thread blocks, which wait for one another at barriers in shared memory. Every slab layer (a row, in code) has a
// warp that computes, one that prepares sums and one that moves data; others receive packets or open slots for the thread
// block before. A warp is one process here. Barriers count phases, and a wait knows the parity of a phase alone.
//
// The cluster takes DRAWS tiles one after the other, of any slab and any layers, since other clusters may take the ones
// between; tiles at the end of the grid lack slab layers or whole thread blocks. Packets are there whenever a warp looks for
// them: that one comes late is the same as a warp that is slow. slab_solve_cuda.pml shows that they come. Copies from
// memory are there at once: that they come late is the same as a warp that waits for them being slow. For the same reason
// what a warp does up to its first write or arrival is one step: nobody sees how far it is in it. What a wait could miss by
// that, a barrier so far behind that the parity is right by chance, is asserted when the warp comes to the step.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_WIDE_WINDOW       a slot is opened a step too early
//   FAULT_NO_READERS        a slot is opened before the slab layer above has read it
//   FAULT_RECEIVE_EARLY     packets from the south are put into a slot that is still read
//   FAULT_FIRST_SLAB        in the first slab nobody arrives in the place of the warp that receives from the south
//   FAULT_COUNTS            steps of slab layers that a tile lacks are counted, too

#define STEPS (POINTS + LANES - 1)
#define LANES 2
#ifndef WINDOW
#define WINDOW 2
#endif
#define STAGES 2
#define RECEIVERS ((LAYERS + 1) / 2)
#define WARPS (BLOCKS * (3 * LAYERS + RECEIVERS + 1))
#define ARRIVALS_TO_BE_READY 4

#define ROW(of_block, row) ((of_block) * LAYERS + (row))
#define RING(of_block, row) ((of_block) * (LAYERS + 1) + (row))  // ring 0 has the layer below the block
#define SLOT(number) ((number) % WINDOW)
// What stands in the place of a value: which step of which tile it is of.
#define VALUE(step) (drawn * STEPS + (step))
#define ZERO 255

byte rings[BLOCKS * (LAYERS + 1) * WINDOW];
byte south_lanes[BLOCKS * LAYERS * WINDOW];  // the lane before lane 0 of those rings
byte sums[BLOCKS * LAYERS * WINDOW];
byte stages[BLOCKS * LAYERS * STAGES];

// Barriers: phases that are complete, and what the one that is open lacks.
byte done[BLOCKS * (LAYERS + 1) * WINDOW];
bool awaits_store[BLOCKS * (LAYERS + 1) * WINDOW];
byte ready[BLOCKS * LAYERS * WINDOW];
byte arrivals[BLOCKS * LAYERS * WINDOW];
byte arrived[BLOCKS * LAYERS * STAGES];

// The tile that the cluster has drawn.
byte drawn;
byte slab;
byte index_k;
byte at_sync;

#define FIRST_LAYER(of_block) ((index_k * BLOCKS + (of_block)) * LAYERS)
#define ROWS(of_block) \
  (FIRST_LAYER(of_block) >= GRID_LAYERS -> 0 : \
   (GRID_LAYERS - FIRST_LAYER(of_block) < LAYERS -> GRID_LAYERS - FIRST_LAYER(of_block) : LAYERS))
#define FROM_BLOCK (b > 0 && ROWS(b) > 0)
#define FROM_PACKETS (b == 0 && index_k > 0)
#define MORE (FIRST_LAYER(b) + LAYERS < GRID_LAYERS)
#define TO_BLOCK (b + 1 < BLOCKS && MORE)

// A wait for phase `number / size` of a barrier passes by its parity. It must be that phase itself, and when a warp comes to
// the wait, the barrier may not have been left so far behind that it has the same parity.
#define PASSES(barrier, number, size) (((barrier) ^ ((number) / (size))) & 1)
#define IS_PHASE(barrier, number, size) ((barrier) == (number) / (size) + 1)
#define IS_NEAR(barrier, number, size) ((barrier) >= (number) / (size))

#define DONE(question, ring, number) question(done[(ring) * WINDOW + SLOT(number)], number, WINDOW)
#define READY(question, row, number) question(ready[(row) * WINDOW + SLOT(number)], number, WINDOW)
#define ARRIVED(question, row, number) question(arrived[(row) * STAGES + (number) % STAGES], number, STAGES)

inline arrive_ready(row, number, count) {
  arrivals[(row) * WINDOW + SLOT(number)] = arrivals[(row) * WINDOW + SLOT(number)] + (count);
  assert(arrivals[(row) * WINDOW + SLOT(number)] <= ARRIVALS_TO_BE_READY);
  if
  :: arrivals[(row) * WINDOW + SLOT(number)] == ARRIVALS_TO_BE_READY ->
    arrivals[(row) * WINDOW + SLOT(number)] = 0;
    ready[(row) * WINDOW + SLOT(number)]++
  :: else
  fi
}

// No barrier is left with a part of its arrivals.
inline check_barriers() {
  at = 0;
  do
  :: at < BLOCKS * LAYERS * WINDOW -> assert(arrivals[at] == 0); at++
  :: else -> break
  od;
  at = 0;
  do
  :: at < BLOCKS * (LAYERS + 1) * WINDOW -> assert(!awaits_store[at]); at++
  :: else -> break
  od;
  at = 0
}

// All warps of the cluster meet, and the last one draws the next tile, any of the grid's. In an atomic part, after what a
// warp counts.
inline draw() {
  slab = 0;
  index_k = 0;
  do
  :: slab < SLABS - 1 -> slab++
  :: true -> break
  od;
  do
  :: (index_k + 1) * BLOCKS * LAYERS < GRID_LAYERS -> index_k++
  :: true -> break
  od;
  drawn++
}
inline meet() {
  at_sync++;
  if
  :: at_sync == WARPS ->
    check_barriers();
    at_sync = 0;
    if
    :: drawn < DRAWS -> draw()
    :: else -> drawn++
    fi
  :: else
  fi
}
#define IS_DRAWN (drawn > seen && drawn <= DRAWS)

#ifdef FAULT_COUNTS
#define COUNTED(exists) STEPS
#else
#define COUNTED(exists) ((exists) -> STEPS : 0)
#endif

// The recursion along a slab layer.
#define STEP_WAITS(question, step) (ARRIVED(question, ROW(b, r), own + (step)) && READY(question, ROW(b, r), own + (step)))
inline check_step_inputs() {
  assert(stages[ROW(b, r) * STAGES + (own + v) % STAGES] == VALUE(v));
  assert(sums[ROW(b, r) * WINDOW + SLOT(own + v)] == VALUE(v));
  assert(v == 0 || rings[RING(b, r + 1) * WINDOW + SLOT(own + v - 1)] == VALUE(v - 1));
  assert(v >= POINTS ||
         south_lanes[ROW(b, r) * WINDOW + SLOT(own + v + WINDOW - 1)] == (slab == 0 -> ZERO : VALUE(v)))
}

proctype computer(byte b, r) {
  byte seen, v, at, own, remote;
  bool to_block;
  do
  :: drawn > DRAWS -> break
  :: atomic {
      IS_DRAWN -> seen++;
      v = (r < ROWS(b) -> 0 : STEPS);
      to_block = (r + 1 == ROWS(b) && TO_BLOCK);
      assert(v == STEPS || STEP_WAITS(IS_NEAR, 0))
    };
    do
    :: v < STEPS ->
      atomic {
        STEP_WAITS(PASSES, v) ->
        assert(STEP_WAITS(IS_PHASE, v));
        check_step_inputs();
        rings[RING(b, r + 1) * WINDOW + SLOT(own + v)] = VALUE(v);
        done[RING(b, r + 1) * WINDOW + SLOT(own + v)]++;
        assert(v + 1 == STEPS || STEP_WAITS(IS_NEAR, v + 1))
      };
      if
      :: to_block ->
        atomic {
          at = RING(b + 1, 0) * WINDOW + SLOT(remote + v);
          assert(awaits_store[at]);
          rings[at] = VALUE(v);
          awaits_store[at] = false;
          done[at]++;
          at = 0
        }
      :: else
      fi;
      v++
    :: else -> break
    od;
    atomic {
      v = 0;
      own = own + COUNTED(r < ROWS(b));
      remote = remote + (to_block -> STEPS : 0);
      meet()
    }
  od
}

// Right-hand side less the product with the layer below.
#define HAS_BOTTOM (FIRST_LAYER(b) + r > 0)
#define SUM_WAITS(question, step)                                        \
  (ARRIVED(question, ROW(b, r), own + (step)) &&                         \
   (!HAS_BOTTOM || DONE(question, RING(b, r), bottom + (step))) &&       \
   ((step) < WINDOW || DONE(question, RING(b, r + 1), own + (step)-WINDOW)))
inline check_sum_inputs() {
  assert(stages[ROW(b, r) * STAGES + (own + v) % STAGES] == VALUE(v));
  assert(!HAS_BOTTOM || rings[RING(b, r) * WINDOW + SLOT(bottom + v)] == VALUE(v))
}

proctype preparer(byte b, r) {
  byte seen, v, at, own, bottom;
  do
  :: drawn > DRAWS -> break
  :: atomic {
      IS_DRAWN -> seen++;
      v = (r < ROWS(b) -> 0 : STEPS);
      assert(v == STEPS || SUM_WAITS(IS_NEAR, 0))
    };
    do
    :: v < STEPS ->
      atomic {
        SUM_WAITS(PASSES, v) ->
        assert(SUM_WAITS(IS_PHASE, v));
        check_sum_inputs();
        sums[ROW(b, r) * WINDOW + SLOT(own + v)] = VALUE(v);
        arrive_ready(ROW(b, r), own + v, 1);
        assert(v + 1 == STEPS || SUM_WAITS(IS_NEAR, v + 1));
        v++
      }
    :: else -> break
    od;
    atomic {
      v = 0;
      own = own + COUNTED(r < ROWS(b));
      bottom = bottom + ((r == 0 -> FROM_BLOCK || FROM_PACKETS : r <= ROWS(b)) -> STEPS : 0);
      meet()
    }
  od
}

// Copies ahead, and results to memory.
#ifdef FAULT_FIRST_SLAB
#define FOR_SOUTH 0
#else
#define FOR_SOUTH (slab == 0)
#endif
#ifdef FAULT_NO_READERS
#define FOR_READERS 1
#else
#define FOR_READERS (r + 1 == ROWS(b) && !TO_BLOCK)
#endif
#ifdef FAULT_WIDE_WINDOW
#define OPENED (WINDOW + 1)
#else
#define OPENED WINDOW
#endif

inline admit(step) {
  if
  :: step < STEPS ->
    arrive_ready(ROW(b, r), own + step, 1 + FOR_SOUTH + FOR_READERS);
#ifndef FAULT_NO_READERS
    if
    :: r > 0 -> arrive_ready(ROW(b, r - 1), bottom + step, 1)
    :: else
    fi
#endif
  :: else
  fi
}
inline copy(step) {
  if
  :: step < STEPS ->
    stages[ROW(b, r) * STAGES + (own + step) % STAGES] = VALUE(step);
    arrived[ROW(b, r) * STAGES + (own + step) % STAGES]++
  :: else
  fi
}

proctype mover(byte b, r) {
  byte seen, v, at, own, bottom;
  do
  :: drawn > DRAWS -> break
  :: atomic {
      IS_DRAWN -> seen++;
      v = (r < ROWS(b) -> 0 : STEPS);
      do
      :: v == 0 && slab == 0 && at < WINDOW -> south_lanes[ROW(b, r) * WINDOW + at] = ZERO; at++
      :: else -> break
      od;
      at = 0;
      do
      :: v == 0 && at < OPENED -> admit(at); at++
      :: else -> break
      od;
      at = 0;
      do
      :: v == 0 && at < STAGES -> copy(at); at++
      :: else -> break
      od;
      at = 0
    };
    do
    :: v < STEPS ->
      atomic {
        DONE(PASSES, RING(b, r + 1), own + v) ->
        assert(DONE(IS_PHASE, RING(b, r + 1), own + v));
        copy(v + STAGES);
        assert(rings[RING(b, r + 1) * WINDOW + SLOT(own + v)] == VALUE(v));
        admit(v + OPENED);
        assert(v + 1 == STEPS || DONE(IS_NEAR, RING(b, r + 1), own + v + 1));
        v++
      }
    :: else -> break
    od;
    atomic {
      v = 0;
      own = own + COUNTED(r < ROWS(b));
      bottom = bottom + ((r == 0 -> FROM_BLOCK || FROM_PACKETS : r <= ROWS(b)) -> STEPS : 0);
      meet()
    }
  od
}

// Receives packets of two slab layers from the south, whichever has some. A packet for a step goes to the slot before.
#ifdef FAULT_RECEIVE_EARLY
#define ROOM (WINDOW + 1)
#else
#define ROOM WINDOW
#endif
#define MAY_TAKE(i) (complete[i] < STEPS && complete[i] < consumed[i] + ROOM)
#define MAY_CONSUME(i)                                \
  (consumed[i] < complete[i] && complete[i] < STEPS && \
   DONE(PASSES, RING(b, first + i + 1), own[i] + consumed[i]))

inline take_south(i) {
  if
  :: complete[i] < POINTS ->
    south_lanes[ROW(b, first + i) * WINDOW + SLOT(own[i] + WINDOW - 1 + complete[i])] = VALUE(complete[i])
  :: else
  fi;
  arrive_ready(ROW(b, first + i), own[i] + complete[i], 1);
  complete[i]++
}
inline consume_south(i) {
  assert(DONE(IS_PHASE, RING(b, first + i + 1), own[i] + consumed[i]));
  consumed[i]++
}

proctype south_receiver(byte b, first) {
  byte seen, at;
  byte own[2];
  byte complete[2];
  byte consumed[2];
  do
  :: drawn > DRAWS -> break
  :: atomic {
      IS_DRAWN -> seen++;
      complete[0] = (slab > 0 && first < ROWS(b) -> 0 : STEPS);
      complete[1] = (slab > 0 && first + 1 < ROWS(b) -> 0 : STEPS)
    };
    do
    :: atomic { MAY_TAKE(0) -> take_south(0) }
    :: atomic { MAY_CONSUME(0) -> consume_south(0) }
    :: atomic { MAY_TAKE(1) -> take_south(1) }
    :: atomic { MAY_CONSUME(1) -> consume_south(1) }
    :: complete[0] == STEPS && complete[1] == STEPS -> break
    od;
    atomic {
      complete[0] = 0;
      complete[1] = 0;
      consumed[0] = 0;
      consumed[1] = 0;
      own[0] = own[0] + COUNTED(first < ROWS(b));
      own[1] = own[1] + COUNTED(first + 1 < ROWS(b));
      meet()
    }
  od
}

// Brings the layer below: from packets, or by opening slots for the thread block before, which fills them.
#define MAY_CONSUME_BELOW \
  (consumed < v && v < STEPS && DONE(PASSES, RING(b, 1), own + consumed))
#define MAY_OPEN (v < STEPS && (v < WINDOW || DONE(PASSES, RING(b, 1), own + v - WINDOW)))

inline take_bottom() {
  rings[RING(b, 0) * WINDOW + SLOT(bottom + v)] = VALUE(v);
  done[RING(b, 0) * WINDOW + SLOT(bottom + v)]++;
  v++
}
inline consume_below() {
  assert(DONE(IS_PHASE, RING(b, 1), own + consumed));
  consumed++
}
inline open() {
  assert(v < WINDOW || DONE(IS_PHASE, RING(b, 1), own + v - WINDOW));
  assert(!awaits_store[RING(b, 0) * WINDOW + SLOT(bottom + v)]);
  awaits_store[RING(b, 0) * WINDOW + SLOT(bottom + v)] = true
}

proctype bottom_receiver(byte b) {
  byte seen, at, v, consumed, bottom, own, remote;
  bool from_packets;
  do
  :: drawn > DRAWS -> break
  :: atomic {
      IS_DRAWN -> seen++;
      from_packets = FROM_PACKETS;
      v = (FROM_PACKETS || FROM_BLOCK -> 0 : STEPS)
    };
    do
    :: atomic { from_packets && v < STEPS && v < consumed + WINDOW -> take_bottom() }
    :: atomic { from_packets && MAY_CONSUME_BELOW -> consume_below() }
    :: !from_packets && v < STEPS ->
      atomic { MAY_OPEN -> open() };
      atomic {
        arrive_ready(ROW(b - 1, LAYERS - 1), remote + v, 1);
        assert(v + 1 < WINDOW || v + 1 == STEPS || DONE(IS_NEAR, RING(b, 1), own + v + 1 - WINDOW));
        v++
      }
    :: v == STEPS -> break
    od;
    atomic {
      v = 0;
      consumed = 0;
      bottom = bottom + (FROM_BLOCK || FROM_PACKETS -> STEPS : 0);
      own = own + COUNTED(ROWS(b) > 0);
      remote = remote + (b > 0 && FIRST_LAYER(b) <= GRID_LAYERS -> STEPS : 0);
      meet()
    }
  od
}

init {
  byte b, r;
  atomic {
    draw();
    do
    :: b < BLOCKS ->
      r = 0;
      do
      :: r < LAYERS ->
        run computer(b, r);
        run preparer(b, r);
        run mover(b, r);
        if
        :: r % 2 == 0 -> run south_receiver(b, r)
        :: else
        fi;
        r++
      :: else -> break
      od;
      run bottom_receiver(b);
      b++
    :: else -> break
    od
  }
}
