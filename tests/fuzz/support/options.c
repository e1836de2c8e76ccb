// Settings of the sanitizers that every target has: freed memory stays unusable for a while, but
// not for hundreds of megabytes, which would only cost time; a large request fails instead of
// ending the run.
const char* __asan_default_options(void);


const char* __asan_default_options(void) {
  return "allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=8:malloc_context_size=8:"
         "max_allocation_size_mb=1000";
}
