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
            Route(.get, "/v1/keys", .admin, list).acceptingQuery("after", "limit"),
            Route(.post, "/v1/keys", .admin, create),
            Route(.delete, "/v1/keys/{keyId}", .admin, revoke),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (own, now) = (try caller.key().keyID, environment.now())
        let after = try call.number("after", in: Limits.positions) ?? 0
        let limit = try call.limit()
        let found = try await environment.asked(
            "reading keys", try await store.tenants.keys(caller.tenant, after, limit + 1))
        let (page, last) = found.page(of: limit)
        return try await caller.answer(rows: page.count) {
            let documents = page.map { key in
                var document = KeyDocument.key(key, now: now)
                document["isOwn"] = .bool(key.id == own)
                return document
            }
            return .page(
                ["keys": .array(documents)],
                next: last.map { "/v1/keys?after=\($0.id)&limit=\(limit)" })
        }
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
        let created = try await environment.asked(
            "making a key", try await store.tenants.createKey(key))
        guard let id = created else {
            throw ProblemDocument(
                .keyConflict, "The tenant has as many API keys in force as it may have.")
        }
        return Response.json(201, KeyDocument.made(key, id, text: text)).located(at: "/v1/keys")
    }

    private func revoke(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let unknown = ProblemDocument(.unknownKey, "The tenant has no key with this id.")
        guard let id = Int64(digits: (call.path["keyId"] ?? "")[...]) else { throw unknown }
        guard try id != caller.key().keyID else {
            throw ProblemDocument(.keyConflict, "A key does not revoke itself.")
        }
        let revoked = try await environment.asked(
            "revoking a key", try await store.tenants.revokeKey(id, of: caller.tenant))
        caller.authenticator.forgetKeys(of: caller.tenant)
        guard revoked != nil else { throw unknown }
        return Response(status: 204)
    }
}
