// Reading the configuration of a plugin instance.
#ifndef CF_PLUGIN_CONFIG_H
#define CF_PLUGIN_CONFIG_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

// value of a key, "" where it is not given
static inline const char* configText(const mjModel* m, int instance, const char* key) {
  const char* value = mj_getPluginConfig(m, instance, key);
  return value ? value : "";
}


// is a value empty or one number, spaces aside
static inline bool isNumber(const char* value) {
  char packed[100];
  size_t length = 0;
  for (; *value; value++) {
    if (!isspace((unsigned char)*value)) {
      if (length + 1 == sizeof(packed)) {
        return false;
      }
      packed[length++] = *value;
    }
  }
  packed[length] = 0;
  char* end;
  strtod(packed, &end);
  return end == packed + length;
}


// number of a key; where it is not given, the value on entry stays and the answer is false
static inline bool configNumber(const mjModel* m, int instance, const char* key, mjtNum* number) {
  const char* value = configText(m, instance, key);
  if (value[0]) {
    *number = strtod(value, NULL);
  }
  return value[0] != 0;
}

#endif  // CF_PLUGIN_CONFIG_H
