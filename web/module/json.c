// JSON text for the page, made piece by piece.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web.h"

static void append(webJson* json, const char* text, size_t length) {
  if (json->used + length + 1 > json->room) {
    json->room = 2 * json->room + length + 4096;
    json->text = realloc(json->text, json->room);
    if (!json->text) {
      mju_error("no memory for the description of the engine");
    }
  }
  memcpy(json->text + json->used, text, length);
  json->used += length;
  json->text[json->used] = 0;
}


static void appendQuoted(webJson* json, const char* text) {
  append(json, "\"", 1);
  for (const char* c = text; *c; c++) {
    if (*c == '"' || *c == '\\') {
      append(json, "\\", 1);
    }
    append(json, (unsigned char)*c < ' ' ? " " : c, 1);
  }
  append(json, "\"", 1);
}


// comma and key of the next item; elements of lists have no key
static void startItem(webJson* json, const char* key) {
  if (json->has_items) {
    append(json, ",", 1);
  }
  json->has_items = true;
  if (key) {
    appendQuoted(json, key);
    append(json, ":", 1);
  }
}


void cfi_jsonOpen(webJson* json, const char* key, char bracket) {
  startItem(json, key);
  append(json, &bracket, 1);
  json->has_items = false;
}


void cfi_jsonClose(webJson* json, char bracket) {
  append(json, &bracket, 1);
  json->has_items = true;
}


void cfi_jsonText(webJson* json, const char* key, const char* text) {
  startItem(json, key);
  appendQuoted(json, text);
}


void cfi_jsonNumber(webJson* json, const char* key, long long number) {
  char text[32];
  const int length = snprintf(text, sizeof(text), "%lld", number);
  startItem(json, key);
  append(json, text, (size_t)length);
}
