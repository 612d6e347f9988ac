import Foundation
import JSON
import Terminal

/// Why a file makes no events.
struct ConversionError: Error, Hashable {
    /// Nil for the file that was to be converted.
    var path: String?
    var reason: String
    /// No row is the cause: it would be the same of every other.
    var isOfMapping: Bool = false
}

/// A file that somebody else has written.
struct SourceFile {
    var path: String
    var contents: Data

    /// What the file is called, without its ending.
    var name: String { URL(filePath: path).deletingPathExtension().lastPathComponent }

    func refusal(_ reason: String) -> ConversionError {
        ConversionError(path: path, reason: reason)
    }

    /// - Parameter expected: what to give instead, when this is another thing.
    func decode<T: Decodable>(
        _ type: T.Type, expected: String
    ) throws(ConversionError) -> T {
        if let reason = contents.textRefusal("save it as JSON in UTF-8") { throw refusal(reason) }
        do { return try JSONDecoder().decode(type, from: contents) } catch {
            throw refusal("\(complaint(error)); give \(expected)")
        }
    }

    private func complaint(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            "\(Self.place(context.codingPath))has no '\(key.stringValue)'"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(Self.place(context.codingPath))is of another form"
        // Foundation on Linux says so, and not where, of a number that does not fit, too.
        default:
            (try? JSONParser.parse(Array(contents))) == nil
                ? "is not JSON"
                : "has a number with a fraction, or of more than 64 bits, where a whole one belongs"
        }
    }

    /// Rows are counted from 1.
    private static func place(_ path: [any CodingKey]) -> String {
        let steps = path.map { step in
            step.intValue.map { "row \($0 + 1)" } ?? "'\(step.stringValue.shown())'"
        }
        return steps.isEmpty ? "" : steps.joined(separator: ", ") + " "
    }
}

/// What files begin with that others are packed in.
private let packings: [(name: String, mark: [UInt8])] = [
    ("gzip", [0x1F, 0x8B]), ("zip", [0x50, 0x4B, 0x03, 0x04]),
]

extension Data {
    /// Why it is no text in UTF-8; nil when it is.
    /// - Parameter remedy: what makes it one if it is in another encoding.
    func textRefusal(_ remedy: String) -> String? {
        if let packing = packings.first(where: { starts(with: $0.mark) }) {
            return "is packed by \(packing.name); unpack it first"
        }
        // UTF-16 without a mark of byte order is UTF-8, too, with a zero beside each ASCII letter.
        let isText = (try? UTF8Span(validating: span)) != nil && !prefix(4).contains(0)
        return isText ? nil : "is not UTF-8; \(remedy)"
    }
}
