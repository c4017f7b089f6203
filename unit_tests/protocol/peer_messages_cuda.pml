// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between two devices (include/hyperplane/cuda/peer_messages.hpp): kernels that put and take them, of several
// thread blocks, of which the last to count stores the word. A mailbox has a message in one direction or in both; what
// the hosts launch is exchange after exchange, in each of them mailbox after mailbox, put before take. How far a device
// is, and when its host has launched something, does not depend on the other.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_OWN_ORDERS   one device goes through the mailboxes backwards
//   FAULT_NO_TAKEN     a put does not wait until its slot was taken
//   FAULT_ONE_SLOT     all numbers have the same slot
//   FAULT_FIRST_TELLS  the first thread block to count stores the word

#define FROM_0 1  // directions of a mailbox, to be added up
#define FROM_1 2
#ifndef MAILBOX_1
#define MAILBOX_1 0
#endif
#ifndef MAILBOX_2
#define MAILBOX_2 0
#endif
#define MAILBOXES 3
#define DIRECTIONS(mailbox) ((mailbox) == 0 -> MAILBOX_0 : ((mailbox) == 1 -> MAILBOX_1 : MAILBOX_2))
#define HAS(mailbox, sender) ((DIRECTIONS(mailbox) >> (sender)) & 1)
#ifdef FAULT_OWN_ORDERS
#define NEXT(device, place) ((device) == 0 -> (place) : MAILBOXES - 1 - (place))
#else
#define NEXT(device, place) (place)
#endif
#ifdef FAULT_ONE_SLOT
#define SLOT(number) 0
#else
#define SLOT(number) ((number) % 2)
#endif
#ifdef FAULT_FIRST_TELLS
#define TELLS(before) ((before) == 0)
#else
#define TELLS(before) ((before) == BLOCKS - 1)
#endif

typedef Slot {
  byte values[BLOCKS];  // what each thread block of a put stores: its number
};
typedef Message {
  byte arrived;
  byte taken;
  Slot slots[2];
};
Message messages[2 * MAILBOXES];  // by mailbox and sender

// Of the kernel that runs on a device: thread blocks that have counted; of all of them: those that have ended.
byte counted[2];
byte ended[2];

inline count_and_tell(word) {
  atomic {
    before = counted[device];
    counted[device] = (before + 1) % BLOCKS
  }
  if
  :: TELLS(before) -> word = number
  :: else
  fi
}

inline put(m) {
#ifndef FAULT_NO_TAKEN
  messages[m].taken + 2 >= number;
#endif
  messages[m].slots[SLOT(number)].values[self] = number;
  count_and_tell(messages[m].arrived)
}

inline take(m) {
  messages[m].arrived >= number;
  value = 0;
  do
  :: value < BLOCKS ->
    assert(messages[m].slots[SLOT(number)].values[value] == number);
    value++
  :: else -> break
  od;
  count_and_tell(messages[m].taken)
}

// Kernels of a stream run one after the other.
inline begin_kernel() { ended[device] >= kernels * BLOCKS }
inline end_kernel() {
  ended[device]++;
  kernels++
}

proctype thread_block(byte device; byte self) {
  byte number = 1, place, mailbox, kernels, before, value;
  do
  :: number <= EXCHANGES ->
    place = 0;
    do
    :: place < MAILBOXES ->
      mailbox = NEXT(device, place);
      if
      :: HAS(mailbox, device) -> begin_kernel(); put(2 * mailbox + device); end_kernel()
      :: else
      fi;
      if
      :: HAS(mailbox, 1 - device) -> begin_kernel(); take(2 * mailbox + 1 - device); end_kernel()
      :: else
      fi;
      place++
    :: else -> break
    od;
    number++
  :: else -> break
  od
}

init {
  byte device, self;
  atomic {
    do
    :: device < 2 ->
      self = 0;
      do
      :: self < BLOCKS -> run thread_block(device, self); self++
      :: else -> break
      od;
      device++
    :: else -> break
    od
  }
}
