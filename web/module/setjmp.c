// setjmp and longjmp by WebAssembly exceptions: the runtime of clang's -wasm-enable-sjlj.
//
// A jump buffer holds which call of which function filled it and the number of the place. longjmp
// throws the address of {buffer, value} under a tag of its own; generated code in the function that
// called setjmp catches it, asks __wasm_setjmp_test whether the buffer is its own, and goes on
// there.
#include <stdint.h>

typedef struct {
  void* invocation;
  uint32_t label;
  struct {
    void* buffer;
    int value;
  } thrown;
} jumpBuffer;

enum { LONGJMP_TAG = 1 };

void __wasm_setjmp(void* buffer, uint32_t label, void* invocation);
uint32_t __wasm_setjmp_test(void* buffer, void* invocation);
void __wasm_longjmp(void* buffer, int value);


void __wasm_setjmp(void* buffer, uint32_t label, void* invocation) {
  jumpBuffer* jump = buffer;
  jump->invocation = invocation;
  jump->label = label;
}


uint32_t __wasm_setjmp_test(void* buffer, void* invocation) {
  const jumpBuffer* jump = buffer;
  return jump->invocation == invocation ? jump->label : 0;
}


// setjmp never returns 0 after a jump
void __wasm_longjmp(void* buffer, int value) {
  jumpBuffer* jump = buffer;
  jump->thrown.buffer = buffer;
  jump->thrown.value = value ? value : 1;
  __builtin_wasm_throw(LONGJMP_TAG, &jump->thrown);
}

__asm__(".globl __c_longjmp\n.tagtype __c_longjmp i32\n__c_longjmp:\n");
