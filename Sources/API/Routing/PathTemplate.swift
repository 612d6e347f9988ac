/// A path such as `/v1/activities/{id}/events`, matched segment by segment.
struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    private enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    let description: String
    private let segments: [Segment]

    var isFixed: Bool {
        segments.allSatisfy { if case .literal = $0 { true } else { false } }
    }

    init(_ text: String) {
        description = text
        segments = PathTemplate.split(text[...]).map { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}")
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// Splitting comes before decoding, so that `%2F` inside an id stays inside it.
    static func split(_ path: Substring) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
    }

    /// The parameters still percent-encoded, or nil when the path is another one.
    func match(_ path: [Substring]) -> [String: Substring]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: Substring] = [:]
        for (segment, part) in zip(segments, path) {
            switch segment {
            case .literal(let text): guard part == text else { return nil }
            case .parameter(let name):
                guard !part.isEmpty else { return nil }
                parameters[name] = part
            }
        }
        return parameters
    }
}
