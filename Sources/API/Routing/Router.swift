import Domain
import EventStore
import HTTP

/// Finds the route of a request, checks its key, and turns problems into documents.
final class Router: Sendable {
    private let routes: [Route]
    /// Places in `routes` of those without parameters, by path.
    private let fixed: [String: [Int]]
    private let authenticator: Authenticator

    init(routes: [Route], authenticator: Authenticator) {
        self.routes = routes
        self.authenticator = authenticator
        fixed = Dictionary(
            grouping: routes.indices.filter { routes[$0].path.isFixed },
            by: { routes[$0].path.description })
    }

    func respond(to request: Request) async -> Response {
        do { return try await answer(Self.asGet(request)) } catch { return error.response }
    }

    /// `HEAD` is answered as `GET`. The HTTP server drops the body and keeps its
    /// `content-length`.
    private static func asGet(_ request: Request) -> Request {
        guard request.method == "HEAD" else { return request }
        var asGet = request
        asGet.method = Method.get.rawValue
        return asGet
    }

    private func answer(_ request: Request) async throws(ProblemDocument) -> Response {
        if request.method == "OPTIONS" { return try options(request) }
        let (route, parameters) = try find(request)
        var call = Call(
            request: request, path: try decode(parameters), query: try query(of: request, route),
            epoch: authenticator.environment.log.epoch)
        switch route.action {
        case .open(let action):
            try refuseUnknownParameters(in: call.query, of: route)
            return try await action(call)
        case .keyed(let scope, let isTicketed, let action):
            try authenticator.environment.requireAcceptedLog()
            let caller = try await caller(of: call, scope, isTicketed: isTicketed)
            try refuseUnknownParameters(in: call.query, of: route)
            try refuseConditionalHeaders(of: request, route)
            let reservation = try await caller.largeWork.unpackedBodies.unpack(
                &call.request, caller)
            defer { withExtendedLifetime(reservation) {} }
            let isAudited = caller.scope == .admin || caller.scope == .tenants
            var response =
                try await isAudited ? runAudited(action, call, caller) : action(call, caller)
            response.setIfAbsent("cache-control", "no-store")
            // What was put somewhere is there (RFC 9110, 15.3.2); other routes say themselves where
            // to look for what they made.
            if response.status == 201 {
                response.setIfAbsent("location", String(call.request.path))
            }
            return response
        }
    }

    /// A slip such as `phse` for `phase` is refused and not ignored.
    private func refuseUnknownParameters(
        in query: [String: String], of route: Route
    ) throws(ProblemDocument) {
        guard let other = query.keys.filter({ !route.query.contains($0) }).min() else { return }
        let known = route.query.map { "`\($0)`" }.joined(separator: ", ")
        throw ProblemDocument(
            .invalidParameter,
            "There is no parameter `\(other)`; "
                + (known.isEmpty ? "this path takes none." : "there is \(known)."))
    }

    /// A condition must not be ignored (RFC 9110, 13.1.1), and `If-Match` could never be met: our
    /// entity tags are weak.
    private func refuseConditionalHeaders(
        of request: Request, _ route: Route
    ) throws(ProblemDocument) {
        guard route.method == .put || route.method == .delete else { return }
        for field in ["if-match", "if-none-match"] where request.headers[field] != nil {
            let isPolicy = route.method == .put && request.path.hasPrefix("/v1/policies/")
            throw ProblemDocument(
                .invalidParameter,
                "The header field `\(field)` is not taken with \(route.method.rawValue).",
                remedy: "Leave it out."
                    + (isPolicy ? " `expectedVersion` in the body is such a condition." : ""))
        }
    }

    /// What an administrator does is written down under the caller's name.
    private func runAudited(
        _ action: @Sendable (Call, Caller) async throws(ProblemDocument) -> Response,
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let name = try caller.name()
        let result: Result<Response, ProblemDocument> = await Operator.$current.withValue(name) {
            do throws(ProblemDocument) { return .success(try await action(call, caller)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Whether a request's body is taken. The terms have the caller with them, so that `respond`
    /// does not look it up again.
    func admit(_ request: Request) async -> Admission {
        let request = Self.asGet(request)
        if request.method == "OPTIONS" { return .admitted(Self.openTerms) }
        do throws(ProblemDocument) {
            let (route, parameters) = try find(request)
            let call = Call(request: request, path: try decode(parameters), query: [:])
            guard case .keyed(let scope, let isTicketed, _) = route.action else {
                return .admitted(Self.openTerms)
            }
            try authenticator.environment.requireAcceptedLog()
            let caller = try await caller(of: call, scope, isTicketed: isTicketed)
            return .admitted(
                Admission.Terms(
                    bodyBytesMax: caller.allowance.bodyBytesMax, owners: caller.bodyOwners,
                    caller: caller))
        } catch { return .refused(error.response) }
    }

    /// Nothing that is open to anybody reads a body.
    private static let openTerms = Admission.Terms(bodyBytesMax: Limits.openBodyBytesMax)

    private func caller(
        of call: Call, _ scope: Scope, isTicketed: Bool
    ) async throws(ProblemDocument) -> Caller {
        if let known = call.request.caller as? Caller {
            try known.chargeOrRefuse(bodyBytes: call.request.body.count)
            return known
        }
        let activity: ActivityID? = if isTicketed { try call.activityID() } else { nil }
        return try await authenticator.caller(
            of: call.request, scope: scope, activity: activity)
    }

    // MARK: `OPTIONS`

    /// What a path can do, or, for `*`, the server in general (RFC 9110, 9.3.7).
    private func options(_ request: Request) throws(ProblemDocument) -> Response {
        guard request.target != "*" else {
            let names = Method.allCases.map(\.rawValue) + ["HEAD", "OPTIONS"]
            return Response(status: 204, headers: ["allow": names.joined(separator: ", ")])
        }
        let methods = try methods(of: request.path)
        var response = Response(status: 204, headers: ["allow": methods.joined(separator: ", ")])
        if request.path == EventRoutes.intakePath {
            response.headers.append("accept-post", CloudEventFormat.acceptPost)
            try EventRoutes.answerValidationRequest(
                request, requestsPerSecond: authenticator.environment.limits.requestsPerSecond,
                &response)
        }
        return response
    }

    /// - Throws: when no route has the path.
    private func methods(of path: Substring) throws(ProblemDocument) -> [String] {
        let segments = PathTemplate.split(path)
        let methods = routes.filter { $0.path.match(segments) != nil }
            .flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
        guard !methods.isEmpty else {
            throw ProblemDocument(.unknownRoute, "No route has this path.")
        }
        return methods + ["OPTIONS"]
    }

    private func find(
        _ request: Request
    ) throws(ProblemDocument) -> (Route, [String: Substring]) {
        if let index = fixed[String(request.path)]?.first(where: {
            routes[$0].method.rawValue == request.method
        }) {
            return (routes[index], [:])
        }
        let segments = PathTemplate.split(request.path)
        for route in routes where route.method.rawValue == request.method {
            if let parameters = route.path.match(segments) { return (route, parameters) }
        }
        let allowed = try methods(of: request.path).joined(separator: ", ")
        throw ProblemDocument(
            .methodNotAllowed, "This path answers to \(allowed).", headers: ["allow": allowed])
    }

    private func decode(
        _ parameters: [String: Substring]
    ) throws(ProblemDocument) -> [String: String] {
        var decoded: [String: String] = [:]
        for (name, text) in parameters {
            guard let value = PercentEncoding.decoded(text) else {
                throw ProblemDocument(
                    .invalidParameter, "`\(name)` in the path is not percent-encoded UTF-8.")
            }
            decoded[name] = value
        }
        return decoded
    }

    /// Empty for pages: their scripts read the address, and say what is wrong with it.
    private func query(
        of request: Request, _ route: Route
    ) throws(ProblemDocument) -> [String: String] {
        guard route.path.description.hasPrefix("/v1/"), let query = request.query else {
            return [:]
        }
        var decoded: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decoded(parts[0], plusIsSpace: true),
                let value = PercentEncoding.decoded(
                    parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else {
                throw ProblemDocument(
                    .invalidParameter, "The query is not percent-encoded UTF-8.")
            }
            // Which one counts is not for us to choose.
            guard decoded.updateValue(value, forKey: name) == nil else {
                throw ProblemDocument(.invalidParameter, "`\(name)` is in the query twice.")
            }
        }
        return decoded
    }
}

extension Response {
    fileprivate mutating func setIfAbsent(_ field: String, _ value: @autoclosure () -> String) {
        if headers[field] == nil { headers.append(field, value()) }
    }
}
