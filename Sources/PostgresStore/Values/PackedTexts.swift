import Compression
import Foundation
import Postgres

/// Texts that a row keeps together in one `bytea`, packed: a seventh of what they are long.
///
/// The first byte names the form: 0 the texts as they are, 2 packed with the second dictionary by
/// zstd, and 1 with the first by deflate, as in older rows. A zero byte separates them, which no
/// text in Postgres has; one that is not there is empty. A dictionary is a format: a better one is
/// a new file with a new number, beside the old ones.
enum PackedTexts {
    private static let plainForm: UInt8 = 0
    private static let firstForm: UInt8 = 1
    private static let secondForm: UInt8 = 2
    private static let separator: UInt8 = 0

    private static let first = PrimedInflate(
        dictionary: PackageResources.d0001_pushes_and_states_txt)
    private static let second = PrimedZstandard(
        dictionary: PackageResources.d0002_pushes_and_states_zstd)

    /// - Returns: nil when none of them is there.
    static func packed(_ texts: [Data?]) -> [UInt8]? {
        guard texts.contains(where: { $0 != nil }) else { return nil }
        var plain: [UInt8] = []
        plain.reserveCapacity(texts.reduce(texts.count) { $0 + ($1?.count ?? 0) })
        for (index, text) in texts.enumerated() {
            if index > 0 { plain.append(separator) }
            if let text { plain += text }
        }
        guard let packed = second?.packed(plain) else { return [plainForm] + plain }
        return [secondForm] + packed
    }

    /// The texts of a row's column, unpacked into one piece of memory.
    struct Unpacked {
        private let plain: [UInt8]
        /// Nil for one that is not there.
        private let ranges: [Range<Int>?]

        /// - Parameter count: how many are wanted; more are cut off.
        init(_ row: Row, _ column: Int, count: Int) throws(PostgresError) {
            let plain = row.isNull(column) ? [] : try unpacked(row, column)
            var ranges: [Range<Int>?] = []
            ranges.reserveCapacity(count)
            var start = plain.startIndex
            plain.withUnsafeBytes { bytes in
                while ranges.count < count {
                    let end = Unpacked.end(ofTextAt: start, in: bytes)
                    ranges.append(start == end ? nil : start..<end)
                    start = min(end + 1, bytes.count)
                }
            }
            (self.plain, self.ranges) = (plain, ranges)
        }

        private static func end(ofTextAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
            guard let base = bytes.baseAddress,
                let end = memchr(base + start, Int32(separator), bytes.count - start)
            else { return bytes.count }
            return UnsafeRawPointer(end) - base
        }

        subscript(_ index: Int) -> ArraySlice<UInt8>? { ranges[index].map { plain[$0] } }

        /// Whether the text is there and `isMeant` says yes to its bytes, which are only valid
        /// until it returns.
        func matches(_ index: Int, where isMeant: (UnsafeRawBufferPointer) -> Bool) -> Bool {
            guard let range = ranges[index] else { return false }
            return plain.withUnsafeBytes { isMeant(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
    }

    private static func unpacked(
        _ row: Row, _ column: Int
    ) throws(PostgresError) -> [UInt8] {
        let bytes = try row.contentInPlace(column)
        let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        let bytesMax = Limits.packedTextsBytesMax
        let plain: [UInt8]? =
            switch bytes.first {
            case plainForm: Array(content)
            case firstForm: try? first.unpacked(content, atMost: bytesMax)
            case secondForm: try? second?.unpacked(content, atMost: bytesMax)
            default: nil
            }
        if let plain { return plain }
        throw .decoding(column: "\(column)", expected: "texts in a form that this version knows")
    }
}
