// What was tolerated in the text of a model.
#ifndef CORTENFORGE_NOTES_H_
#define CORTENFORGE_NOTES_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Tell what the XML text of a model does that other readers of XML refuse.
///
/// MuJoCo's reader is forgiving, and ours follows it: attributes without white space between them,
/// "--" in comments, bare ampersands, a second root. Such a model loads without any error or
/// warning; this function says what was tolerated, one line for each kind with the first place and
/// how often it occurred, "model.xml:12:7: no white space between two attributes (3 times)".
///
/// @param spec      specification from `mj_parseXML` or `mj_parseXMLString`; NULL for the model
/// that
///                  `mj_loadXML` loaded last
/// @param notes     receives the lines, ended by a zero; may be NULL
/// @param notes_sz  size of `notes` in bytes; longer text is cut
/// @return number of lines, 0 for a text that every reader accepts
/// @note Allocates nothing. May be called from any thread while nobody edits `spec`.
MJAPI int cf_xmlNotes(const mjSpec* spec, char* notes, int notes_sz);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_NOTES_H_
