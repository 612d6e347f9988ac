import Foundation
import Testing

@testable import IsletClient

struct RFC3339Tests {
    @Test(
        arguments: [
            "2026-05-01T18:20:00", "2027-01-15T07:59:59", "2001-01-01T00:00:00",
            "2000-12-31T23:59:59", "1999-06-30T12:00:07", "1969-12-31T23:59:59",
        ])
    func `each millisecond of a second comes back as it was read`(second: String) throws {
        for millisecond in 0..<1000 {
            let text = "\(second).\(String(1000 + millisecond).dropFirst())Z"
            #expect(RFC3339.text(try #require(RFC3339.date(text))) == text)
        }
    }

    @Test func `what is finer is rounded, also into the next second`() {
        for (seconds, text) in [
            (1_800_000_000.2504, "2027-01-15T08:00:00.250Z"),
            (1_800_000_000.2506, "2027-01-15T08:00:00.251Z"),
            (1_800_000_000.9996, "2027-01-15T08:00:01.000Z"),
            (-0.0004, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
        ] {
            #expect(RFC3339.text(Date(timeIntervalSince1970: seconds)) == text)
        }
    }

    @Test func `a date before all history ends no program`() {
        let first = Date(timeIntervalSince1970: Double(Int.min) / 1000)
        #expect(RFC3339.text(first).hasSuffix(".192Z"))
    }
}
