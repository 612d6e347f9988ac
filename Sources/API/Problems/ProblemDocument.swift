import Domain
import HTTP
import JSON

/// An RFC 9457 problem document: what a caller gets instead of what they asked for.
///
/// It names fields, never the values sent in them: keys and push tokens must not come back.
struct ProblemDocument: Error, Hashable, Sendable {
    struct InputError: Hashable, Sendable {
        var problem: Problem
        var pointer: String
        var detail: String
        /// For programs: the version or position that a conflict is about.
        var figures: [String: Int64] = [:]
    }

    var problem: Problem
    var detail: String
    /// What the caller can do about it.
    var remedy: String
    var errors: [InputError]
    /// For programs, beside `status`: how far a body of lines was recorded.
    var figures: [String: Int64] = [:]
    /// What was wrong with lines, up to the last one that was read, if bad ones end nothing.
    var problems: [InputError]?
    var next: String?
    /// Where a tenant is that has moved.
    var cell: String?
    /// Beyond those every problem document has.
    var headers: Headers
    let isOfTenant: Bool

    /// - Parameters:
    ///   - remedy: where that of the problem's type does not fit.
    ///   - isOfTenant: see `Response`; true in any case of a problem that only one tenant can have.
    ///     False of a full share of the events that wait: it also fills where the node is slow.
    init(
        _ problem: Problem, _ detail: String, remedy: String? = nil, headers: Headers = [:],
        isOfTenant: Bool = false
    ) {
        self.problem = problem
        self.detail = detail
        self.remedy = remedy ?? problem.remedy
        self.errors = []
        self.headers = headers
        self.isOfTenant = isOfTenant || problem == .quotaExceeded || problem == .tenantMoving
    }

    init(_ problem: Problem, pointer: String, _ detail: String) {
        self.init(problem, detail)
        self.errors = [InputError(problem: problem, pointer: pointer, detail: detail)]
    }

    /// - Parameter mixedProblem: the type when the errors are of several kinds.
    /// - Precondition: there is at least one error.
    init(_ errors: [InputError], ifMixed mixedProblem: Problem) {
        guard let first = errors.first else { preconditionFailure("no error, no problem") }
        let isUniform = errors.allSatisfy { $0.problem == first.problem }
        self.init(
            isUniform ? first.problem : mixedProblem,
            errors.count == 1 ? first.detail : "\(errors.count) errors; `errors` lists them.")
        self.errors = errors
    }

    init(_ error: JSONError, in text: [UInt8]) {
        let before = text.prefix(error.offset)
        let line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.init(
            .malformedJSON, pointer: error.pointer,
            "Line \(line), byte \(error.offset - start + 1): \(error.explanation).")
    }

    static let unknownActivity = ProblemDocument(
        .unknownActivity, "This tenant has no activity with that id.")

    var json: JSON {
        var json: JSON = [
            "type": .string(problem.type), "title": .string(problem.title),
            "status": .integer(problem.status), "detail": .string(detail),
            "remedy": .string(remedy),
        ]
        json = json.adding(.figures(figures.sorted { $0.key < $1.key }))
        json["requestId"] = RequestID.current.map(JSON.string)
        json["cell"] = cell.map(JSON.string)
        json["next"] = next.map(JSON.string)
        json["problems"] = problems.map { .array($0.map(\.json)) }
        if errors.count == 1 { json["pointer"] = .string(errors[0].pointer) }
        if !errors.isEmpty {
            json["errors"] = .array(errors.prefix(Limits.errorsListedMax).map(\.json))
        }
        return json
    }

    var response: Response {
        var all: Headers = ["content-type": "application/problem+json"]
        all.append("cache-control", "no-store")
        for field in headers.fields { all.append(field.name, field.value) }
        if let next { all.append("link", Response.link(toNext: next)) }
        var response = Response(status: problem.status, headers: all, body: .bytes(json.bytes))
        response.isOfTenant = isOfTenant
        return response
    }
}

extension ProblemDocument.InputError {
    var json: JSON {
        let json: JSON = [
            "type": .string(problem.type), "pointer": .string(pointer), "detail": .string(detail),
        ]
        return json.adding(.figures(figures.sorted { $0.key < $1.key }))
    }
}
