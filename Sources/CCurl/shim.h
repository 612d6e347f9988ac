#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift cannot call functions with variable arguments: one for each type that an option has.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *value) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, value);
}

static inline CURLcode ccurl_set_addresses(CURL *easy, struct curl_slist *value) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVE, value);
}

static inline CURLcode ccurl_set_reader_of_head(CURL *easy, curl_write_callback value) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, value);
}

static inline CURLcode ccurl_set_reader_of_body(CURL *easy, curl_write_callback value) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, value);
}

static inline CURLcode ccurl_set_opener(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline void ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    curl_multi_setopt(multi, option, value);
}

static inline void ccurl_multi_set_socket(CURLM *multi, curl_socket_callback f, void *data) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, f);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, data);
}

static inline void ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback f, void *data) {
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, f);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, data);
}

static inline long ccurl_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// Seconds; a date is counted from now. 0 when the server said nothing.
static inline long long ccurl_retry_after(CURL *easy) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
    return (long long)seconds;
}

// The next transfer that is over, or null.
static inline CURL *ccurl_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != 0) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return 0;
}

// Longer than the struct says: `addrlen` bytes.
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) {
    return &address->addr;
}

#endif
