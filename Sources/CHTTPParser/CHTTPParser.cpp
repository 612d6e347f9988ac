// Beast 1.74 asserts five bytes where a last chunk may have come with four so far. The code behind
// that assertion copes; a client must not be able to stop a debug build with it.
#define BOOST_DISABLE_ASSERTS

#include "CHTTPParser.h"

#include "RequestMachine.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace http = boost::beast::http;

enum class Phase { head, headDone, body, over };

bool isTokenByte(unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
        || (byte >= '0' && byte <= '9') || (byte != 0 && std::strchr("!#$%&'*+-.^_`|~", byte));
}

CHPVerdict verdict(boost::beast::error_code error) {
    if (error == http::error::body_limit) return CHPVerdictBodyTooLarge;
    return CHPVerdictMalformed;
}

}  // namespace

struct CHPParser {
    explicit CHPParser(CHPLimits limits) : limits(limits) { reset(); }

    void reset() {
        phase = Phase::head;
        head.clear();
        scanned = lineStart = lineCount = skipped = 0;
        if (pending.capacity() > limits.kept_body_bytes_max) pending = std::string();
        pending.clear();
        fields.clear();
        if (body.capacity() > limits.kept_body_bytes_max) body = std::string();
        body.clear();
        bodyMax = limits.body_bytes_max;
    }

    CHPVerdict feed(const char *bytes, std::size_t count, std::size_t &used) {
        CHPVerdict result = CHPVerdictMalformed;
        switch (phase) {
        case Phase::head: result = feedHead(bytes, count, used); break;
        case Phase::headDone:
        case Phase::body: result = feedBody(bytes, count, used); break;
        case Phase::over: break;
        }
        if (result != CHPVerdictMore && result != CHPVerdictHead) phase = Phase::over;
        return result;
    }

    CHPHead headView() const {
        auto const length = machine->content_length();
        return {
            machine->method, machine->target, fields.data(), fields.size(),
            machine->isHTTP11, machine->keep_alive(), !machine->is_done(),
            length && *length > bodyMax,
        };
    }

    void limitBody(std::size_t bytesMax) { bodyMax = bytesMax; }

    void dropBody() { body.clear(); }

    CHPText bodyView() const { return {body.data(), body.size()}; }

private:
    CHPLimits limits;
    Phase phase = Phase::head;
    std::size_t bodyMax = 0;
    /// The head: at most `head_bytes_max`. What Beast has left of a chunk's line or of trailers: at
    /// most `RequestMachine::chunkLineBytesMax`, and one read more while it is fed. The body: at
    /// most `bodyMax`, twice that in memory while it grows; of a streamed one, one read.
    std::string head, pending, body;
    std::vector<CHPField> fields;
    std::optional<RequestMachine> machine;
    std::size_t scanned = 0, lineStart = 0, lineCount = 0, skipped = 0;

    /// Gathers the head whole before Beast sees it. Beast counts its limit for every field alone,
    /// unfolds obs-fold, and never ends a head with bare line feeds; here all three are refused.
    CHPVerdict feedHead(const char *bytes, std::size_t count, std::size_t &used) {
        std::size_t start = 0;
        // One empty line before a request is forgiven (RFC 9112, 2.2).
        while (start < count && head.empty() && skipped < 2 && bytes[start] == "\r\n"[skipped]) {
            ++start;
            ++skipped;
        }
        if (start == count) return used = count, CHPVerdictMore;
        if (skipped == 1) return CHPVerdictMalformed;
        // A TLS hello or noise: say so now, not when the time for the head is over.
        if (head.empty() && !isTokenByte(bytes[start])) return CHPVerdictMalformed;

        auto const before = head.size();
        auto const room = limits.head_bytes_max - before;
        head.append(bytes + start, std::min(count - start, room));
        std::size_t end = 0;
        auto const result = scanHead(end);
        if (result != CHPVerdictHead) {
            used = count;
            if (result != CHPVerdictMore || head.size() < limits.head_bytes_max) return result;
            return lineCount == 0 ? CHPVerdictLineTooLong : CHPVerdictHeadTooLarge;
        }
        used = start + (end - before);
        head.resize(end);
        return parseHead();
    }

    CHPVerdict scanHead(std::size_t &end) {
        while (true) {
            auto const first = head.data() + scanned;
            auto const found = static_cast<const char *>(
                std::memchr(first, '\n', head.size() - scanned));
            if (!found) {
                scanned = head.size();
                return isFolded() ? CHPVerdictMalformed : CHPVerdictMore;
            }
            auto const feed = static_cast<std::size_t>(found - head.data());
            if (feed == 0 || head[feed - 1] != '\r' || isFolded()) return CHPVerdictMalformed;
            scanned = feed + 1;
            if (feed == lineStart + 1) return end = scanned, CHPVerdictHead;
            lineStart = scanned;
            // The first line is no field.
            if (lineCount++ > limits.headers_max) return CHPVerdictHeadTooLarge;
        }
    }

    /// Whether the line that begins at `lineStart` claims to go on with the one before.
    bool isFolded() const {
        return lineStart > 0 && lineStart < head.size()
            && (head[lineStart] == ' ' || head[lineStart] == '\t');
    }

    CHPVerdict parseHead() {
        machine.emplace(fields, body);
        machine->header_limit(static_cast<std::uint32_t>(head.size() + 1));
        // Whether the body is streamed is decided by its head; until then any length will do.
        machine->body_limit(std::numeric_limits<std::uint64_t>::max());
        boost::beast::error_code error;
        auto const taken = machine->put(boost::asio::buffer(head.data(), head.size()), error);
        if (error == http::error::bad_version && namesVersion()) return CHPVerdictVersionUnknown;
        if (error) return verdict(error);
        if (taken != head.size()) return CHPVerdictMalformed;
        lowerNames();
        phase = Phase::headDone;
        return CHPVerdictHead;
    }

    /// Whether the request line ends in a well-formed version, which then is one we do not speak.
    bool namesVersion() const {
        auto const end = head.find('\r');
        if (end < 9) return false;
        auto const text = head.data() + end - 9;
        return std::memcmp(text, " HTTP/", 6) == 0 && std::isdigit(text[6]) && text[7] == '.'
            && std::isdigit(text[8]) && !(text[6] == '1' && text[8] <= '1');
    }

    /// In place: the fields point into `head`.
    void lowerNames() {
        for (auto const &field : fields) {
            auto const start = static_cast<std::size_t>(field.name.base - head.data());
            for (auto i = start; i < start + field.name.count; ++i) {
                if (head[i] >= 'A' && head[i] <= 'Z') head[i] |= 0x20;
            }
        }
    }

    /// Beast leaves an incomplete chunk line to its caller; `pending` keeps it until it is whole.
    CHPVerdict feedBody(const char *bytes, std::size_t count, std::size_t &used) {
        if (machine->is_done()) return used = 0, CHPVerdictDone;
        if (phase == Phase::headDone) {
            if (headView().is_body_too_large) return CHPVerdictBodyTooLarge;
            machine->body_limit(bodyMax);
        }
        phase = Phase::body;
        used = count;
        if (count == 0) return CHPVerdictMore;
        auto const kept = pending.size();
        if (kept > 0) {
            pending.append(bytes, count);
            bytes = pending.data();
            count = pending.size();
        }
        boost::beast::error_code error;
        machine->eager(true);
        machine->inputBegin = bytes;
        machine->inputEnd = bytes + count;
        auto const taken = machine->put(boost::asio::buffer(bytes, count), error);
        if (error && error != http::error::need_more) return verdict(error);
        if (machine->is_done()) return used = taken - kept, CHPVerdictDone;
        if (kept > 0) {
            pending.erase(0, taken);
        } else {
            pending.assign(bytes + taken, count - taken);
        }
        bool const isTooLong = pending.size() > RequestMachine::chunkLineBytesMax;
        return isTooLong ? CHPVerdictMalformed : CHPVerdictMore;
    }
};

extern "C" {

CHPParser *chp_create(CHPLimits limits) {
    try {
        return new CHPParser(limits);
    } catch (...) {
        return nullptr;
    }
}

void chp_destroy(CHPParser *parser) { delete parser; }

void chp_reset(CHPParser *parser) { parser->reset(); }

CHPVerdict chp_feed(CHPParser *parser, const void *bytes, size_t count, size_t *used) {
    *used = 0;
    try {
        return parser->feed(static_cast<const char *>(bytes), count, *used);
    } catch (...) {
        return CHPVerdictOutOfMemory;
    }
}

CHPHead chp_head(const CHPParser *parser) { return parser->headView(); }

CHPText chp_body(const CHPParser *parser) { return parser->bodyView(); }

void chp_limit_body(CHPParser *parser, size_t bytes_max) { parser->limitBody(bytes_max); }

void chp_drop_body(CHPParser *parser) { parser->dropBody(); }

}
