import Domain
import EventStore
import HTTP
import JSON

/// Whose key somebody has, and what it may do: so that a page shows no button that it cannot press.
struct MeRoutes: Sendable {
    var routes: [Route] { [Route(.get, "/v1/me", .activitiesRead, me)] }

    private func me(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let csrfToken = caller.signedInBy?.csrfToken
        return .json(200, Self.document(try caller.key(), csrfToken))
    }

    static func document(_ grant: KeyGrant, _ csrfToken: String?) -> JSON {
        [
            "tenant": .string(grant.tenant.name),
            "scopes": .array(
                Scope.allCases.filter(grant.allows).map { .string($0.rawValue) }),
            "expiresAt": .optional(grant.expiresAt?.rfc3339),
            "csrfToken": .optional(csrfToken),
        ]
    }
}
