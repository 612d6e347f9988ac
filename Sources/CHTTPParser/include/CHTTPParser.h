#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#define CHP_CLOSED __attribute__((enum_extensibility(closed)))
#else
#define CHP_CLOSED
#endif

/// One HTTP/1.x request, parsed from bytes as they come; Boost.Beast behind a C surface.
/// No exception leaves it. Not for two threads at once.
typedef struct CHPParser CHPParser;

typedef enum CHP_CLOSED {
    /// Every byte was taken; the request is not complete.
    CHPVerdictMore,
    /// The head is complete and can be asked for; feed the rest (maybe nothing) to go on.
    CHPVerdictHead,
    /// The request is complete; bytes not taken belong to the next one.
    CHPVerdictDone,
    /// The rest are final until the parser is reset.
    CHPVerdictMalformed,
    CHPVerdictLineTooLong,
    CHPVerdictHeadTooLarge,
    CHPVerdictBodyTooLarge,
    CHPVerdictVersionUnknown,
    CHPVerdictOutOfMemory,
} CHPVerdict;

/// The fields whose values decide about framing, so that nobody compares strings for them.
typedef enum CHP_CLOSED {
    CHPFieldKindOther,
    CHPFieldKindHost,
    CHPFieldKindContentLength,
    CHPFieldKindTransferEncoding,
    CHPFieldKindExpect,
} CHPFieldKind;

/// Borrowed bytes, valid until the parser is reset or destroyed.
typedef struct {
    const char *base;
    size_t count;
} CHPText;

typedef struct {
    /// In lower case.
    CHPText name;
    CHPText value;
    CHPFieldKind kind;
} CHPField;

typedef struct {
    CHPText method;
    CHPText target;
    const CHPField *fields;
    size_t field_count;
    bool is_http11;
    bool keeps_alive;
    bool has_body;
    /// The announced length is over the limit. Not an error by itself: the body may be streamed.
    bool is_body_too_large;
} CHPHead;

typedef struct {
    size_t head_bytes_max;
    size_t headers_max;
    size_t body_bytes_max;
    /// A body buffer with more capacity than this is freed at reset.
    size_t kept_body_bytes_max;
} CHPLimits;

/// Null when there is no memory.
CHPParser *chp_create(CHPLimits limits);
void chp_destroy(CHPParser *parser);

/// Gets ready for the next request.
void chp_reset(CHPParser *parser);

CHPVerdict chp_feed(CHPParser *parser, const void *bytes, size_t count, size_t *used);

/// After `CHPVerdictHead`.
CHPHead chp_head(const CHPParser *parser);

/// After `CHPVerdictDone`; of a streamed body also before, what has come since it was dropped.
CHPText chp_body(const CHPParser *parser);

/// After `CHPVerdictHead` and before more is fed: this request's body may have no more than that,
/// which is any number where its parts are taken and dropped as they come.
void chp_limit_body(CHPParser *parser, size_t bytes_max);

/// Forgets the part of the body that was taken.
void chp_drop_body(CHPParser *parser);

#ifdef __cplusplus
}
#endif
