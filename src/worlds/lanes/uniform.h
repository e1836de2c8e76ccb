// Worlds that take the same way together.  An algorithm that branches on numbers runs for a set of
// worlds as long as they agree; a world that goes another way leaves the set and is done again
// from the start, with others that left or alone.  So every world has the operations of the scalar
// algorithm, whoever is beside it.

// does the set take this branch?  Most of it decides, the others leave
CF_LANE_INLINE bool laneAgree(unsigned* set, cfMask condition) {
  const unsigned yes = laneBits(condition) & *set, no = *set & ~yes;
  if (!yes || !no) {
    return yes != 0;
  }
  const bool is_taken = __builtin_popcount(yes) >= __builtin_popcount(no);
  *set = is_taken ? yes : no;
  return is_taken;
}


// a whole number that the set has in common: that of its first world, others leave
CF_LANE_INLINE int laneAgreeOn(unsigned* set, cfVec number) {
  if (!*set) {
    return 0;
  }
  const mjtNum first = number[__builtin_ctz(*set)];
  *set &= laneBits(number == first);
  return (int)first;
}
