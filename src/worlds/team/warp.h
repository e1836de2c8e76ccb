// The team on an NVIDIA GPU: CF_TEAM_WIDTH threads of a warp.

// its threads; a number that the compiler knows where it is the whole warp
CF_TEAM_FN unsigned int teamMask(const cfTeam* t) {
  return CF_TEAM_WIDTH == 32 ? 0xffffffffu : t->mask;
}


CF_TEAM_FN void teamSync(const cfTeam* t) {
  __nvvm_bar_warp_sync(teamMask(t));
}


// one after the other, teams would have their instructions fetched one after the other
CF_TEAM_FN void teamAlign(const cfTeam* t) {
  __nvvm_bar_warp_sync(teamMask(t));
  __syncthreads();
}


CF_TEAM_FN bool teamAny(const cfTeam* t, bool x) {
  __nvvm_bar_warp_sync(teamMask(t));
  return __nvvm_bar0_or(x);
}


// x of the thread whose number differs in the bits of `mask`
CF_TEAM_FN int teamSwapInt(const cfTeam* t, int x, int mask) {
  return __nvvm_shfl_sync_bfly_i32((int)teamMask(t), x, mask, 0x1f);
}


CF_TEAM_FN int teamFromInt(const cfTeam* t, int x, int thread) {
  return __nvvm_shfl_sync_idx_i32((int)teamMask(t), x, thread, (32 - CF_TEAM_WIDTH) << 8 | 0x1f);
}

#ifdef CF_TEAM_SINGLE

CF_TEAM_FN cfReal teamSwap(const cfTeam* t, cfReal x, int mask) {
  return __nvvm_shfl_sync_bfly_f32((int)teamMask(t), x, mask, 0x1f);
}


CF_TEAM_FN cfReal teamFrom(const cfTeam* t, cfReal x, int thread) {
  return __nvvm_shfl_sync_idx_f32((int)teamMask(t), x, thread, (32 - CF_TEAM_WIDTH) << 8 | 0x1f);
}

#else

typedef union {
  double number;
  int half[2];
} teamHalves;


CF_TEAM_FN cfReal teamSwap(const cfTeam* t, cfReal x, int mask) {
  teamHalves u = {x};
  u.half[0] = teamSwapInt(t, u.half[0], mask);
  u.half[1] = teamSwapInt(t, u.half[1], mask);
  return u.number;
}


CF_TEAM_FN cfReal teamFrom(const cfTeam* t, cfReal x, int thread) {
  teamHalves u = {x};
  u.half[0] = teamFromInt(t, u.half[0], thread);
  u.half[1] = teamFromInt(t, u.half[1], thread);
  return u.number;
}

#endif


// the first addition may be fused with a product, and then both partners have another rounding:
// the sum of one thread is taken for all, since branches depend on it
CF_TEAM_FN cfReal teamSum(const cfTeam* t, cfReal x) {
  for (int k = CF_TEAM_WIDTH / 2; k > 0; k /= 2) {
    x += teamSwap(t, x, k);
  }
  return teamFrom(t, x, 0);
}


CF_TEAM_FN cfReal teamMax(const cfTeam* t, cfReal x) {
  for (int k = CF_TEAM_WIDTH / 2; k > 0; k /= 2) {
    const cfReal other = teamSwap(t, x, k);
    x = other > x ? other : x;
  }
  return x;
}


CF_TEAM_FN int teamSumInt(const cfTeam* t, int x) {
  for (int k = CF_TEAM_WIDTH / 2; k > 0; k /= 2) {
    x += teamSwapInt(t, x, k);
  }
  return x;
}


CF_TEAM_FN int teamOr(const cfTeam* t, int x) {
  for (int k = CF_TEAM_WIDTH / 2; k > 0; k /= 2) {
    x |= teamSwapInt(t, x, k);
  }
  return x;
}


CF_TEAM_FN int teamScan(const cfTeam* t, int x) {
  for (int k = 1; k < CF_TEAM_WIDTH; k *= 2) {
    const int other = __nvvm_shfl_sync_up_i32((int)teamMask(t), x, k, (32 - CF_TEAM_WIDTH) << 8);
    x += t->thread >= k ? other : 0;
  }
  return x;
}
