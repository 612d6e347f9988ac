import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private let restored = LogStatus(epoch: 1_795_392_000)

private func harness(_ log: LogStatus = restored, kept: Int64? = 3) async throws -> Harness {
    let api = await Harness(limits: .patient, log: log, kept: kept)
    for number in 1...4 {
        _ = try await api.post(SampleEvents.placed("o-\(number)", id: "p\(number)"))
    }
    try await api.fake.fold(Harness.mine)
    return api
}

struct `A place in a restored log` {
    @Test func `has the epoch in it, and one in another log has none`() throws {
        #expect(restored.cursor(17) == "1795392000:17")
        #expect(LogStatus().cursor(17) == "17")
        for (text, epoch, number) in [("17", 1, 17), ("1795392000:17", 1_795_392_000, 17)] {
            var parts = CursorParts(text)
            let place = try #require(InEpoch<LogPosition>(&parts))
            #expect(parts.isAtEnd)
            #expect(place.epoch == Int64(epoch))
            #expect(place.place.number == Int64(number))
        }
        for text in [":17", "17:", "1:2:3", "-1:3", "9007199254740992:1", "1: 2", "a:1"] {
            var parts = CursorParts(text)
            #expect(InEpoch<LogPosition>(&parts) == nil || !parts.isAtEnd, "\(text)")
        }
    }

    @Test func `is what every page leads to`() async throws {
        let api = try await harness()
        let page = try await api.get("/v1/events?limit=2").json()
        #expect(page["epoch"] == .integer(1_795_392_000))
        let next = try #require(page["next"]?.text)
        #expect(next == "/v1/events?after=1795392000:2&limit=2")
        let rest = try await api.get(next).json()
        #expect(rest["events"]?.elements.count == 2)
        let list = try await api.get("/v1/activities?updatedSince=2000-01-01T00:00:00Z&limit=1")
        let more = try #require(try list.json()["next"]?.text)
        #expect(more.contains("after=1795392000:1"))
        #expect(try await api.get(more).status == 200)
    }

    @Test func `says its epoch in every list, and has no member that its schema lacks`()
        async throws
    {
        let api = try await harness()
        for path in [
            "/v1/events", "/v1/activities", "/v1/board", "/v1/attention", "/v1/overview",
            "/v1/scoreboard",
        ] {
            let answer = try await api.get(path)
            #expect(try answer.json()["epoch"] == .integer(1_795_392_000), "\(path)")
            let unknown = try OpenAPIDocument.shipped.undocumentedMembers(
                of: answer, .init(method: "GET", path: path))
            #expect(unknown == [], "\(path)")
        }
    }

    @Test func `is the id of every message`() async throws {
        let api = try await harness()
        for path in ["/v1/events/stream", "/v1/stream"] {
            let answer = try await api.get("\(path)?after=1795392000:3")
            var bytes: [UInt8] = []
            if case .stream(let chunks) = answer.response.body {
                for await chunk in chunks {
                    bytes += chunk
                    if bytes.count > 200 { break }
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("\nid: 1795392000:4\n"), "\(path): \(text)")
        }
    }
}

struct `Who remembers an older epoch` {
    @Test func `learns what is kept of it and where to go on`() async throws {
        let api = try await harness()
        let gone = try await api.get("/v1/events?after=4&limit=2").expectProblem(.logRestored)
        #expect(gone["epoch"] == .integer(1_795_392_000))
        #expect(gone["kept"] == .integer(3))
        let next = try #require(gone["next"]?.text)
        #expect(next == "/v1/events?after=1795392000:3&limit=2")
        #expect(try await api.get(next).json()["events"]?.elements.count == 1)
        // One that has nothing of what was taken back misses nothing.
        let early = try await api.get("/v1/events?after=2").expectProblem(.logRestored)
        #expect(early["kept"] == .integer(2))
        #expect(early["next"]?.text == "/v1/events?after=1795392000:2")
    }

    @Test func `starts from the beginning when nothing is known of it`() async throws {
        let api = try await harness(kept: nil)
        let gone = try await api.get("/v1/events?after=1700000000:4").expectProblem(.logRestored)
        #expect(gone["kept"] == .integer(0))
        #expect(gone["next"]?.text == "/v1/events?after=1795392000:0")
        #expect(try await api.get("/v1/events?after=0").status == 200)
    }

    @Test(arguments: ["/v1/events/stream", "/v1/stream"])
    func `learns it from a stream`(path: String) async throws {
        let api = try await harness()
        let answer = try await api.call("GET", path, headers: [("last-event-id", "4")])
        let gone = try answer.expectProblem(.logRestored)
        let next = try #require(gone["next"]?.text)
        #expect(next == (path == "/v1/stream" ? path : "\(path)?after=1795392000:3"))
        #expect(try await api.get(next).status == 200)
    }

    @Test(arguments: [
        "/v1/activities/o-1/events?after=1", "/v1/activities/o-1/decisions?after=1",
        "/v1/activities?updatedSince=2000-01-01T00:00:00Z&after=1-1",
    ])
    func `begins a list again`(path: String) async throws {
        let api = try await harness()
        let gone = try await api.get(path).expectProblem(.logRestored)
        let next = try #require(gone["next"]?.text)
        #expect(!next.contains("after"))
        #expect(try await api.get(next).status == 200)
    }

    @Test func `is not told that nothing has changed`() async throws {
        let first = try await harness(LogStatus())
        let second = try await harness()
        for path in ["/v1/activities/o-1", "/v1/activities/o-1/events"] {
            let tag = try #require(try await first.get(path).header("etag"))
            let same = try await first.call("GET", path, headers: [("if-none-match", tag)])
            #expect(same.status == 304)
            let other = try await second.call("GET", path, headers: [("if-none-match", tag)])
            #expect(other.status == 200)
            let newer = try #require(other.header("etag"))
            #expect(newer.hasPrefix("W/\"1795392000."))
        }
    }
}

@Test func `nothing is asked of a log that is held`() async throws {
    let api = await Harness(log: LogStatus(hold: .copied))
    for path in ["/v1/events", "/v1/stream", "/v1/activities/a"] {
        let answer = try await api.get(path)
        try answer.expectProblem(.logHeld)
        #expect(answer.header("retry-after") != nil)
    }
    try await api.post(SampleEvents.placed("o-1", id: "p")).expectProblem(.logHeld)
    #expect(await api.fake.log(of: Harness.mine).isEmpty)
    #expect(try await api.get("/healthz", key: nil).status == 200)
}
