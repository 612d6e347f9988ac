import Domain
import Encodings
import EventStore
import HTTP
import TLS

/// Signing in to the dashboard: the key is sent once, and the browser keeps something else that
/// ends by itself, with the key, or when somebody says so.
struct SignInRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.post, "/v1/session", .activitiesRead, open),
            Route(.delete, "/v1/session", .activitiesRead, end),
            Route(.delete, "/v1/sessions", .activitiesRead, endAll),
        ]
    }

    private func open(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let key = try caller.key()
        guard caller.signedInBy == nil else {
            throw ProblemDocument(.missingKey, "Somebody is signed in; send the key itself.")
        }
        let cookie = SessionCookie(
            token: Base64URL.encode(SecureRandom.bytes(32)), for: call.request)
        let now = environment.now()
        let wished = now.adding(seconds: Limits.sessionSeconds)
        let end = min(wished, key.expiresAt ?? wished)
        try await environment.asked(
            "signing in",
            try await store.signIns.open(
                caller.tenant, key.keyID, SHA256.hash(Array(cookie.token.utf8)), end))
        var signedIn = key
        signedIn.expiresAt = end
        var response = Response.json(
            201, MeRoutes.document(signedIn, cookie.csrfToken)
        ).located(at: "/v1/me")
        response.headers.append(
            "set-cookie", cookie.header(seconds: end.unixSeconds - now.unixSeconds))
        return response
    }

    private func end(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        guard let cookie = caller.signedInBy else { return Response(status: 204) }
        try await environment.asked(
            "signing out",
            try await store.signIns.end(caller.tenant, SHA256.hash(Array(cookie.token.utf8))))
        caller.authenticator.forgetKeys(of: caller.tenant)
        return Self.forgetting(cookie)
    }

    /// Every browser that has signed in with the same key.
    private func endAll(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let key = try caller.key()
        try await environment.asked(
            "signing out everywhere", try await store.signIns.endAll(caller.tenant, key.keyID))
        caller.authenticator.forgetKeys(of: caller.tenant)
        guard let cookie = caller.signedInBy else { return Response(status: 204) }
        return Self.forgetting(cookie)
    }

    private static func forgetting(_ cookie: SessionCookie) -> Response {
        Response(status: 204, headers: ["set-cookie": cookie.header(seconds: 0)])
    }
}
