import Domain
import EventStore
import HTTP
import JSON
import Projections

/// Phones on which cards may be started while the app is not running: put, shown and taken back by
/// the app's backend, with a key.
struct StartTokenRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        let path = "/v1/start-tokens/{installation}/{kind}"
        return [
            Route(.put, path, .registrationsWrite, put),
            Route(.get, path, .registrationsWrite, show),
            Route(.delete, path, .registrationsWrite, remove),
        ]
    }

    private func put(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (installation, kind) = try name(of: call)
        var body = try await call.fields(.invalidRegistration, caller)
        let wish = try body.startWish(of: installation, kind)
        try caller.requireRoomForRegistration()
        let outcome = try await environment.asked(
            "putting a start token", try await store.startTokens.putToken(caller.tenant, wish))
        return .json(
            outcome == .new ? 201 : 200,
            answer(installation, kind, outcome == .new ? "put" : "replaced"))
    }

    private func show(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (installation, kind) = try name(of: call)
        let tokens = try await environment.asked(
            "reading a start token",
            try await store.startTokens.tokens(caller.tenant, installation, kind))
        guard !tokens.isEmpty else { throw Self.unknown }
        return .reading(
            call,
            [
                "installation": .string(installation), "kind": .string(kind),
                "tokens": .array(tokens.map(\.json)),
            ])
    }

    private func remove(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (installation, kind) = try name(of: call)
        let count = try await environment.asked(
            "removing a start token",
            try await store.startTokens.removeToken(caller.tenant, installation, kind))
        guard count > 0 else { throw Self.unknown }
        return .json(200, answer(installation, kind, "removed"))
    }

    private func name(
        of call: Call
    ) throws(ProblemDocument) -> (installation: String, kind: String) {
        let installation = call.path["installation"] ?? ""
        guard RegistrationRules.isInstallation(installation) else {
            throw ProblemDocument(
                .invalidParameter, "`installation` in the path \(RegistrationRules.installation).")
        }
        return (installation, try call.kind().name)
    }

    private func answer(_ installation: String, _ kind: String, _ outcome: String) -> JSON {
        [
            "installation": .string(installation), "kind": .string(kind),
            "outcome": .string(outcome),
        ]
    }

    private static let unknown = ProblemDocument(
        .unknownRegistration, "No start token of that installation and kind is known.",
        remedy: "Check the installation and the kind, or put the token: that is harmless.")
}

extension StartToken {
    fileprivate var json: JSON {
        [
            "bundleId": .string(bundleID), "environment": .string(environment.rawValue),
            "topics": .array(topics.map(JSON.string)), "locale": .optional(locale),
            "frequentUpdates": .bool(frequentUpdates), "appBuild": .optional(appBuild),
            "osMajor": .optionalInteger(osMajor), "putAt": .string(putAt.rfc3339),
            "state": .string(isDead ? "dead" : "open"),
        ]
    }
}
