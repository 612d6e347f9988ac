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
        /// Answers the holder of a key with this scope; and, where `isTicketed`, of a ticket for
        /// the activity `{id}` of the path.
        case keyed(Scope, isTicketed: Bool, Handling)
    }

    var method: Method
    var path: PathTemplate
    var action: Action
    /// The parameters that it takes in the query.
    var query: [String] = []

    private init(_ method: Method, _ path: String, _ action: Action) {
        (self.method, self.path, self.action) = (method, PathTemplate(path), action)
    }

    static func get(
        _ path: String,
        _ action: @escaping @Sendable (Call) async throws(ProblemDocument) -> Response
    ) -> Route {
        Route(.get, path, .open(action))
    }

    func taking(_ query: String...) -> Route { taking(query) }

    func taking(_ query: [String]) -> Route {
        var route = self
        route.query = query
        return route
    }

    static func get(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(.get, path, .keyed(scope, isTicketed: false, action))
    }

    static func put(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(.put, path, .keyed(scope, isTicketed: false, action))
    }

    static func delete(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(.delete, path, .keyed(scope, isTicketed: false, action))
    }

    static func post(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(.post, path, .keyed(scope, isTicketed: false, action))
    }

    static func get(_ path: String, ticketed scope: Scope, _ action: @escaping Handling) -> Route {
        Route(.get, path, .keyed(scope, isTicketed: true, action))
    }

    static func post(_ path: String, ticketed scope: Scope, _ action: @escaping Handling) -> Route {
        Route(.post, path, .keyed(scope, isTicketed: true, action))
    }
}
