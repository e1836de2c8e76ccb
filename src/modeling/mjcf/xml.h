// Reader of XML text; accepts what the reader of MuJoCo 3.5.0 accepts, sloppy files included.
#ifndef CF_MJCF_XML_H
#define CF_MJCF_XML_H

// liberties that a text may take and that strict readers of XML refuse; each is noted once per
// document, with its first place and how often it was taken
typedef enum {
  CF_XML_NO_SPACE,          // attributes that touch each other
  CF_XML_COMMENT_DASHES,    // "--" inside a comment
  CF_XML_BARE_AMPERSAND,    // & that starts no entity that is known
  CF_XML_ANGLE_IN_VALUE,    // < in a value
  CF_XML_SECOND_ROOT,       // elements after the root
  CF_XML_OUTER_TEXT,        // text outside the root
  CF_XML_NOT_UTF8,          // bytes that are not UTF-8
  CF_XML_CONTROL,           // control characters
  CF_XML_LATE_DECLARATION,  // white space before the declaration, or several of them
  CF_XML_DOCTYPE,           // <!DOCTYPE …>, <!ENTITY …> and the like
  CF_XML_SPACED_TAG,        // white space between < and the name
  CF_XML_CLOSING_TAG,       // attributes in a closing tag, or a closing tag that is closed again
  CF_XML_STRAY_CLOSING,     // closing tag after the root: what follows is not read
  CF_XML_ZERO,              // a zero byte: what follows is not read
  CF_XML_NNOTE
} cfXmlLiberty;

typedef struct {
  int count;
  int file, line, column;  // of the first
} cfXmlNote;

#endif  // CF_MJCF_XML_H
