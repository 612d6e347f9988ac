import Domain
import EventStore
import HTTP

/// Turns `Authorization: Bearer <key>` into the tenant the key belongs to.
struct Authenticator: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    private let cache: GrantCache

    init(store: EventStore, environment: APIEnvironment) {
        self.store = store
        self.environment = environment
        self.cache = GrantCache(lifetimeSeconds: environment.limits.keyCacheSeconds)
    }

    func caller(of request: Request, scope: Scope) async throws(ProblemDocument) -> Caller {
        let hash = environment.sha256(Array(try key(of: request).utf8))
        guard let grant = try await grant(for: hash) else {
            throw ProblemDocument(
                .invalidKey, "No tenant has this API key.",
                headers: ["www-authenticate": #"Bearer realm="islet", error="invalid_token""#])
        }
        guard isGranted(scope, by: grant) else {
            let challenge =
                #"Bearer realm="islet", error="insufficient_scope", scope="\#(scope.rawValue)""#
            throw ProblemDocument(
                .missingScope, "The key lacks the scope \(scope.rawValue).",
                headers: ["www-authenticate": challenge])
        }
        return Caller(tenant: grant.tenant.id) {
            do throws(ProblemDocument) {
                guard let present = try await self.grant(for: hash) else { return false }
                return present.tenant == grant.tenant && isGranted(scope, by: present)
            } catch {
                // An unreachable store revokes nobody.
                return true
            }
        }
    }

    private func isGranted(_ scope: Scope, by grant: KeyGrant) -> Bool {
        grant.scopes.contains(scope) || grant.scopes.contains(.admin)
    }

    private func key(of request: Request) throws(ProblemDocument) -> Substring {
        let challenge: Headers = ["www-authenticate": #"Bearer realm="islet""#]
        let fields = request.headers.values(of: "authorization")
        guard !fields.isEmpty else {
            throw ProblemDocument(
                .missingKey, "The request has no Authorization header.", headers: challenge)
        }
        let parts = fields[0].split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer",
            parts[1].utf8.count <= Limits.keyBytesMax
        else {
            throw ProblemDocument(
                .invalidKey, "The Authorization header is not of the form `Bearer <key>`.",
                headers: challenge)
        }
        return parts[1]
    }

    private func grant(for hash: [UInt8]) async throws(ProblemDocument) -> KeyGrant? {
        let now = environment.now()
        if let grant = await cache.grant(for: hash, at: now) { return grant }
        let grant: KeyGrant?
        do { grant = try await store.tenants.grant(hash) } catch {
            throw environment.problem(for: error, doing: "checking an API key")
        }
        if let grant { await cache.keep(grant, for: hash, at: now) }
        return grant
    }
}
