import Domain
import EventLoop
import Foundation
import HTTP
import JSON
import ServerClient
import Terminal
import Testing

@testable import Demo
@testable import Simulator

/// So fast that nothing is waited for.
private let atOnce = 1e9

private func reports(_ fixture: String) throws -> [Fixture.Report] {
    Fixture.sideBySide(
        [try Fixture.load(fixture)], begin: Moment(unixSeconds: 1_800_000_000), speed: 1)
}

private func token(_ call: JSON?) -> String { call?["pushToken"]?.text ?? "" }

@Suite(.timeLimit(.minutes(1)))
struct `A story that is played` {
    @Test func `starts the card of its person, whose app registers it with a ticket`() async throws
    {
        try await ServerStandIn.with { stand, player in
            let played = try reports("adventures")
            try await player.play(Array(played.prefix(3)), speed: atOnce)
            let activity = "/v1/activities/adventure-1"
            #expect(
                stand.lines == [
                    "POST \(activity)/tickets", "GET \(activity)",
                    "POST \(activity)/registrations",
                ])
            let calls = stand.calls.withLock { $0 }
            #expect(
                calls.map(\.key) == [
                    "merchant", "merchant", "ticket of adventure-1", "ticket of adventure-1",
                    "merchant", "merchant",
                ])
            let registration = stand.bodies("POST \(activity)/registrations").first
            #expect(registration?["installation"]?.text == "demo app on Phone A")
            #expect(registration?["bundleId"]?.text == stand.simulator.configuration.bundleID)
            let phones = stand.simulator.phones()
            #expect(phones.map(\.name) == ["Phone A"])
            let id = try #require(phones.first).id
            let card = try stand.simulator.updateToken(
                of: ActivityID(rawValue: "adventure-1"), on: id)
            #expect(token(registration) == card.hex)
        }
    }

    @Test func `is reported in its order and to the byte, what comes twice too`() async throws {
        try await ServerStandIn.with { stand, player in
            let played = try reports("adventures")
            try await player.play(played, speed: atOnce)
            let sent = stand.bodies("POST /v1/events").map(\.canonicalBytes)
            let expected = played.map { Array($0.cloudEvent) }
            #expect(sent == expected)
        }
    }

    @Test func `has one card swiped away, whose app says so once`() async throws {
        try await ServerStandIn.with { stand, player in
            try await player.play(try reports("adventures"), speed: atOnce)
            let activity = "/v1/activities/adventure-1"
            let told = stand.bodies("POST \(activity)/registrations/report")
            #expect(told.count == 1)
            #expect(told.first?["state"]?.text == "dismissed")
            let registered = stand.bodies("POST \(activity)/registrations").first
            #expect(token(told.first) == token(registered))
            let cards = stand.simulator.phones().flatMap(\.activities)
            #expect(cards.map(\.phase) == [.dismissed])
            // Nobody waits for a card that is gone.
            #expect(await player.cardsBehind() == [])
        }
    }

    @Test func `has one card given another token, whose app tells both`() async throws {
        try await ServerStandIn.with { stand, player in
            try await player.play(try reports("world-cup-2022-final"), speed: atOnce)
            let activity = "/v1/activities/world-cup-2022-final"
            let registered = stand.bodies("POST \(activity)/registrations")
            let installations = registered.compactMap { $0["installation"]?.text }
            #expect(installations == ["demo app on Phone A", "demo app on Phone B"])
            let rotations = stand.bodies("POST \(activity)/registrations/rotation")
            #expect(rotations.count == 1)
            #expect(rotations.first?["from"]?.text == token(registered.first))
            let id = try #require(stand.simulator.phones().first).id
            let fresh = try stand.simulator.updateToken(
                of: ActivityID(rawValue: "world-cup-2022-final"), on: id)
            #expect(rotations.first?["to"]?.text == fresh.hex)
        }
    }

    @Test func `goes on when the server was away, or had not folded yet`() async throws {
        let asked = Lock(0)
        try await ServerStandIn.with(answering: { call in
            guard call.path == "/v1/events" else { return nil }
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            switch number {
            case 1: return ServerStandIn.answer(#"{"detail":"no primary"}"#, status: 503)
            case 2: return ServerStandIn.answer(#"{"detail":"not yet"}"#, status: 404)
            default: return nil
            }
        }) { stand, player in
            let played = try reports("adventures")
            try await player.play(Array(played.prefix(1)), speed: atOnce)
            let sent = stand.bodies("POST /v1/events").map(\.canonicalBytes)
            #expect(sent == [[UInt8]](repeating: Array(played[0].cloudEvent), count: 3))
        }
    }

    @Test func `ends with the server's reason when it refuses a report`() async throws {
        try await ServerStandIn.with(answering: { call in
            call.path == "/v1/events"
                ? ServerStandIn.answer(#"{"detail":"No type."}"#, status: 422) : nil
        }) { stand, player in
            let played = try reports("adventures")
            await #expect(
                throws: CommandFailure.failed("the server refused (422): No type.")
            ) { try await player.play(played, speed: atOnce) }
            #expect(stand.lines == [])
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A match whose cards appear by push` {
    @Test func `has its channel and its followers before it is announced`() async throws {
        try await ServerStandIn.with { stand, player in
            let played = try reports("harbour-derby")
            try await player.play(Array(played.prefix(2)), speed: atOnce)
            let calls = stand.calls.withLock { $0 }
            let activity = "/v1/activities/harbour-derby"
            #expect(calls.first?.line == "PUT \(activity)/channels/dev.islet.demo")
            let starts = calls.filter { $0.path.hasPrefix("/v1/start-tokens/") }
            let phones = DemoCast.phones + DemoFans.names
            let paths = phones.map { "/v1/start-tokens/demo app on \($0)/Match" }
            #expect(starts.map(\.path) == paths)
            let tokens = Set(starts.map { token($0.body) })
            #expect(tokens.count == phones.count && !tokens.contains(""))
            let versions = starts.map { $0.body["osMajor"]?.wholeNumber ?? 0 }
            let expected: [Int64] = phones.map { $0 == "Phone B" ? 17 : 18 }
            #expect(versions == expected)
            let topics = JSON.array([.string("team:harbour-city")])
            let isForAll = starts.allSatisfy { $0.body["topics"] == topics }
            #expect(isForAll)
            #expect(stand.bodies("PUT \(activity)/audience").first?["topics"] == topics)
            let tail = calls.dropFirst(1 + phones.count).map(\.line)
            #expect(tail == ["PUT \(activity)/audience", "POST /v1/events", "POST /v1/events"])
            // No app starts a card of it by itself.
            #expect(stand.simulator.phones().flatMap(\.activities).isEmpty)
        }
    }

    @Test func `has each card registered whose app woke up`() async throws {
        try await ServerStandIn.with { stand, player in
            func event(_ outcome: PhoneLogEntry.Outcome, _ token: String?) -> PhoneEvent {
                PhoneEvent(
                    phone: PhoneID(rawValue: "phone-3"), phoneName: "Fan 1",
                    entry: PhoneLogEntry(
                        at: Moment(unixSeconds: 0), activity: ActivityID(rawValue: "harbour-derby"),
                        outcome: outcome, sentence: "", warnings: []),
                    kind: "Match", updateToken: token.map { PushToken(stored: $0) })
            }
            let (events, sink) = AsyncStream<PhoneEvent>.makeStream()
            for known in [
                event(.started, nil), event(.obtainedToken, nil), event(.obtainedToken, "ab12"),
                event(.rotated, "cd34"),
            ] { sink.yield(known) }
            sink.finish()
            await player.followStarts(events)
            let activity = "/v1/activities/harbour-derby"
            #expect(
                stand.lines == ["POST \(activity)/tickets", "POST \(activity)/registrations"])
            let body = stand.bodies("POST \(activity)/registrations").first
            #expect(token(body) == "ab12")
            #expect(body?["installation"]?.text == "demo app on Fan 1")
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `What somebody sees of the story` {
    @Test func `is each decision once, and an explanation of what was remarkable`() async throws {
        let row = #"{"version":3,"verdict":"alert","rule":"goalDisallowed","reason":"No goal."}"#
        try await ServerStandIn.with(answering: { call in
            if call.path.hasSuffix("/decisions?after=0") {
                return ServerStandIn.answer(#"{"decisions":[\#(row)]}"#)
            }
            return call.path.contains("/decisions?")
                ? ServerStandIn.answer(#"{"decisions":[]}"#) : nil
        }) { stand, player in
            try await player.play(Array(try reports("adventures").prefix(1)), speed: atOnce)
            for _ in 1...2 { await player.showDecisions() }
            await player.explain()
            let activity = "/v1/activities/adventure-1"
            #expect(
                stand.lines.suffix(3) == [
                    "GET \(activity)/decisions?after=0", "GET \(activity)/decisions?after=3",
                    "GET \(activity)/why?version=3",
                ])
        }
    }

    @Test func `is behind until each card shows what the server has folded`() async throws {
        let folded = Lock<JSON>(.null)
        try await ServerStandIn.with(answering: { call in
            let state = folded.withLock { $0 }
            guard call.method == "GET", state != .null else { return nil }
            let document: JSON = ["version": .integer(99), "contentState": state]
            return ServerStandIn.answer(String(decoding: document.canonicalBytes, as: UTF8.self))
        }) { stand, player in
            try await player.play(Array(try reports("adventures").prefix(1)), speed: atOnce)
            #expect(await player.cardsBehind() == ["Phone A: adventure-1"])
            let card = stand.simulator.phones().flatMap(\.activities).first
            let shown = try #require(card).contentState
            folded.withLock { $0 = shown }
            #expect(await player.cardsBehind() == [])
        }
    }
}
