import Domain
import Foundation
import JSON
import TestSupport
import Testing

private let pairs = (0..<500).map { Lookalikes(seed: UInt64($0)) } + [.cafe]

/// Unequal, apart in a set, and in the order of their bytes.
private func expectApart<Name: Hashable & Comparable>(
    _ pair: Lookalikes, _ make: (String) -> Name
) {
    let (one, other) = (make(pair.one), make(pair.other))
    #expect(one != other, "\(pair)")
    #expect(!(one == other), "\(pair)")
    #expect(one == make(String(decoding: Array(pair.one.utf8), as: UTF8.self)))
    #expect(Set([one, other, make(pair.one)]).count == 2, "\(pair)")
    #expect(one.hashValue != other.hashValue, "\(pair)")
    let isFirst = pair.one.utf8.lexicographicallyPrecedes(pair.other.utf8)
    #expect((one < other) == isFirst, "\(pair)")
    #expect((other < one) == !isFirst, "\(pair)")
}

@Test func `texts that look alike are two names`() throws {
    for pair in pairs {
        try #require(pair.one == pair.other, "\(pair) should look the same")
        try #require(!pair.one.utf8.elementsEqual(pair.other.utf8))
        expectApart(pair) { ActivityID(rawValue: $0) }
        expectApart(pair) { ByteKey($0) }
    }
}

@Test func `topics that look alike are two topics`() throws {
    for pair in pairs {
        let topics = [pair.one, pair.other].compactMap { AudienceTopic(rawValue: "team:\($0)") }
        try #require(topics.count == 2)
        #expect(Set(topics).count == 2, "\(pair)")
        #expect(topics[0] != topics[1])
        let isFirst = pair.one.utf8.lexicographicallyPrecedes(pair.other.utf8)
        #expect((topics[0] < topics[1]) == isFirst)
    }
}

@Test func `apps, phones and events whose names look alike are two`() {
    func event(_ id: String, _ source: String = "/s", _ type: String = "t") -> NewEvent {
        NewEvent(
            id: id, source: source, type: type, activityID: ActivityID(rawValue: "a"),
            occurredAt: Moment(unixSeconds: 0), data: Data())
    }
    for pair in pairs {
        func apart<Value: Hashable>(_ make: (String) -> Value) {
            #expect(make(pair.one) != make(pair.other), "\(pair)")
            #expect(Set([make(pair.one), make(pair.other), make(pair.one)]).count == 2)
        }
        apart { AppInEnvironment(bundleID: $0, environment: .production) }
        apart {
            TenantApp(
                tenant: TenantID(rawValue: 1), bundleID: $0, environment: .production)
        }
        apart { CardState(installation: $0) }
        apart { event($0) }
        apart { event("1", $0) }
        apart { event("1", "/s", $0) }
        apart { ActivityFacts(competition: $0) }
    }
}

@Test func `texts are ordered and compared as Postgres does`() {
    let texts = ["", "a", "ab", "b", "é", "e\u{301}", "z", "中", "🍕", "K", "\u{212A}"]
    for left in texts {
        for right in texts {
            #expect(left.hasBytes(of: right) == (Array(left.utf8) == Array(right.utf8)))
            #expect(left.precedes(right) == left.utf8.lexicographicallyPrecedes(right.utf8))
        }
    }
    let (some, none): (String?, String?) = ("a", nil)
    #expect(some.hasBytes(of: "a"))
    #expect(!some.hasBytes(of: none))
    #expect(none.hasBytes(of: none))
}

private struct Card: Codable, Hashable {
    @ByBytes var name: String
    @ByBytes var note: String?
}

@Test func `a text that is compared by its bytes is coded like any other`() throws {
    for card in [Card(name: "é", note: "x"), Card(name: "e\u{301}", note: nil)] {
        let json = WireCoder.encode(card)
        let stock = JSONEncoder()
        stock.outputFormatting = .sortedKeys
        #expect(try stock.encode(card) == json)
        #expect(try JSONDecoder().decode(Card.self, from: json) == card)
        #expect(String(decoding: json, as: UTF8.self).contains("note") == (card.note != nil))
    }
    #expect(Card(name: "é", note: nil) != Card(name: "e\u{301}", note: nil))
    #expect(Card(name: "a", note: "é") != Card(name: "a", note: "e\u{301}"))
    let keyed = WireCoder.encode([ByteKey("b"): 1, ByteKey("a"): 2])
    #expect(String(decoding: keyed, as: UTF8.self) == #"{"a":2,"b":1}"#)
    #expect(try JSONDecoder().decode([ByteKey: Int].self, from: keyed) == ["a": 2, "b": 1])
}
