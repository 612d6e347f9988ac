import Domain
import EventStore
import HTTP
import Projections

extension ActivityID {
    /// Where it is shown, with the phones and tickets that it has.
    var path: String { "/v1/activities/\(PercentEncoding.encoded(rawValue))" }
}

struct Call: Sendable {
    var request: Request
    /// Decoded path parameters by name.
    var path: [String: String]
    /// Decoded query parameters, each of which is there once.
    var query: [String: String]
    /// The epoch of the log that is served.
    var epoch = firstLogEpoch

    func activityID() throws(ProblemDocument) -> ActivityID {
        let text = path["id"] ?? ""
        if let refusal = AttributeText.refusal(of: text) {
            throw ProblemDocument(.invalidParameter, "`id` in the path \(refusal).")
        }
        return ActivityID(rawValue: text)
    }

    /// A parameter that is bounded as identifiers are; nil when absent.
    func text(_ name: String) throws(ProblemDocument) -> String? {
        guard let text = query[name] else { return nil }
        if let refusal = AttributeText.refusal(of: text) {
            throw ProblemDocument(.invalidParameter, "`\(name)` \(refusal).")
        }
        return text
    }

    /// A parameter that is one of a few words; nil when absent.
    /// - Parameter expectation: completes "must be".
    func choice<Value>(
        _ name: String, _ expectation: @autoclosure () -> String, _ read: (String) -> Value?
    ) throws(ProblemDocument) -> Value? {
        guard let text = query[name] else { return nil }
        guard let value = read(text) else {
            throw ProblemDocument(.invalidParameter, "`\(name)` must be \(expectation()).")
        }
        return value
    }

    /// Nil when absent.
    func optionalFlag(_ name: String) throws(ProblemDocument) -> Bool? {
        try choice(name, "true or false") { Bool($0) }
    }

    func flag(_ name: String) throws(ProblemDocument) -> Bool { try optionalFlag(name) ?? false }

    func limit() throws(ProblemDocument) -> Int {
        try number("limit", in: 1...Int64(Limits.pageRowsMax)).map { Int($0) }
            ?? Limits.pageRowsDefault
    }
}

extension Call {
    func kind() throws(ProblemDocument) -> any ActivityKind.Type {
        let name = path["kind"] ?? ""
        if let kind = ActivityCatalog.standard.kind(named: name) { return kind }
        let names = ActivityCatalog.standard.kinds.map { $0.name }.joined(separator: ", ")
        throw ProblemDocument(.unknownKind, "`kind` in the path is none of \(names).")
    }
}
