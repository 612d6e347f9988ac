import Foundation
import JSON

/// In which ways the `ContentState` of an older app build differs from today's, so that states the
/// server sends today may not decode there. Members that it does not know are no difference: the
/// stock decoder passes them over.
public struct OlderState: Hashable, Sendable {
    /// Members that are not optional in it.
    public var required: Set<String> = []
    /// By name of an enum's member: the cases that it has.
    public var cases: [String: Set<String>] = [:]

    /// - Throws: `FieldProblem` as the older type's decoder would fail.
    func check(_ pushBody: Data) throws {
        let body = try? JSONDecoder().decode(StateBody<JSON?>.self, from: pushBody)
        guard let state = body?.aps.contentState else { return }
        for name in required.sorted() where state[name] == nil {
            throw FieldProblem(sentence: "\(name) is missing")
        }
        for (name, known) in cases.sorted(by: { $0.key < $1.key }) {
            if let value = state[name], !known.contains(value.caseName ?? "") {
                throw FieldProblem(sentence: "\(name) is not a value that its type knows")
            }
        }
    }
}

extension JSON {
    /// Of an enum's value: its raw value, or the only key of its object.
    fileprivate var caseName: String? {
        switch self {
        case .string(let name): name
        case .object(let members) where members.count == 1: members.first?.name
        default: nil
        }
    }
}

extension CardKind {
    /// The kind in an older build of the app.
    public func older(_ older: OlderState) -> CardKind {
        var kind = self
        kind.isOlder = true
        kind.update = { attributes, body in
            try older.check(body)
            return try update(attributes, body)
        }
        kind.begin = { body in
            try older.check(body)
            return try begin(body)
        }
        return kind
    }
}
