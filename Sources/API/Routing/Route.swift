import EventStore
import HTTP

enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}

struct Route: Sendable {
    typealias Handling = @Sendable (Call, Caller) async throws(ProblemDocument) -> Response

    enum Action: Sendable {
        /// Answers anybody.
        case open(@Sendable (Call) async throws(ProblemDocument) -> Response)
        /// Answers the owner of a key with this scope; and, where `isTicketed`, of a ticket for
        /// the activity `{id}` of the path.
        case keyed(Scope, isTicketed: Bool, Handling)
    }

    var method: Method
    var path: PathTemplate
    var action: Action
    /// The parameters that it takes in the query.
    var query: [String] = []

    /// A route that is open to anybody.
    init(
        _ method: Method, _ path: String,
        _ action: @escaping @Sendable (Call) async throws(ProblemDocument) -> Response
    ) {
        (self.method, self.path, self.action) = (method, PathTemplate(path), .open(action))
    }

    init(
        _ method: Method, _ path: String, _ scope: Scope, isTicketed: Bool = false,
        _ action: @escaping Handling
    ) {
        (self.method, self.path) = (method, PathTemplate(path))
        self.action = .keyed(scope, isTicketed: isTicketed, action)
    }

    func acceptingQuery(_ query: String...) -> Route { acceptingQuery(query) }

    func acceptingQuery(_ query: [String]) -> Route {
        var route = self
        route.query = query
        return route
    }
}
