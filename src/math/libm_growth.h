// Exponential function between -708 and 708, for a number or a vector of them: the same operations
// in the same order, so the same bits.  Included once for each kind of number, with the macros that
// libm_sincos.h describes.
//
// exp(x) = 2^k * exp(r), |r| <= ln(2)/2.  With r = h + l, h a multiple of 2^-16, the first terms
// 1 + h + h^2/2 are exact; what is rounded is below 2^-7.

// exp(r) = 1 + (h + square) + (l + rest), k also as the last bits of `power`
typedef struct {
  CF_LIBM_REAL r, h, square, l, rest;
  CF_LIBM_WORD power;
} CF_LIBM(Growth);


// Terms of exp(x + lo); the largest error of the polynomial is 2^-64.
static inline CF_LIBM(Growth) CF_LIBM(GrowthOf)(CF_LIBM_REAL x, CF_LIBM_REAL lo) {
  const double push = 0x1.8p52, split = 0x1.8p36;

  // ln(2) in two parts; multiples up to 2^11 of the first are exact
  const CF_LIBM_REAL pushed = x * 0x1.71547652b82fep+0 + push, k = pushed - push;
  const CF_LIBM_REAL first = x - k * 0x1.62e42fefa2p-1;
  const CF_LIBM_REAL second = k * 0x1.9ef35793c7673p-41 - lo;
  const CF_LIBM_REAL r = first - second, lost = (first - r) - second;

  const CF_LIBM_REAL h = (r + split) - split, l = r - h, square = 0.5 * h * h, z = r * r;
  const CF_LIBM_REAL p01 = 0x1.555555555555bp-3 + r * 0x1.555555555555ap-5;
  const CF_LIBM_REAL p23 = 0x1.111111110ebf8p-7 + r * 0x1.6c16c16c14144p-10;
  const CF_LIBM_REAL p45 = 0x1.a01a01b3a59d0p-13 + r * 0x1.a01a01b2029afp-16;
  const CF_LIBM_REAL p67 = 0x1.71ddefc0e3574p-19 + r * 0x1.27e4c2b825c63p-22;
  const CF_LIBM_REAL p89 = 0x1.af6c89015f36fp-26 + r * 0x1.1f99cae611838p-29;
  const CF_LIBM_REAL p = p01 + z * (p23 + z * (p45 + z * (p67 + z * p89)));
  const CF_LIBM_REAL rest = (0.5 * (l * (r + h)) + r * z * p) + lost * ((1 + r) + square);
  return (CF_LIBM(Growth)){r, h, square, l, rest, CF_LIBM_BITS(pushed)};
}


// exp(x) of numbers between -708 and 708
static inline CF_LIBM_REAL CF_LIBM(ExpOf)(CF_LIBM_REAL x) {
  const CF_LIBM(Growth) g = CF_LIBM(GrowthOf)(x, (CF_LIBM_REAL){0});
  const CF_LIBM_REAL value = ((1 + g.h) + g.square) + (g.l + g.rest);
  return value * CF_LIBM_NUMBER((g.power + 1023) << 52);
}
