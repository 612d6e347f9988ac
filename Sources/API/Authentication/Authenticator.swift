import Domain
import EventStore
import HTTP

/// Turns `Authorization: Bearer <key>` into the tenant the key belongs to.
struct Authenticator: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    private let cache: GrantCache
    private let meter = TenantMeter()

    init(store: EventStore, environment: APIEnvironment) {
        self.store = store
        self.environment = environment
        self.cache = GrantCache(lifetimeSeconds: environment.limits.keyCacheSeconds)
        cache.follow(store.news())
    }

    func caller(of request: Request, scope: Scope) async throws(ProblemDocument) -> Caller {
        let hash = environment.sha256(Array(try key(of: request).utf8))
        guard let grant = try await grant(for: hash) else {
            throw refusal(.invalidKey, "No tenant has this API key.")
        }
        guard grant.revokedAt == nil else {
            throw refusal(.invalidKey, "This API key was revoked.")
        }
        if let end = grant.expiresAt, end <= environment.now() {
            throw refusal(.expiredKey, "This API key expired at \(end.rfc3339).")
        }
        let allowance = Allowance(environment.limits, grant.limits)
        try admit(grant.tenant.id, allowance)
        guard isGranted(scope, by: grant) else {
            let challenge =
                #"Bearer realm="islet", error="insufficient_scope", scope="\#(scope.rawValue)""#
            throw ProblemDocument(
                .missingScope, "The key lacks the scope \(scope.rawValue).",
                headers: ["www-authenticate": challenge])
        }
        return caller(grant, hash, scope, allowance)
    }

    private func caller(
        _ grant: KeyGrant, _ hash: [UInt8], _ scope: Scope, _ allowance: Allowance
    ) -> Caller {
        let tenant = grant.tenant
        return Caller(
            tenant: tenant.id, allowance: allowance,
            takeEvents: { meter.takeEvents($0, tenant.id, allowance, at: environment.now()) },
            isStillGranted: {
                // An unreachable store revokes nobody, but a key's end is known.
                var present: KeyGrant? = grant
                do throws(ProblemDocument) { present = try await self.grant(for: hash) } catch {}
                guard let present, present.tenant == tenant, present.revokedAt == nil else {
                    return false
                }
                let isOver = present.expiresAt.map { $0 <= environment.now() } ?? false
                return !isOver && isGranted(scope, by: present)
            })
    }

    /// Every request with a valid key counts, whatever comes of it.
    private func admit(_ tenant: TenantID, _ allowance: Allowance) throws(ProblemDocument) {
        let wait = meter.takeRequest(tenant, allowance, at: environment.now())
        guard let wait else { return }
        throw .rateLimited(
            "The tenant may send \(allowance.requests.perSecond) requests a second to this node.",
            waitMicroseconds: wait)
    }

    private func refusal(_ problem: Problem, _ detail: String) -> ProblemDocument {
        ProblemDocument(
            problem, detail,
            headers: ["www-authenticate": #"Bearer realm="islet", error="invalid_token""#])
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
        switch cache.look(for: hash, at: now) {
        case .remembered(let grant): return grant
        case .unknown(let ticket):
            let grant: KeyGrant?
            do { grant = try await store.tenants.grant(hash) } catch {
                throw environment.problem(for: error, doing: "checking an API key")
            }
            if let grant { cache.keep(grant, for: hash, at: now, ticket: ticket) }
            return grant
        }
    }
}
