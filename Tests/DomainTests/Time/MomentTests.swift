import Domain
import Foundation
import JSON
import TestSupport
import Testing

struct MomentTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)),
        ("2022-12-18T15:00:00Z", 1_671_375_600_000_000),
        ("2022-12-18T18:00:00+03:00", 1_671_375_600_000_000),
        ("2022-12-18T07:30:00-07:30", 1_671_375_600_000_000),
        ("2022-12-18t15:00:00.25z", 1_671_375_600_250_000),
        ("2022-12-18 15:00:00.1234567Z", 1_671_375_600_123_456),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
        ("2000-02-29T23:59:59Z", 951_868_799_000_000),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
        ("1969-12-31T23:59:59.5Z", -500_000),
        ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ("2001-01-01T00:00:00-00:00", 978_307_200_000_000),
    ])
    func `reads RFC 3339 with a zone`(text: String, microseconds: Int64) {
        #expect(Moment(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "now", "2022-12-18", "2022-12-18T15:00:00", "2022-12-18T15:00Z",
        "2022-12-18T15:00:00.Z", "2022-12-18T15:00:00 Z", "2022-12-18T15:00:00+3",
        "2022-12-18T15:00:00+0300", "2022-12-18T15:00:00+24:00", "2022-12-18T15:00:00+03:60",
        "2022-12-18T24:00:00Z", "2022-12-18T15:60:00Z", "2022-12-18T15:00:61Z",
        "2022-13-18T15:00:00Z", "2022-00-18T15:00:00Z", "2022-12-32T15:00:00Z",
        "2022-12-00T15:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2022-04-31T00:00:00Z", "22-12-18T15:00:00Z", "+2022-12-18T15:00:00Z",
        "2022-12-18T15:00:00Zjunk", " 2022-12-18T15:00:00Z", "2022/12/18T15:00:00Z",
        "２０２２-12-18T15:00:00Z", "2022-12-18T15:00:00−03:00", "2022-12-18T15:00:00,5Z",
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z",
    ])
    func `refuses anything else`(text: String) {
        #expect(Moment(rfc3339: text) == nil)
    }

    @Test(arguments: [
        "2016-12-31T23:59:60Z", "2015-06-30T23:59:60.5Z", "2017-01-01T00:59:60+01:00",
        "2016-12-31T18:29:60-05:30", "2015-07-01t09:59:60+10:00", "1969-12-31T23:59:60Z",
        "2026-05-01T12:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z",
    ])
    func `a new moment may be a leap second where one can be`(text: String) {
        #expect((try? Moment(new: text)) != nil)
        #expect((try? Moment(new: text)) == Moment(rfc3339: text))
    }

    @Test(arguments: [
        "2026-05-01T12:00:60Z", "2026-05-31T23:59:60Z", "2026-12-31T22:59:60Z",
        "2026-12-31T23:58:60Z", "2026-12-31T23:59:60+01:00", "2026-12-30T23:59:60Z",
        "2026-03-31T23:59:60Z", "2026-05-01 12:00:00Z",
    ])
    func `a new moment has its letter, and no minute of 61 seconds`(text: String) {
        #expect((try? Moment(new: text)) == nil)
        #expect(Moment(rfc3339: text) != nil, "what was recorded is still read")
    }

    @Test(arguments: [
        ("2026-11-28 10:00:00Z", MomentError.separator, "with a `T` between"),
        ("2026-05-01T12:00:60Z", .leapSecond, "no leap second can be then"),
        ("0000-12-31T23:59:59Z", .year, "in the years 0001 to 9999"),
        ("0001-01-01T00:00:00+01:00", .year, "in the years 0001 to 9999"),
        ("9999-12-31T23:59:59-00:01", .year, "in the years 0001 to 9999"),
        ("9999-12-31T23:59:60Z", .year, "in the years 0001 to 9999"),
        ("2026-05-01T12:00:00", .form, "such as \"2026-05-01T12:00:00Z\""),
        ("2026-02-30T12:00:00Z", .form, "such as \"2026-05-01T12:00:00Z\""),
    ])
    func `what is no new moment is refused with its remedy`(
        text: String, error: MomentError, remedy: String
    ) {
        #expect(throws: error) { try Moment(new: text) }
        #expect(error.expectation.hasPrefix("an RFC 3339 date and time with a zone"))
        #expect(error.expectation.contains(remedy))
    }

    @Test func `every moment that can be written reads back as itself`() throws {
        var generator = SeededGenerator(seed: 3339)
        for _ in 0..<20_000 {
            let moment = Moment(
                microseconds: .random(
                    in: -62_167_219_200_000_000...253_402_300_799_999_999, using: &generator))
            #expect(Moment(rfc3339: moment.rfc3339) == moment)
        }
    }

    @Test func `agrees with Foundation on the day of every day of 800 years`() throws {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: Int64(-135_000), to: 160_000, by: 7) {
            let seconds = day * 86_400 + 12 * 3600
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            // Foundation switches to the Julian calendar before 1582-10-15.
            guard seconds > -12_219_292_800 else { continue }
            #expect(Moment(unixSeconds: seconds).rfc3339 == expected)
        }
    }

    @Test func `every offset is subtracted`() throws {
        let base = try #require(Moment(rfc3339: "2024-03-01T00:30:00Z"))
        for minutes in -1439...1439 {
            let size = abs(minutes)
            let pair = { (number: Int) in String(format: "%02d", number) }
            let zone = "\(minutes < 0 ? "-" : "+")\(pair(size / 60)):\(pair(size % 60))"
            let moment = Moment(rfc3339: "2024-03-01T00:30:00\(zone)")
            #expect(moment == base.adding(seconds: Double(-minutes * 60)))
        }
    }

    @Test func `writes as many fraction digits as needed`() {
        #expect(Moment(microseconds: 1_500_000).rfc3339 == "1970-01-01T00:00:01.500Z")
        #expect(Moment(microseconds: 1_500_001).rfc3339 == "1970-01-01T00:00:01.500001Z")
        #expect(Moment(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999999Z")
    }

    @Test func `whole seconds round down on both sides of 1970`() {
        #expect(Moment(microseconds: 1_999_999).unixSeconds == 1)
        #expect(Moment(microseconds: -1).unixSeconds == -1)
        #expect(Moment(microseconds: -1_000_000).unixSeconds == -1)
        #expect(Moment(microseconds: -1_000_001).unixSeconds == -2)
    }

    @Test func `a phone's date leads back to its moment`() {
        let moment = Moment(microseconds: 1_671_375_600_123_456)
        #expect(Moment(moment.date) == moment)
        #expect(Moment(moment.dateToTheSecond) == Moment(unixSeconds: 1_671_375_600))
        #expect(Moment(Date.distantFuture.addingTimeInterval(1e15)).rfc3339.hasPrefix("9999-12-31"))
    }

    @Test func `a bad date in JSON says what to send`() {
        #expect(throws: DecodingError.self) {
            try WireCoder.decode([Moment].self, from: Data(#"["2022-12-18T15:00:00"]"#.utf8))
        }
    }

    @Test func `a moment stays in the years that can be written down`() throws {
        let last = try #require(Moment(rfc3339: "9999-12-31T23:59:59.999999Z"))
        let first = try #require(Moment(rfc3339: "0000-01-01T00:00:00Z"))
        for (moment, seconds) in [(last, 1.0), (last, 1e12), (first, -1), (first, -1e12)] {
            #expect(moment.adding(seconds: seconds) == moment)
        }
        #expect(last.adding(seconds: -86_400).rfc3339 == "9999-12-30T23:59:59.999999Z")
    }
}
