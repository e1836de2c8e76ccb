// Entry points of the error system that MuJoCo exports without declaring them in mujoco.h.
#ifndef CF_BASE_ERROR_H
#define CF_BASE_ERROR_H

#include <stdarg.h>

#include <mujoco/mjexport.h>

typedef void (*cfHandler)(const char*);

// handlers of the calling thread; NULL falls back to mju_user_error and mju_user_warning
MJAPI cfHandler _mjPRIVATE__get_tls_error_fn(void);
MJAPI void _mjPRIVATE__set_tls_error_fn(cfHandler handler);
MJAPI cfHandler _mjPRIVATE__get_tls_warning_fn(void);
MJAPI void _mjPRIVATE__set_tls_warning_fn(cfHandler handler);

// mju_error with an argument list
MJAPI void mju_error_v(const char* msg, va_list args);

#endif  // CF_BASE_ERROR_H
