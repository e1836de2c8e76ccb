// Sine and cosine of angles of moderate size, for a number or a vector of them: the same operations
// in the same order, so the same bits.  Included once for each kind of number, after
//   CF_LIBM(name)   the name of a function or type for this kind
//   CF_LIBM_REAL    a double, or a vector of doubles
//   CF_LIBM_WORD    a uint64_t, or a vector of them
//   CF_LIBM_TEST    the type of a comparison
//   CF_LIBM_BITS(x), CF_LIBM_NUMBER(w)  bits of numbers and back
//   CF_LIBM_PICK(odd, a, b)             a where `odd` is 1, b where it is 0
//
// The argument is reduced to its distance from the nearest multiple of pi/2, at most pi/4.  There
// the angle is h + l, h with 12 bits: its square, cube and fourth power are exact, and so are their
// products with a coefficient of few bits.  What is rounded is a small part of the result, so the
// error stays near half a unit in the last place.

// an angle after reduction, hi + lo, and the multiple of pi/2 that was taken off
typedef struct {
  CF_LIBM_REAL hi, lo, turns;
  CF_LIBM_WORD quarter;  // modulo 4 in the last two bits
} CF_LIBM(Angle);

// a result before its last rounding
typedef struct {
  CF_LIBM_REAL hi, lo;
} CF_LIBM(Sum);


// Reduce an angle below 2^20 by subtracting multiples of pi/2 piece by piece (Cody and Waite): the
// first two pieces have 33 bits, so their multiples are exact, and so are the differences.
static inline CF_LIBM(Angle) CF_LIBM(ReduceAngle)(CF_LIBM_REAL x) {
  const double magic = 0x1.8p52;  // pushes the fraction out
  const CF_LIBM_REAL pushed = x * 0x1.45f306dc9c883p-1 + magic, turns = pushed - magic;
  const CF_LIBM_REAL first = x - turns * 0x1.921fb544p+0, second = turns * 0x1.0b4611a6p-34;
  const CF_LIBM_REAL rest = first - second, lost = (first - rest) - second;
  const CF_LIBM_REAL past = turns * 0x1.3198a2e037073p-69 - lost, hi = rest - past;
  return (CF_LIBM(Angle)){hi, (rest - hi) - past, turns, CF_LIBM_BITS(pushed)};
}


// Bits of the size of a number.
static inline CF_LIBM_REAL CF_LIBM(Magnitude)(CF_LIBM_REAL x) {
  return CF_LIBM_NUMBER(CF_LIBM_BITS(x) & 0x7fffffffffffffffu);
}


// True where the reduction is not exact enough: large angles, what is not a number, and angles so
// close to a multiple of pi/2 that the pieces run out of bits.
static inline CF_LIBM_TEST CF_LIBM(IsHard)(CF_LIBM_REAL x, CF_LIBM(Angle) a) {
  const CF_LIBM_REAL size = CF_LIBM(Magnitude)(x);
  return (size >= 0x1p20) | (x != x) |
         (CF_LIBM(Magnitude)(a.hi) < CF_LIBM(Magnitude)(a.turns) * 0x1p-60);
}


// x - x^3/6 + x^5*P(x^2), |x| <= pi/4; the largest error of P is 2^-68 of the result
static inline CF_LIBM(Sum) CF_LIBM(SineNearZero)(CF_LIBM_REAL x, CF_LIBM_REAL lo) {
  const double magic = 0x1.8p40;
  const CF_LIBM_REAL h = (x + magic) - magic, l = x - h, hh = h * h, z = x * x, zz = z * z;
  const CF_LIBM_REAL p01 = 0x1.111111111110fp-7 + z * -0x1.a01a01a019395p-13;
  const CF_LIBM_REAL p23 = 0x1.71de3a53d1d35p-19 + z * -0x1.ae645345020c5p-26;
  const CF_LIBM_REAL p45 = 0x1.6120f485c05a6p-33 + z * -0x1.aad110c41ad45p-41;
  const CF_LIBM_REAL p = p01 + zz * (p23 + zz * p45);

  // -1/6 in two parts, of which the first has 17 bits
  const CF_LIBM_REAL hhh = hh * h, cube = hhh * -0x1.5555p-3;
  const CF_LIBM_REAL mixed = l * (3 * hh + l * (3 * h + l)) * -0x1.5555555555555p-3;
  const CF_LIBM_REAL small = (hhh * -0x1.5555555555555p-21 + mixed) + x * zz * p;
  const CF_LIBM_REAL sum = x + cube;
  const CF_LIBM_REAL cosine = (1 - 0.5 * z) + zz * 0x1.5555555555555p-5;
  return (CF_LIBM(Sum)){sum, (cube - (sum - x)) + (small + lo * cosine)};
}


// 1 - x^2/2 + x^4/24 + x^6*P(x^2), |x| <= pi/4; the largest error of P is 2^-63
static inline CF_LIBM(Sum) CF_LIBM(CosineNearZero)(CF_LIBM_REAL x, CF_LIBM_REAL lo) {
  const double magic = 0x1.8p40;
  const CF_LIBM_REAL h = (x + magic) - magic, l = x - h, hh = h * h, more = l * (x + h);
  const CF_LIBM_REAL z = x * x, zz = z * z;
  const CF_LIBM_REAL p01 = -0x1.6c16c16c163bdp-10 + z * 0x1.a01a019e48d6fp-16;
  const CF_LIBM_REAL p23 = -0x1.27e4f915324d1p-22 + z * 0x1.1eea932ba38e1p-29;
  const CF_LIBM_REAL p = p01 + zz * (p23 + zz * -0x1.8fff262b3bf8cp-37);

  // 1/24 in two parts, of which the first has 5 bits; 1 - h^2/2 is exact
  const CF_LIBM_REAL fourth = hh * hh, mixed = more * (2 * hh + more) * 0x1.5555555555555p-5;
  const CF_LIBM_REAL small = (fourth * 0x1.5555555555555p-11 + mixed) + z * zz * p;
  const CF_LIBM_REAL sine = x * (1 - z * 0x1.5555555555555p-3);
  const CF_LIBM_REAL rest = (small - (0.5 * more + lo * sine)) + fourth * 0x1.5p-5;
  return (CF_LIBM(Sum)){1 - 0.5 * hh, rest};
}


// Change the sign where bit 1 of `quarter` is set.
static inline CF_LIBM_REAL CF_LIBM(Flip)(CF_LIBM_REAL x, CF_LIBM_WORD quarter) {
  return CF_LIBM_NUMBER(CF_LIBM_BITS(x) ^ ((quarter >> 1) << 63));
}


// Sine and cosine of a reduced angle; a zero keeps its sign.
static inline void CF_LIBM(SinCosOfAngle)(CF_LIBM_REAL* sine, CF_LIBM_REAL* cosine,
                                          CF_LIBM(Angle) a) {
  const CF_LIBM(Sum) s = CF_LIBM(SineNearZero)(a.hi, a.lo);
  const CF_LIBM(Sum) c = CF_LIBM(CosineNearZero)(a.hi, a.lo);
  const CF_LIBM_WORD odd = a.quarter & 1, sign = CF_LIBM_BITS(a.hi) & 0x8000000000000000u;
  const CF_LIBM_REAL low = CF_LIBM_NUMBER(CF_LIBM_BITS(s.hi + s.lo) | sign), high = c.hi + c.lo;
  *sine = CF_LIBM(Flip)(CF_LIBM_PICK(odd, high, low), a.quarter);
  *cosine = CF_LIBM(Flip)(CF_LIBM_PICK(odd, low, high), a.quarter + 1);
}
