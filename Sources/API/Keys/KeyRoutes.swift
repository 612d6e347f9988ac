import Domain
import EventStore
import HTTP
import JSON
import TLS

struct KeyRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.get, "/v1/keys", .admin, list),
            Route(.post, "/v1/keys", .admin, create),
            Route(.delete, "/v1/keys/{keyId}", .admin, revoke),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let own = try caller.key().keyID
        let documents = try await keys(of: caller).map { key in
            var document = KeyDocument.key(key, now: environment.now())
            document["isOwn"] = .bool(key.id == own)
            return document
        }
        return .json(200, ["keys": .array(documents)])
    }

    private func create(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        var body = try await call.fields(.invalidKeyRequest, caller)
        let wish = try body.keyWish(of: caller.key(), now: environment.now())
        let cell = try await environment.asked(
            "making a key", try await store.tenants.ownCell())
        let text = APIKey.text(of: SecureRandom.bytes(32), in: cell, caller.tenant)
        let key = NewAPIKey(
            tenant: caller.tenant, sha256: SHA256.hash(Array(text.utf8)),
            scopes: wish.scopes, label: wish.label, expiresAt: wish.expiresAt)
        let id = try await environment.asked(
            "making a key", try await store.tenants.createKey(key))
        return Response.json(201, KeyDocument.made(key, id, text: text)).located(at: "/v1/keys")
    }

    private func revoke(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let unknown = ProblemDocument(.unknownKey, "The tenant has no key with this id.")
        // A key never changes its tenant, so what is found here can be ended by its id alone.
        guard let id = Int64(digits: (call.path["keyId"] ?? "")[...]),
            try await keys(of: caller).contains(where: { $0.id == id })
        else { throw unknown }
        guard try id != caller.key().keyID else {
            throw ProblemDocument(.keyConflict, "A key does not revoke itself.")
        }
        let revoked = try await environment.asked(
            "revoking a key", try await store.tenants.revokeKey(id))
        caller.authenticator.forgetKeys(of: caller.tenant)
        guard revoked != nil else { throw unknown }
        return Response(status: 204)
    }

    private func keys(of caller: Caller) async throws(ProblemDocument) -> [APIKeyRecord] {
        try await environment.asked(
            "reading keys", try await store.tenants.keys(caller.tenant))
    }
}
