import Testing

@testable import HTTP

@Suite struct DateFieldTests {
    @Test func `the standard's own example is written as the standard writes it`() {
        var date = DateField()
        #expect(date.at(784_111_777) == Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8))
    }

    @Test func `each second has its own text, also when the clock goes back`() {
        var date = DateField()
        #expect(date.at(1_709_164_799) == Array("Wed, 28 Feb 2024 23:59:59 GMT".utf8))
        #expect(date.at(1_709_164_800) == Array("Thu, 29 Feb 2024 00:00:00 GMT".utf8))
        #expect(date.at(1_709_164_799) == Array("Wed, 28 Feb 2024 23:59:59 GMT".utf8))
    }
}
