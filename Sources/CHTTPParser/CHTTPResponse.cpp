#define BOOST_DISABLE_ASSERTS

#include "CHTTPResponse.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <new>

namespace http = boost::beast::http;

struct CHPResponse {
    http::response_parser<http::string_body> parser;

    CHPVerdict verdict(boost::beast::error_code error) const {
        if (error == http::error::body_limit) return CHPVerdictBodyTooLarge;
        if (error && error != http::error::need_more) return CHPVerdictMalformed;
        return parser.is_done() ? CHPVerdictDone : CHPVerdictMore;
    }
};

extern "C" {

CHPResponse *chp_response_create(size_t head_bytes_max, size_t body_bytes_max, bool is_head) {
    try {
        auto const response = new CHPResponse;
        response->parser.header_limit(static_cast<std::uint32_t>(head_bytes_max));
        response->parser.body_limit(body_bytes_max);
        response->parser.eager(true);
        response->parser.skip(is_head);
        return response;
    } catch (...) {
        return nullptr;
    }
}

void chp_response_destroy(CHPResponse *response) { delete response; }

CHPVerdict chp_response_feed(
    CHPResponse *response, const void *bytes, size_t count, size_t *used) {
    *used = 0;
    try {
        boost::beast::error_code error;
        auto const data = static_cast<const char *>(bytes);
        while (*used < count && !error && !response->parser.is_done()) {
            auto const taken = response->parser.put(
                boost::asio::buffer(data + *used, count - *used), error);
            if (taken == 0) break;
            *used += taken;
        }
        return response->verdict(error);
    } catch (...) {
        return CHPVerdictOutOfMemory;
    }
}

CHPVerdict chp_response_end(CHPResponse *response) {
    try {
        boost::beast::error_code error;
        if (!response->parser.is_done()) response->parser.put_eof(error);
        return error || !response->parser.is_done() ? CHPVerdictMalformed : CHPVerdictDone;
    } catch (...) {
        return CHPVerdictOutOfMemory;
    }
}

int chp_response_status(const CHPResponse *response) {
    return static_cast<int>(response->parser.get().result_int());
}

CHPText chp_response_body(const CHPResponse *response) {
    auto const &body = response->parser.get().body();
    return {body.data(), body.size()};
}

void chp_response_fields(
    const CHPResponse *response, void *context,
    void (*each)(void *context, CHPText name, CHPText value)) {
    for (auto const &field : response->parser.get()) {
        auto const name = field.name_string();
        auto const value = field.value();
        each(context, {name.data(), name.size()}, {value.data(), value.size()});
    }
}

}  // extern "C"
