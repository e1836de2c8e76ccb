// The library's elementary functions (src/math/libm.h) in plugins: a plugin may be loaded by any
// library that calls itself MuJoCo, so it brings its own, under names of its own.
#ifndef CF_PLUGIN_LIBM_H
#define CF_PLUGIN_LIBM_H

#ifndef CF_SYSTEM_LIBM
#define cfi_sin cf_pluginSin
#define cfi_cos cf_pluginCos
#define cfi_tan cf_pluginTan
#define cfi_asin cf_pluginAsin
#define cfi_acos cf_pluginAcos
#define cfi_atan cf_pluginAtan
#define cfi_atan2 cf_pluginAtan2
#define cfi_exp cf_pluginExp
#define cfi_expm1 cf_pluginExpm1
#define cfi_log cf_pluginLog
#define cfi_pow cf_pluginPow
#define cfi_hypot cf_pluginHypot
#define cfi_sinCos cf_pluginSinCos
#define cfi_sinCosOf cf_pluginSinCosOf
#endif

#include "math/libm.h"

#endif  // CF_PLUGIN_LIBM_H
