import Domain
import EventStore
import HTTP
import JSON
import TestSupport
import Testing

@testable import API

/// Numbers that do not fit, or are none.
private let extremes = [
    "-9223372036854775808", "9223372036854775807", "9223372036854775808", "9007199254740992",
    "18446744073709551616", "-1", "+1", "1.5", "1e400", "nan", "-", "", "0x10", "%201",
    "%EF%BC%91", String(repeating: "9", count: 10_000), String(repeating: "0", count: 10_000),
]

struct `A cursor` {
    private func read<C: Cursor>(_ text: String, as type: C.Type) -> C? {
        var parts = CursorParts(text)
        guard let cursor = C(&parts), parts.isAtEnd else { return nil }
        return cursor
    }

    @Test func `of a position is a number that JSON can have`() {
        #expect(read("0", as: LogPosition.self)?.number == 0)
        #expect(read("007", as: LogPosition.self)?.number == 7)
        #expect(read("9007199254740991", as: LogPosition.self)?.number == 9_007_199_254_740_991)
    }

    @Test(
        arguments: extremes + [
            "-0", "1 ", "1\u{301}", "１", "1_", String(repeating: "1", count: 1_000_000),
        ])
    func `is nil for any other number`(text: String) {
        #expect(read(text, as: LogPosition.self) == nil)
        #expect(read(text, as: ActivityChange.Place.self) == nil)
        #expect(read("1-" + text, as: ActivityChange.Place.self) == nil)
        // A number beyond those of JSON may still be a moment, and one before 1970 has a hyphen.
        let isMoment = Int64(text).map { Moment.writableMicroseconds.contains($0) } == true
        #expect(isMoment || read(text + "_push-1", as: DeadLetterPlace.self) == nil)
        #expect(read("1_push-" + text, as: DeadLetterPlace.self) == nil || text.count >= 16)
        #expect(DeadLetter.ID(text: "start-1-\(text)-a") == nil || text.count >= 16)
    }

    @Test func `of a dead letter reaches from the year 0000 to 9999 and no further`() throws {
        for micros in [-62_167_219_200_000_000, 253_402_300_799_999_999] as [Int64] {
            let place = try #require(read("\(micros)_push-17", as: DeadLetterPlace.self))
            #expect(place.givenUpAt.microseconds == micros)
            #expect(place.cursor == "\(micros)_push-17")
        }
        #expect(read("-62167219200000001_push-17", as: DeadLetterPlace.self) == nil)
        #expect(read("253402300800000000_push-17", as: DeadLetterPlace.self) == nil)
        #expect(read("-9223372036854775808_push-1", as: DeadLetterPlace.self) == nil)
    }

    @Test func `is written as it is read`() throws {
        for text in ["17", "17-3"] {
            #expect(try #require(read(text, as: ActivityChange.Place.self)).cursor == text)
        }
        let letters = [
            "1777658400000000_start-17-0-order_4-2", "1_start-17-0-\u{301}a",
            "-5_webhook-9223372036854775807",
        ]
        for text in letters {
            #expect(try #require(read(text, as: DeadLetterPlace.self)).cursor == text)
        }
        for text in ["1777658400000000_match-1", "-5__a", "_match-1", "0_\u{301}a"] {
            #expect(try #require(read(text, as: ScoreboardPage.Place.self)).cursor == text)
        }
        for text in ["", "_", "1", "1_", "-_a", "1-2_a", "1_a\u{0}", "99999999999999999999_a"] {
            #expect(read(text, as: ScoreboardPage.Place.self) == nil, "\(text)")
        }
    }
}

/// Each parameter that has a number in it, with `#` for the number.
private let parameters = [
    "/v1/dead-letters?after=#_push-1", "/v1/dead-letters?limit=#",
    "/v1/events?after=#", "/v1/events?wait=#", "/v1/events?limit=#",
    "/v1/events/stream?after=#", "/v1/stream?after=#",
    "/v1/activities?wait=#", "/v1/activities?limit=#",
    "/v1/activities?updatedSince=2026-05-01T12:00:00Z&after=#",
    "/v1/activities?updatedSince=2026-05-01T12:00:00Z&after=1-#",
    "/v1/activities/a?wait=#", "/v1/activities/a/events?after=#",
    "/v1/activities/a/decisions?after=#", "/v1/activities/a/decisions?wait=#",
    "/v1/activities/a/state?version=#", "/v1/activities/a/why?version=#",
    "/v1/overview?wait=#", "/v1/scoreboard?limit=#", "/v1/scoreboard?after=#_match-1",
    "/v1/policies/Match?version=#", "/v1/schemas/Match.GoalScored?version=#",
]

private struct Refused {
    var target: String
    var headers: [(String, String)] = []
    var name: String
}

@Test func `what a request is refused for is named by its parameter or header field`()
    async throws
{
    let api = await Harness()
    let after = "?after=99"
    let refused = [
        Refused(target: "/v1/events\(after)", name: "after"),
        Refused(target: "/v1/events/stream\(after)", name: "after"),
        Refused(target: "/v1/stream\(after)", name: "after"),
        Refused(
            target: "/v1/events/stream", headers: [("last-event-id", "99")], name: "Last-Event-ID"),
        Refused(
            target: "/v1/stream\(after)", headers: [("last-event-id", "99")],
            name: "Last-Event-ID"),
        Refused(target: "/v1/activities?wait=99", name: "wait"),
        Refused(target: "/v1/activities/%00", name: "id"),
        Refused(target: "/v1/activities/a/channels/a%20b", name: "bundleId"),
        Refused(target: "/v1/start-tokens/%00/Match", name: "installation"),
        Refused(target: "/v1/start-tokens/phone/Mach", name: "kind"),
        Refused(target: "/v1/schemas/Match.GoalScore", name: "type"),
    ]
    for wrong in refused {
        let answer = try await api.call("GET", wrong.target, headers: wrong.headers)
        #expect([400, 404].contains(answer.status), "\(wrong.target)")
        let detail = try answer.json()["detail"]?.text ?? ""
        #expect(detail.hasPrefix("`\(wrong.name)` "), "\(wrong.target): \(detail)")
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Numbers in requests over a socket` {
    private func request(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n"
            + "Authorization: Bearer key\r\n\(fields)\r\n"
    }

    private func name(of parameter: String) -> String {
        let query = parameter.split(separator: "?").last ?? ""
        return query.split(separator: "&").last?.split(separator: "=").first.map(String.init) ?? ""
    }

    @Test func `that are out of range are refused by the name of the parameter`() async throws {
        let api = try await PostgresAPI.make()
        let served = try await ServedAPI.start(handler: api.handler)
        for parameter in parameters {
            for extreme in extremes {
                // A moment may lie before 1970, or in 2255, and a match may have none.
                let isMoment = ["-1", "9007199254740992"].contains(extreme)
                if isMoment, parameter.contains("#_") { continue }
                if extreme.isEmpty, parameter.contains("#_match") { continue }
                let answer = await served.exchange(
                    request(parameter.replacing("#", with: extreme)))
                #expect(
                    answer.hasPrefix("HTTP/1.1 400 "), "\(parameter) with \(extreme.prefix(30))")
                #expect(
                    try body(of: answer)["detail"]?.text?.contains("`\(name(of: parameter))`")
                        == true,
                    "\(parameter) with \(extreme.prefix(30))")
            }
        }
        await served.stop()
    }

    @Test func `to go on from are refused in Last-Event-ID as well`() async throws {
        let api = try await PostgresAPI.make()
        let served = try await ServedAPI.start(handler: api.handler)
        for target in ["/v1/stream", "/v1/events/stream"] {
            for extreme in extremes where !extreme.isEmpty {
                let answer = await served.exchange(
                    request(target, "Last-Event-ID: \(extreme)\r\n"))
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(target): \(extreme.prefix(30))")
                #expect(answer.contains("`Last-Event-ID`"))
            }
        }
        await served.stop()
    }

    /// The store can count with all that the door lets in.
    @Test(arguments: parameters)
    func `at the ends of their range are answered`(parameter: String) async throws {
        let api = try await PostgresAPI.make()
        for end in ["0", "1", "9007199254740991", "-62167219200000000", "253402300799999999"] {
            let answer = try await api.call("GET", parameter.replacing("#", with: end))
            #expect([200, 400, 404].contains(answer.status), "\(parameter) with \(end)")
        }
        let last = try await api.call(
            "GET", "/v1/dead-letters?after=253402300799999999_start-1-9223372036854775807-a")
        #expect(last.status == 200)
    }
}
