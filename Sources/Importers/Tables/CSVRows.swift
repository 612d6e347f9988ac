import Foundation

/// Takes a table apart: commas, quotes where a cell has one, two for one (RFC 4180). The mark of
/// byte order, which spreadsheets write before a table, is none of its first name.
struct CSVRows {
    /// By bytes: a table of one line is as long as any other, and each copy of it counts.
    private let bytes: [UInt8]
    private var index: Int
    private var number = 0

    /// - Parameter table: in UTF-8.
    init(_ table: Data) {
        bytes = Array(table)
        let mark = "\u{FEFF}".utf8
        index = bytes.starts(with: mark) ? mark.count : 0
    }

    var isAtEnd: Bool { index == bytes.count }

    /// - Returns: nil at the end.
    mutating func next() throws(ConversionError) -> [String]? {
        guard !isAtEnd else { return nil }
        number += 1
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        while !isAtEnd {
            let byte = bytes[index]
            index += 1
            let following = isAtEnd ? nil : bytes[index]
            switch byte {
            // Two bytes that end a line are one of its ends, within a cell too.
            case UInt8(ascii: "\r") where following == UInt8(ascii: "\n"): break
            case UInt8(ascii: "\"") where isQuoted && following == UInt8(ascii: "\""):
                cell.append(byte)
                index += 1
            // Within a cell it is a sign of inches.
            case UInt8(ascii: "\"") where isQuoted || cell.isEmpty: isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                cells.append(String(decoding: cell, as: UTF8.self))
                cell.removeAll(keepingCapacity: true)
            case UInt8(ascii: "\n") where !isQuoted:
                return cells + [String(decoding: cell, as: UTF8.self)]
            default: cell.append(byte)
            }
        }
        guard !isQuoted else {
            throw ConversionError(
                reason: "row \(number), cell \(cells.count + 1) begins with a quote that nothing "
                    + "closes")
        }
        return cells + [String(decoding: cell, as: UTF8.self)]
    }
}
