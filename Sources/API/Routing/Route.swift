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
        /// Answers the holder of a key with this scope.
        case keyed(Scope, Handling)
        /// Answers likewise, and the holder of a ticket for the activity `{id}` of the path.
        case ticketed(Scope, Handling)
    }

    var method: Method
    var path: PathTemplate
    var action: Action
    /// The parameters that it takes in the query.
    var query: [String] = []

    static func get(
        _ path: String,
        _ action: @escaping @Sendable (Call) async throws(ProblemDocument) -> Response
    ) -> Route {
        Route(method: .get, path: PathTemplate(path), action: .open(action))
    }

    func taking(_ query: String...) -> Route { taking(query) }

    func taking(_ query: [String]) -> Route {
        var route = self
        route.query = query
        return route
    }

    static func get(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(method: .get, path: PathTemplate(path), action: .keyed(scope, action))
    }

    static func put(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(method: .put, path: PathTemplate(path), action: .keyed(scope, action))
    }

    static func delete(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(method: .delete, path: PathTemplate(path), action: .keyed(scope, action))
    }

    static func post(_ path: String, scope: Scope, _ action: @escaping Handling) -> Route {
        Route(method: .post, path: PathTemplate(path), action: .keyed(scope, action))
    }

    static func get(_ path: String, ticketed scope: Scope, _ action: @escaping Handling) -> Route {
        Route(method: .get, path: PathTemplate(path), action: .ticketed(scope, action))
    }

    static func post(_ path: String, ticketed scope: Scope, _ action: @escaping Handling) -> Route {
        Route(method: .post, path: PathTemplate(path), action: .ticketed(scope, action))
    }
}
