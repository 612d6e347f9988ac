import Testing

@testable import Postgres

struct `A timestamp` {
    @Test(arguments: [0, 1, -1, 946_684_800_000_000, -62_167_219_200_000_000] as [Int64])
    func `goes to Postgres and comes back`(unix: Int64) {
        let there = Timestamp(unixMicroseconds: unix).postgresMicroseconds
        #expect(there == unix - 946_684_800_000_000)
        #expect(Timestamp(postgresMicroseconds: there).unixMicroseconds == unix)
    }

    @Test func `beyond what can be counted is infinite, and infinity stays what it is`() {
        #expect(Timestamp(unixMicroseconds: .min).postgresMicroseconds == .min)
        #expect(Timestamp(unixMicroseconds: .min + 1).postgresMicroseconds == .min)
        #expect(Timestamp(unixMicroseconds: .max).postgresMicroseconds == .max)
        #expect(Timestamp(postgresMicroseconds: .max).unixMicroseconds == .max)
        #expect(Timestamp(postgresMicroseconds: .max - 1).unixMicroseconds == .max)
        #expect(Timestamp(postgresMicroseconds: .min).unixMicroseconds == .min)
        _ = Parameter.timestamps([Timestamp(unixMicroseconds: .min), nil])
    }

    @Test(arguments: [-1, 2, 1_000_000, .min, .max] as [Int32])
    func `in an array whose length is a lie is refused`(count: Int32) {
        var bytes: [UInt8] = []
        for word in [1, 0, 20, count, 1, 8, 0, 7] as [Int32] {
            withUnsafeBytes(of: word.bigEndian) { bytes += $0 }
        }
        bytes.withUnsafeBytes {
            #expect(ColumnArray<Int64>.decode($0, type: 1016) == nil)
        }
    }
}
