# clang and wasi-libc of Debian: WebAssembly with WASI
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-14)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-isystem ${CMAKE_CURRENT_LIST_DIR}/posix -include ${CMAKE_CURRENT_LIST_DIR}/posix/posix.h -D_WASI_EMULATED_GETPID")
set(JOUNCE_WASM ON CACHE BOOL "")
set(JOUNCE_PYTHON OFF CACHE STRING "")
set(JOUNCE_HAS_NO_FMA OFF CACHE INTERNAL "") # clang takes the flags of any processor, with a warning
