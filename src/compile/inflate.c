// Unpacking of zlib streams (RFC 1950, RFC 1951).
//
// Huffman codes of up to FAST_BITS bits are looked up in one table; longer ones, which are rare,
// are found by counting through the lengths. Repeated bytes are copied in large pieces: images
// consist of little else.
#include "compile/inflate.h"

#include <stdint.h>
#include <string.h>

#include <zlib.h>

#include "base/assert.h"

enum { FAST_BITS = 10, MAX_BITS = 15, MAX_SYMBOLS = 288, LITERALS = 286, DISTANCES = 30 };

// a canonical code; entries of the table hold symbol and length, 0 where the code is longer
typedef struct {
  uint16_t fast[1 << FAST_BITS];
  uint16_t count[MAX_BITS + 1];  // codes of each length
  uint16_t symbol[MAX_SYMBOLS];  // in order of their codes
} huffmanCode;

// stream in the middle of being unpacked
typedef struct {
  const unsigned char *in, *in_end;
  unsigned char *start, *out, *out_end;
  uint64_t bits;  // next bit lowest
  int nbits;
} inflater;


//---------------------------------- bits ----------------------------------------------------------

// at least 56 bits, or all that are left
static inline void refill(inflater* s) {
  if (s->in_end - s->in >= 8) {
    uint64_t word;
    memcpy(&word, s->in, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    s->bits |= word << s->nbits;
    s->in += (63 - s->nbits) >> 3;
    s->nbits |= 56;
    return;
  }
  while (s->nbits <= 56 && s->in < s->in_end) {
    s->bits |= (uint64_t)*s->in++ << s->nbits;
    s->nbits += 8;
  }
}


static inline void dropBits(inflater* s, int count) {
  s->bits >>= count;
  s->nbits -= count;
}


// the next bits as a number; -1 at the end of the stream
static int takeBits(inflater* s, int count) {
  CF_ASSERT(count <= 16);
  if (s->nbits < count) {
    refill(s);
  }
  if (s->nbits < count) {
    return -1;
  }
  const int value = (int)(s->bits & ((1u << count) - 1));
  dropBits(s, count);
  return value;
}


//---------------------------------- codes ---------------------------------------------------------

static unsigned reversed(unsigned code, int length) {
  unsigned out = 0;
  for (int i = 0; i < length; i++) {
    out |= (code >> i & 1) << (length - 1 - i);
  }
  return out;
}


// enter a code into the table at all places that begin with it
static void enterFast(huffmanCode* h, unsigned code, int length, int symbol) {
  for (unsigned k = reversed(code, length); k < 1 << FAST_BITS; k += 1u << length) {
    h->fast[k] = (uint16_t)(symbol << 4 | length);
  }
}


// code from the lengths of its symbols; false when more codes are asked for than there are, or
// fewer: only a code without symbols or with a single one of one bit may leave something over
static bool makeCode(huffmanCode* h, const unsigned char* length, int nsymbol) {
  memset(h, 0, sizeof(*h));
  for (int i = 0; i < nsymbol; i++) {
    h->count[length[i]]++;
  }
  const int used = nsymbol - h->count[0];
  h->count[0] = 0;
  int left = 1;
  unsigned first[MAX_BITS + 2] = {0}, place[MAX_BITS + 2] = {0};
  for (int n = 1; n <= MAX_BITS; n++) {
    left = 2 * left - h->count[n];
    if (left < 0) {
      return false;
    }
    first[n + 1] = (first[n] + h->count[n]) << 1;
    place[n + 1] = place[n] + h->count[n];
  }
  if (left > 0 && used > h->count[1]) {
    return false;
  }
  for (int i = 0; i < nsymbol; i++) {
    const int n = length[i];
    if (n) {
      h->symbol[place[n]++] = (uint16_t)i;
      if (n <= FAST_BITS) {
        enterFast(h, first[n], n, i);
      }
      first[n]++;
    }
  }
  return true;
}


// a symbol with a long code; -1 when there is none
static int longSymbol(inflater* s, const huffmanCode* h) {
  int code = 0, first = 0, place = 0;
  for (int n = 1; n <= MAX_BITS && n <= s->nbits; n++) {
    code |= (int)(s->bits >> (n - 1) & 1);
    const int count = h->count[n];
    if (code - count < first) {
      dropBits(s, n);
      return h->symbol[place + code - first];
    }
    place += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return -1;
}


// the next symbol, -1 when there is none; wants MAX_BITS bits where the stream has them
static inline int takeSymbol(inflater* s, const huffmanCode* h) {
  const unsigned entry = h->fast[s->bits & ((1 << FAST_BITS) - 1)];
  const int length = (int)(entry & 15);
  if (length && length <= s->nbits) {
    dropBits(s, length);
    return (int)(entry >> 4);
  }
  return longSymbol(s, h);
}


//---------------------------------- copies --------------------------------------------------------

// repeat what was written `distance` bytes ago; lengths are checked
static inline void copyBack(unsigned char* to, size_t distance, size_t length, size_t room) {
  const unsigned char* from = to - distance;
  if (distance >= 8 && room >= length + 8) {
    for (size_t n = 0; n < length; n += 8) {
      memcpy(to + n, from + n, 8);
    }
  } else if (distance == 1) {
    memset(to, *from, length);
  } else {
    // the repeated piece doubles
    size_t done = distance < length ? distance : length;
    memcpy(to, from, done);
    while (done < length) {
      const size_t more = done < length - done ? done : length - done;
      memcpy(to + done, to, more);
      done += more;
    }
  }
}


//---------------------------------- blocks --------------------------------------------------------

// whole bytes that were read ahead go back
static void giveBack(inflater* s) {
  s->in -= s->nbits / 8;
  s->bits = 0;
  s->nbits = 0;
}


// bytes as they are
static bool storedBlock(inflater* s) {
  dropBits(s, s->nbits & 7);
  const int size = takeBits(s, 16), check = takeBits(s, 16);
  if (size < 0 || check != (size ^ 0xFFFF)) {
    return false;
  }

  giveBack(s);
  if (size > s->in_end - s->in || size > s->out_end - s->out) {
    return false;
  }
  memcpy(s->out, s->in, (size_t)size);
  s->in += size;
  s->out += size;
  return true;
}


// length and distance of a repetition, then its bytes
static inline bool repeatBytes(inflater* s, int symbol, const huffmanCode* distances) {
  static const uint16_t length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static const uint16_t distance_base[] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  const int place = symbol - 257;
  if (place >= (int)sizeof(length_extra)) {
    return false;
  }
  size_t length = length_base[place] + (size_t)(s->bits & ((1u << length_extra[place]) - 1));
  if (s->nbits < length_extra[place]) {
    return false;
  }
  dropBits(s, length_extra[place]);
  refill(s);
  const int code = takeSymbol(s, distances);
  if (code < 0 || code >= DISTANCES) {
    return false;
  }
  const int extra = code < 4 ? 0 : code / 2 - 1;
  const size_t distance = distance_base[code] + (size_t)(s->bits & ((1u << extra) - 1));
  const size_t room = (size_t)(s->out_end - s->out);
  if (s->nbits < extra || distance > (size_t)(s->out - s->start) || length > room) {
    return false;
  }
  dropBits(s, extra);
  copyBack(s->out, distance, length, room);
  s->out += length;
  return true;
}


// literals and repetitions up to the end mark
static bool codedBlock(inflater* s, const huffmanCode* literals, const huffmanCode* distances) {
  enum { END = 256 };
  for (;;) {
    refill(s);
    int symbol = takeSymbol(s, literals);

    // two more literals fit into what was read
    for (int k = 0; k < 2 && symbol >= 0 && symbol < END; k++) {
      if (s->out == s->out_end) {
        return false;
      }
      *s->out++ = (unsigned char)symbol;
      symbol = takeSymbol(s, literals);
    }
    if (symbol < 0) {
      return false;
    }
    if (symbol < END) {
      if (s->out == s->out_end) {
        return false;
      }
      *s->out++ = (unsigned char)symbol;
    } else if (symbol == END) {
      return true;
    } else if (!repeatBytes(s, symbol, distances)) {
      return false;
    }
  }
}


static bool fixedBlock(inflater* s) {
  unsigned char length[MAX_SYMBOLS];
  memset(length, 8, 144);
  memset(length + 144, 9, 112);
  memset(length + 256, 7, 24);
  memset(length + 280, 8, 8);
  huffmanCode literals, distances;
  makeCode(&literals, length, MAX_SYMBOLS);
  memset(length, 5, 32);
  makeCode(&distances, length, 32);
  return codedBlock(s, &literals, &distances);
}


// lengths of the codes of literals and distances, themselves coded
static bool readLengths(inflater* s, const huffmanCode* code, unsigned char* length, int count) {
  for (int i = 0; i < count;) {
    refill(s);
    const int symbol = takeSymbol(s, code);
    if (symbol < 0) {
      return false;
    }
    if (symbol < 16) {
      length[i++] = (unsigned char)symbol;
      continue;
    }
    const int extra = symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    const int base = symbol == 18 ? 11 : 3, more = takeBits(s, extra);
    if (more < 0 || base + more > count - i || (symbol == 16 && i == 0)) {
      return false;
    }
    memset(length + i, symbol == 16 ? length[i - 1] : 0, (size_t)(base + more));
    i += base + more;
  }
  return true;
}


static bool dynamicBlock(inflater* s) {
  static const unsigned char order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
  refill(s);
  const int nliteral = takeBits(s, 5) + 257, ndistance = takeBits(s, 5) + 1,
            nlength = takeBits(s, 4) + 4;
  if (nliteral < 257 || nliteral > LITERALS || ndistance < 1 || ndistance > DISTANCES ||
      nlength < 4) {
    return false;
  }
  unsigned char length[LITERALS + DISTANCES] = {0};
  for (int i = 0; i < nlength; i++) {
    const int bits = takeBits(s, 3);
    if (bits < 0) {
      return false;
    }
    length[order[i]] = (unsigned char)bits;
  }
  huffmanCode literals, distances;
  if (!makeCode(&literals, length, 19) ||
      !readLengths(s, &literals, length, nliteral + ndistance)) {
    return false;
  }
  return length[256] && makeCode(&literals, length, nliteral) &&
         makeCode(&distances, length + nliteral, ndistance) && codedBlock(s, &literals, &distances);
}


// checksum of everything, behind the last block
static bool checkSum(inflater* s) {
  giveBack(s);
  if (s->in_end - s->in < 4) {
    return false;
  }
  const uint32_t sum =
      (uint32_t)s->in[0] << 24 | (uint32_t)s->in[1] << 16 | (uint32_t)s->in[2] << 8 | s->in[3];
  return adler32_z(1, s->start, (size_t)(s->out - s->start)) == sum;
}


bool cfi_inflate(const unsigned char* in, size_t nin, unsigned char* out, size_t nout) {
  // header: deflate with a window of at most 32 KiB, no dictionary
  if (nin < 6 || (in[0] & 15) != 8 || in[0] >> 4 > 7 || (in[0] * 256 + in[1]) % 31 || in[1] & 32) {
    return false;
  }
  inflater s = {in + 2, in + nin, out, out, out + nout, 0, 0};
  for (bool is_last = false; !is_last;) {
    const int last = takeBits(&s, 1), kind = takeBits(&s, 2);
    is_last = last == 1;
    const bool is_good = kind == 0   ? storedBlock(&s)
                         : kind == 1 ? fixedBlock(&s)
                         : kind == 2 ? dynamicBlock(&s)
                                     : false;
    if (last < 0 || !is_good) {
      return false;
    }
  }
  return s.out == s.out_end && checkSum(&s);
}
