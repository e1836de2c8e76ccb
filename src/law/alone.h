// Words of laws that branch (number_one.h says what they mean) where there are no other worlds.
#ifndef CF_LAW_ALONE_H
#define CF_LAW_ALONE_H

typedef int cfWorlds;
enum { CF_ONE_WORLD };

#define numNot(is) (!(is))
#define numAnd(is, too) ((is) && (too))
#define numOr(is, other) ((is) || (other))
#define numAll(is) (is)
#define numNone(is) (!(is))
#define numChoose(is, a, b) ((is) ? (a) : (b))
#define numAgree(w, is) ((void)(w), (is))
#define numAgreeOn(w, number) ((void)(w), (int)(number))
#define numNowhere(w, is) ((void)(w), !(is))
#define numDone(w, is) ((void)(w), (is))
#define numSeldom(w, is) ((void)(w), (is))
#define numNoRoom(w, n) ((void)(w), (n) == mjMAXCONPAIR)
#define numWide(x) (x)
#define CF_LAW_ALONE(x) (x)

#endif  // CF_LAW_ALONE_H
