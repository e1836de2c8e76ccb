#!/usr/bin/env python3
"""prepare.py IN.ll OUT.ll: the optimized code of the kernels, made fit for this CPU.

What the kernels ask of their GPU (which thread they are, the end of a thread) becomes calls of cf_emulated...  The rest is LLVM's
language and means the same everywhere: where it gives other numbers than the library, LLVM's passes are to blame, or
the sources; where it gives the same and a GPU does not, the code generator or ptxas is.
"""
import re
import sys

CPU = ('target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"',
       'target triple = "x86_64-pc-linux-gnu"')
END = re.compile(r'(?:tail )?call void asm sideeffect "exit;", "[^"]*"\(\).*')
REGISTER = re.compile(r'@llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x')


def main():
    with open(sys.argv[1], encoding='utf8') as f:
        text = f.read()
    text = re.sub(r'^target datalayout.*$', CPU[0], text, flags=re.M)
    text = re.sub(r'^target triple.*$', CPU[1], text, flags=re.M)
    text = REGISTER.sub(r'@cf_emulated_\1', text)
    text = END.sub('call void @cf_emulated_exit()', text)
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', '', text).replace('ptx_kernel ', '')
    left = sorted(set(re.findall(r'@llvm\.nvvm\.[\w.]+| asm [^(]*', text)))
    if left:
        sys.exit('gpu: prepare.py does not know ' + ', '.join(left))
    with open(sys.argv[2], 'w', encoding='utf8') as f:
        f.write(text + '\ndeclare void @cf_emulated_exit()\n')


if __name__ == '__main__':
    main()
