import Domain
import HTTP

/// A request that has found its route.
struct Call: Sendable {
    var request: Request
    /// Decoded path parameters by name.
    var path: [String: String]
    /// Decoded query parameters; the last one wins.
    var query: [String: String]

    /// The `{id}` of the path.
    func activityID() throws(ProblemDocument) -> ActivityID {
        let text = path["id"] ?? ""
        if let fault = AttributeText.fault(in: text) {
            throw ProblemDocument(.invalidParameter, "The activity id in the path \(fault).")
        }
        return ActivityID(rawValue: text)
    }

    /// A version or position to read on from; 0 when absent.
    func after() throws(ProblemDocument) -> Int64 {
        guard let text = query["after"] else { return 0 }
        guard let number = Int64(text), number >= 0 else {
            throw ProblemDocument(.invalidParameter, "`after` must be a whole number from 0.")
        }
        return number
    }

    /// Where a stream broke off; nil at its first request.
    func lastEventID() throws(ProblemDocument) -> Int64? {
        guard let text = request.headers["last-event-id"], !text.isEmpty else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw ProblemDocument(
                .invalidParameter, "`Last-Event-ID` must be an id that this stream has sent.")
        }
        return number
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
        guard let text = query["limit"] else { return Limits.pageRowsDefault }
        guard let number = Int(text), (1...Limits.pageRowsMax).contains(number) else {
            throw ProblemDocument(
                .invalidParameter,
                "`limit` must be a whole number from 1 to \(Limits.pageRowsMax).")
        }
        return number
    }
}
