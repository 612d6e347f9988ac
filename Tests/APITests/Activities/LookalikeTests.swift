import Domain
import EventStore
import Foundation
import JSON
import TestSupport
import Testing

@testable import API

private func encoded(_ text: String) -> String { PercentEncoding.encoded(text) }

private func order(_ id: String, _ activity: String) -> JSON {
    [
        "specversion": "1.0", "id": .string(id), "source": "/shop",
        "type": "PizzaDelivery.OrderPlaced", "subject": .string(activity),
        "time": "2026-05-01T18:20:00Z",
        "data": [
            "orderNumber": .string(id), "numberOfPizzas": .integer(1), "totalAmount": "€9",
            "promisedAt": "2026-05-01T19:00:00Z",
        ],
    ]
}

@Suite(.timeLimit(.minutes(2)))
struct `Subjects that look alike` {
    /// What the answer says of each event.
    private func versions(_ answer: Answer) throws -> [String] {
        try answer.json()["events"]?.elements.compactMap {
            if case .number(let version)? = $0["version"] { version } else { nil }
        } ?? []
    }

    private func send(_ api: PostgresAPI, _ events: [JSON]) async throws -> [String] {
        let answer = try await api.call(
            "POST", "/v1/events", String(decoding: JSON.array(events).bytes, as: UTF8.self),
            type: "application/cloudevents-batch+json")
        #expect(answer.status == 201, "\(answer.text)")
        return try versions(answer)
    }

    @Test func `are two activities, each with its own versions`() async throws {
        let api = try await PostgresAPI.make()
        for seed in 0..<12 as Range<UInt64> {
            let found = Lookalikes(seed: seed)
            let pair = Lookalikes(one: "\(seed)\(found.one)", other: "\(seed)\(found.other)")
            // One by one, as long as the node remembers the first, and then together.
            #expect(try await send(api, [order("\(seed)a", pair.one)]) == ["1"], "\(pair)")
            #expect(try await send(api, [order("\(seed)b", pair.other)]) == ["1"], "\(pair)")
            try await api.fold()
            #expect(try await send(api, [order("\(seed)c", pair.one)]) == ["2"], "\(pair)")
            let both = [order("\(seed)d", pair.other), order("\(seed)e", pair.one)]
            #expect(try await send(api, both) == ["2", "3"], "\(pair)")
            try await api.fold()
            for (name, version, number) in [(pair.one, 3, "e"), (pair.other, 2, "d")] {
                let answer = try await api.call("GET", "/v1/activities/\(encoded(name))")
                #expect(answer.status == 200, "\(pair)")
                let json = try answer.json()
                #expect(json["id"]?.text.map { Array($0.utf8) } == Array(name.utf8))
                #expect(json["version"] == .integer(version), "\(pair)")
                #expect(json["attributes"]?["orderNumber"]?.text == "\(seed)\(number)")
            }
        }
    }

    @Test func `have event ids of their own`() async throws {
        let api = try await PostgresAPI.make()
        let pair = Lookalikes.cafe
        #expect(try await send(api, [order(pair.one, "o"), order(pair.other, "o")]) == ["1", "2"])
        let again = try await api.call(
            "POST", "/v1/events",
            String(decoding: order(pair.other, "o").bytes, as: UTF8.self),
            type: "application/cloudevents+json")
        #expect(try versions(again) == ["2"])
        #expect(again.text.contains("already-known"))
    }

    @Test func `do not share a ticket`() async throws {
        let api = try await PostgresAPI.make()
        for seed in 0..<12 as Range<UInt64> {
            let pair = Lookalikes(seed: seed)
            let made = try await api.call(
                "POST", "/v1/activities/\(encoded(pair.one))/tickets", "{}")
            let ticket = try #require(try made.json()["ticket"]?.text)
            func status(_ activity: String) async throws -> Int {
                try await api.call(
                    "GET", "/v1/activities/\(encoded(activity))", with: ticket
                ).status
            }
            // Nothing was reported, and the ticket opens that much.
            #expect(try await status(pair.one) == 404, "\(pair)")
            #expect(try await status(pair.other) == 403, "\(pair)")
        }
    }
}

@Test func `members whose names look alike are two members`() throws {
    for seed in 0..<100 as Range<UInt64> {
        let pair = Lookalikes(seed: seed)
        let json = try JSONParser.parse(Array(#"{"\#(pair.one)":1,"\#(pair.other)":2}"#.utf8))
        #expect(json[pair.one] == .integer(1), "\(pair)")
        #expect(json[pair.other] == .integer(2), "\(pair)")
        let many = (0..<20).map { #""\#($0)":0"# }.joined(separator: ",")
        let long = #"{\#(many),"\#(pair.one)":1,"\#(pair.other)":2}"#
        #expect(try JSONParser.parse(Array(long.utf8))[pair.other] == .integer(2))
        #expect(throws: JSONError.self) {
            try JSONParser.parse(Array(#"{"\#(pair.one)":1,"\#(pair.one)":2}"#.utf8))
        }
    }
}
