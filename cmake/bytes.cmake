# jounce_bytes(NAME BYTES OUT): the C text of an array of characters with these bytes (in hexadecimal) and a zero.
function(jounce_bytes name bytes out)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n" bytes "${bytes}")
  set(${out} "const char ${name}[] = {${bytes}0};\n" PARENT_SCOPE)
endfunction()
