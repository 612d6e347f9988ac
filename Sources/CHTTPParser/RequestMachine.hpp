#pragma once

#include "CHTTPParser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// Beast's parser with the least behind it: views into the head, and the body in one string.
class RequestMachine : public boost::beast::http::basic_parser<true> {
    using field = boost::beast::http::field;
    using verb = boost::beast::http::verb;
    using error_code = boost::beast::error_code;
    using string_view = boost::beast::string_view;

    std::vector<CHPField> &fields;
    std::string &body;
    std::size_t extensionBytes = 0, trailerBytes = 0;
    bool isHeadOver = false;

public:
    /// One chunk's size with its extensions, or all trailers.
    static constexpr std::size_t chunkLineBytesMax = 4096;
    /// Extensions mean nothing to us; without a bound, one-byte chunks with long extensions
    /// would let a small body take any amount of reading.
    static constexpr std::size_t extensionBytesMax = 16 * 1024;

    CHPText method{}, target{};
    bool isHTTP11 = false;
    /// What is being fed, as far as it may have trailers.
    const char *inputBegin = nullptr, *inputEnd = nullptr;

    RequestMachine(std::vector<CHPField> &fields, std::string &body)
        : fields(fields), body(body) {}

private:
    static CHPText text(string_view view) { return {view.data(), view.size()}; }

    static CHPFieldKind kind(field name) {
        switch (name) {
        case field::host: return CHPFieldKindHost;
        case field::content_length: return CHPFieldKindContentLength;
        case field::transfer_encoding: return CHPFieldKindTransferEncoding;
        case field::expect: return CHPFieldKindExpect;
        default: return CHPFieldKindOther;
        }
    }

    void on_request_impl(
        verb, string_view methodView, string_view targetView, int version, error_code &) override {
        method = text(methodView);
        target = text(targetView);
        isHTTP11 = version == 11;
    }

    void on_response_impl(int, string_view, int, error_code &) override {}

    /// Trailers are read over: nothing we do depends on them, and merging them is unsafe.
    void on_field_impl(
        field name, string_view nameView, string_view value, error_code &error) override {
        if (!isHeadOver) return fields.push_back({text(nameView), text(value), kind(name)});
        trailerBytes += nameView.size() + value.size();
        if (trailerBytes > chunkLineBytesMax || isFolded(nameView, value)) {
            error = boost::beast::http::error::bad_field;
        }
    }

    /// Beast joins a value that goes on in the next line, in memory of its own; or it begins there,
    /// a line after its name. Neither is to be trusted (RFC 9112, 5.2).
    bool isFolded(string_view name, string_view value) const {
        auto const isOutside = [this](string_view text) {
            return text.data() < inputBegin || text.data() + text.size() > inputEnd;
        };
        if (isOutside(name) || isOutside(value) || value.data() < name.data()) return true;
        return std::find(name.data(), value.data() + value.size(), '\n')
            != value.data() + value.size();
    }

    /// Beast takes them within quotes, a bare LF too, at which a proxy may see the line end.
    static bool hasControls(string_view text) {
        return std::any_of(text.begin(), text.end(), [](unsigned char byte) {
            return (byte < 0x20 && byte != '\t') || byte == 0x7F;
        });
    }

    void on_header_impl(error_code &) override { isHeadOver = true; }

    void on_body_init_impl(
        boost::optional<std::uint64_t> const &length, error_code &) override {
        // Below the body limit, which Beast has compared it with. Not all at once: a client that
        // only announces a body should not cost us its size.
        if (length) body.reserve(std::min<std::uint64_t>(*length, 16 * 1024));
    }

    std::size_t on_body_impl(string_view bytes, error_code &) override {
        body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_chunk_header_impl(
        std::uint64_t, string_view extensions, error_code &error) override {
        extensionBytes += extensions.size();
        if (extensions.size() > chunkLineBytesMax || extensionBytes > extensionBytesMax
            || hasControls(extensions)) {
            error = boost::beast::http::error::bad_chunk_extension;
        }
    }

    std::size_t on_chunk_body_impl(
        std::uint64_t, string_view bytes, error_code &) override {
        body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_finish_impl(error_code &) override {}
};
