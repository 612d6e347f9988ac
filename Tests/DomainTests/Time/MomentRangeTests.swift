import Domain
import Foundation
import Testing

/// Whatever number a moment is made of, it lies in the years that can be written down.
struct `Moments beyond the years that can be written` {
    private let first = Moment(microseconds: -62_167_219_200_000_000)
    private let last = Moment(microseconds: 253_402_300_799_999_999)

    @Test func `are cut to them however they are made`() {
        #expect(Moment(microseconds: .min) == first)
        #expect(Moment(microseconds: .max) == last)
        #expect(Moment(unixSeconds: .min) == first)
        #expect(Moment(unixSeconds: .max).unixSeconds == last.unixSeconds)
        #expect(Moment(Date(timeIntervalSince1970: 1e300)) == last)
        #expect(Moment(Date(timeIntervalSince1970: -.infinity)) == first)
        #expect(Moment(Date(timeIntervalSince1970: .nan)) == Moment(unixSeconds: 0))
    }

    @Test(arguments: [
        1e308, 1e20, 9.3e12, .infinity, .greatestFiniteMagnitude,
    ])
    func `are where sums end that go beyond`(seconds: Double) {
        for moment in [first, Moment(unixSeconds: 0), last] {
            #expect(moment.adding(seconds: seconds) == last)
            #expect(moment.adding(seconds: -seconds) == first)
        }
    }

    @Test func `are where sums of microseconds end`() {
        for moment in [first, Moment(unixSeconds: 0), last] {
            #expect(moment.adding(microseconds: .max) == last)
            #expect(moment.adding(microseconds: .min) == first)
        }
        #expect(Moment(unixSeconds: 1).adding(microseconds: -1).microseconds == 999_999)
    }

    @Test func `add nothing for what is no number, or is zero`() {
        #expect(last.adding(seconds: .nan) == last)
        #expect(last.adding(seconds: -0.0) == last)
    }

    @Test func `are as far apart as can be, which is a number`() {
        #expect(last.seconds(since: first) == 315_569_519_999.999_999)
        #expect(first.seconds(since: last) < 0)
        #expect(first.rfc3339 == "0000-01-01T00:00:00Z")
        #expect(last.rfc3339 == "9999-12-31T23:59:59.999999Z")
    }

    @Test(arguments: [
        "", "-", "+1", "-1", "1 ", "0x1", "9223372036854775808", "１",
        String(repeating: "1", count: 1_000_000),
    ])
    func `have nothing to do with digits, which are read strictly`(text: String) {
        #expect(Int64(digits: text) == nil)
        #expect(Int64(digits: "9223372036854775807") == .max)
    }
}
