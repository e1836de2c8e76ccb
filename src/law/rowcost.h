// Law of the cost of a constraint row: s(x) of the residual x = J*qacc - aref, with force = -ds/dx,
// and its parabola along a line.  Elliptic cones, of several rows each, are in law/cones.h.
#ifndef CF_LAW_ROWCOST_H
#define CF_LAW_ROWCOST_H

// a cost along a line as alpha^2*a + alpha*b + c
typedef struct {
  cfNum c, b, a;
} lawParabola;


CF_LAW_LEAF void lawAddParabola(lawParabola* sum, cfNum c, cfNum b, cfNum a) {
  sum->c = sum->c + c;
  sum->b = sum->b + b;
  sum->a = sum->a + a;
}


// Dry friction (Huber 1964): quadratic within +-bound, linear outside; bound = R*loss.
CF_LAW_LEAF cfNum lawLossCost(cfNum x, cfNum D, cfNum bound, cfNum loss, cfNum* force, cfIs* is_low,
                              cfIs* is_high) {
  *is_low = x <= -bound;
  *is_high = numNot(*is_low) & (x >= bound);
  const cfNum flat = (cfReal)-0.5 * bound * loss;
  *force = numChoose(*is_low, loss, numChoose(*is_high, -loss, -D * x));
  return numChoose(*is_low, flat - loss * x,
                   numChoose(*is_high, flat + loss * x, (cfReal)0.5 * D * x * x));
}


// The same along a line from `start`, inside the bound as `inside`.
CF_LAW_LEAF void lawSumLoss(lawParabola* sum, const lawParabola* inside, cfNum start, cfNum dir,
                            cfNum alpha, cfNum bound, cfNum loss) {
  const cfNum x = start + alpha * dir;
  const cfIs is_inside = (-bound < x) & (x < bound);
  if (CF_LAW_SOONER(is_inside)) {
    lawAddParabola(sum, inside->c, inside->b, inside->a);
    return;
  }
  const cfNum side = numChoose(x <= -bound, numOf(-1), numOf(1));
  lawAddParabola(sum, numChoose(is_inside, inside->c, loss * ((cfReal)-0.5 * bound + side * start)),
                 numChoose(is_inside, inside->b, side * loss * dir),
                 numChoose(is_inside, inside->a, numOf(0)));
}


// A limit or a contact pushes where its residual is negative.  NaN is not satisfied: it goes on
// into force and cost, where it is seen.
CF_LAW_LEAF cfNum lawPushCost(cfNum x, cfNum D, cfNum* force, cfIs* is_met) {
  *is_met = x >= 0;
  const cfNum violation = numChoose(*is_met, numOf(0), x);
  *force = 0 - D * violation;
  return (cfReal)0.5 * D * violation * violation;
}

#endif  // CF_LAW_ROWCOST_H
