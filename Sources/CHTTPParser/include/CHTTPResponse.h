#pragma once

#include "CHTTPParser.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One HTTP/1.x response, parsed from bytes as they come; Boost.Beast behind a C surface.
/// No exception leaves it. Not for two threads at once.
typedef struct CHPResponse CHPResponse;

/// Null when there is no memory.
/// `is_head`: the answer to a HEAD request, which has no body whatever its fields say.
CHPResponse *chp_response_create(size_t head_bytes_max, size_t body_bytes_max, bool is_head);
void chp_response_destroy(CHPResponse *response);

/// `CHPVerdictMore`, `Done`, `Malformed`, `BodyTooLarge` or `OutOfMemory`. Bytes not taken are to be
/// given again, with more behind them.
CHPVerdict chp_response_feed(
    CHPResponse *response, const void *bytes, size_t count, size_t *used);

/// The peer will send no more: `Done` when that is how the body ends, else `Malformed`.
CHPVerdict chp_response_end(CHPResponse *response);

/// After `CHPVerdictDone`.
int chp_response_status(const CHPResponse *response);
CHPText chp_response_body(const CHPResponse *response);

/// Calls `each` for every field, in order; the name is as it was sent.
void chp_response_fields(
    const CHPResponse *response, void *context,
    void (*each)(void *context, CHPText name, CHPText value));

#ifdef __cplusplus
}
#endif
