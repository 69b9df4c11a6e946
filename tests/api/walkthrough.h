// The C side of walkthrough_test.cc.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// 0, or the line of walkthrough.c that found something wrong.
int ashlar_walkthrough(const char* path);

#ifdef __cplusplus
}
#endif
