import Domain
import Foundation
import JSON
import TestSupport
import Testing

struct `A push token` {
    @Test(arguments: [8, 9, 80, 255, 256])
    func `has 16 to 512 digits, and keeps them in lower case`(pairs: Int) {
        let token = PushToken(hex: String(repeating: "aF", count: pairs))
        #expect(token?.hex == String(repeating: "af", count: pairs))
        #expect(token == PushToken(hex: String(repeating: "Af", count: pairs)))
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 14), String(repeating: "a", count: 17),
        String(repeating: "a", count: 513), String(repeating: "a", count: 514),
        "0x" + String(repeating: "a", count: 16), String(repeating: "g", count: 16),
        String(repeating: "０", count: 16), String(repeating: "a", count: 15) + " ",
        String(repeating: "a", count: 16) + "\n", String(repeating: "é", count: 8),
    ])
    func `is nothing else`(text: String) {
        #expect(PushToken(hex: text) == nil)
    }

    @Test func `shows itself in no log, error or dump`() throws {
        let hex = String(repeating: "5ec7e7", count: 8)
        let token = try #require(PushToken(hex: hex))
        let wish = CardWish(token: token, environment: .sandbox, bundleID: "app.pizza")
        var dumped = ""
        dump(wish, to: &dumped)
        dump(CardRequest.rotate(from: token, to: token), to: &dumped)
        let all = [
            "\(token)", "\([token])", String(reflecting: token), String(reflecting: wish), dumped,
        ]
        for text in all {
            #expect(!text.contains("5ec7"))
            #expect(text.contains("<push token>"))
        }
    }
}

struct `A topic of an audience` {
    @Test(arguments: [
        "team:ARG", "customer:42", "a:b:c", "A-1_x.y:中", "team::", "team: ",
        "t:" + String(repeating: "x", count: 198), "t:" + String(repeating: "é", count: 99),
    ])
    func `is a name and a value`(text: String) {
        #expect(AudienceTopic(rawValue: text)?.description == text)
    }

    @Test(arguments: [
        "", "team", ":", ":ARG", "team:", "te am:ARG", "täm:ARG", "team/x:ARG", "team:a\nb",
        "team:\u{7F}", "team:\u{85}", "team：ARG", "t:" + String(repeating: "x", count: 199),
        "t:" + String(repeating: "é", count: 99) + "x",
    ])
    func `is nothing else`(text: String) {
        #expect(AudienceTopic(rawValue: text) == nil)
    }

    @Test func `stands once among those that a phone follows, in the order of bytes`() throws {
        let topics = ["team:b", "team:B", "club:z", "team:b", "team:é"]
            .compactMap { AudienceTopic(rawValue: $0) }
        let wish = StartWish(
            installation: "phone-1", kind: "Match",
            token: try #require(PushToken(hex: "0123456789abcdef")), environment: .production,
            bundleID: "app.match", topics: topics)
        #expect(wish.topics.map(\.rawValue) == ["club:z", "team:B", "team:b", "team:é"])
    }
}

struct `What names something` {
    @Test func `is a bare number or a bare text in JSON`() throws {
        struct Names: Codable, Equatable {
            var tenant: TenantID
            var activity: ActivityID
        }
        let names = Names(tenant: TenantID(rawValue: -7), activity: ActivityID(rawValue: "é/1"))
        let json = WireCoder.encode(names)
        #expect(String(decoding: json, as: UTF8.self) == #"{"activity":"é/1","tenant":-7}"#)
        #expect(try WireCoder.decode(Names.self, from: json) == names)
        for bad in [#"["x"]"#, "[2147483648]", "[1.5]", "[null]"] {
            #expect(throws: DecodingError.self) {
                try WireCoder.decode([TenantID].self, from: Data(bad.utf8))
            }
        }
        #expect(throws: DecodingError.self) {
            try WireCoder.decode([ActivityID].self, from: Data("[1]".utf8))
        }
    }

    @Test func `is ordered by its number`() {
        let tenants = [3, -1, 2, .max, .min].map { TenantID(rawValue: $0) }
        #expect(tenants.sorted().map(\.rawValue) == [.min, -1, 2, 3, .max])
    }

    @Test func `tells an app that errs what there is`() {
        #expect(APNsEnvironment.requirement == #"must be "sandbox" or "production""#)
        #expect(PushToken.requirement == "must have 16 to 512 hexadecimal digits, in pairs")
        #expect(APNsEnvironment(rawValue: "Sandbox") == nil)
    }

    @Test func `has digits that lead back to its number`() {
        var generator = SeededGenerator(seed: 64)
        for bits in 0...63 {
            let number = Int64(truncatingIfNeeded: generator.next() >> UInt64(64 - max(bits, 1)))
            guard number >= 0 else { continue }
            #expect(Int64(digits: "\(number)") == number)
            #expect(Int64(digits: "-\(number)") == nil)
            #expect(Int64(digits: "\(number)"[...]) == number)
        }
    }

    @Test func `counts to ten thousand and then no further`() {
        #expect(
            [0, 1, 9999, 10_000, 10_001].map(\.orMore) == [
                "0", "1", "9999", "10000 or more", "10001 or more",
            ])
    }
}

/// What looks random, and is the same two words for ever.
private struct TwoWords: RandomNumberGenerator {
    let words: [UInt64]
    var place = 0

    mutating func next() -> UInt64 {
        defer { place += 1 }
        return words[place % words.count]
    }
}

struct `A random id` {
    @Test(
        arguments: [
            ([0, 0], "00000000-0000-4000-8000-000000000000"),
            ([.max, .max], "ffffffff-ffff-4fff-bfff-ffffffffffff"),
            (
                [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210],
                "01234567-89ab-4def-bedc-ba9876543210"
            ),
        ] as [([UInt64], String)])
    func `says its version and variant and is random otherwise`(words: [UInt64], text: String) {
        var generator = TwoWords(words: words)
        #expect(generator.uuid() == text)
        #expect(generator.place == 2)
    }

    @Test func `is one that Foundation reads, and another each time`() {
        var generator = SeededGenerator(seed: 4)
        let ids = (0..<1000).map { _ in generator.uuid() }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { UUID(uuidString: $0)?.uuidString.lowercased() == $0 })
    }
}
