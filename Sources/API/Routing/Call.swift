import Domain
import EventStore
import HTTP

extension ActivityID {
    /// Where it is shown, with the phones and tickets that it has.
    var path: String { "/v1/activities/\(PercentEncoding.encoded(rawValue))" }
}

/// A request that has found its route.
struct Call: Sendable {
    var request: Request
    /// Decoded path parameters by name.
    var path: [String: String]
    /// Decoded query parameters; the last one wins.
    var query: [String: String]
    /// Of the log that is served.
    var epoch = firstLogEpoch

    /// The `{id}` of the path.
    func activityID() throws(ProblemDocument) -> ActivityID {
        let text = path["id"] ?? ""
        if let fault = AttributeText.fault(in: text) {
            throw ProblemDocument(.invalidParameter, "The activity id in the path \(fault).")
        }
        return ActivityID(rawValue: text)
    }

    /// `true` or `false`; false when absent.
    func flag(_ name: String) throws(ProblemDocument) -> Bool {
        switch query[name] {
        case nil, "false": return false
        case "true": return true
        default: throw ProblemDocument(.invalidParameter, "`\(name)` must be true or false.")
        }
    }

    func limit() throws(ProblemDocument) -> Int {
        try number("limit", in: 1...Int64(Limits.pageRowsMax)).map { Int($0) }
            ?? Limits.pageRowsDefault
    }
}
