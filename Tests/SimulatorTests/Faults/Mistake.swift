import HTTP
import Testing

/// What can be wrong with a request to APNs, and what Apple answers then.
struct Mistake: CustomTestStringConvertible, Sendable {
    var status: Int
    var reason: String
    var what: String
    /// Makes it in a request that was right.
    var make: @Sendable (inout Request) -> Void

    var testDescription: String { "\(what) is \(status) \(reason)" }

    init(
        _ status: Int, _ reason: String, _ what: String,
        _ make: @escaping @Sendable (inout Request) -> Void
    ) {
        self.status = status
        self.reason = reason
        self.what = what
        self.make = make
    }

    static func header(
        _ status: Int, _ reason: String, _ name: String, _ value: String?
    ) -> Mistake {
        Mistake(status, reason, "\(name): \(value ?? "absent")") { request in
            var headers = Headers()
            for field in request.headers.fields where field.name != name {
                headers.append(field.name, field.value)
            }
            if let value { headers.append(name, value) }
            request.headers = headers
        }
    }

    static func body(_ status: Int, _ reason: String, _ text: String) -> Mistake {
        Mistake(status, reason, "the body \(text.prefix(60))") { $0.body = Array(text.utf8) }
    }

    static let repeatedToken = Mistake(400, "DuplicateHeaders", "a repeated provider token") {
        $0.headers.append("authorization", $0.headers["authorization"] ?? "")
    }
}
