import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Projections

/// What a tenant wants of each kind: read with what may be wanted, and put, version by version.
struct PolicyRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.get, "/v1/policies", .activitiesRead, list),
            Route(.get, "/v1/policies/{kind}", .activitiesRead, show)
                .acceptingQuery("version"),
            Route(.get, "/v1/policies/{kind}/strings", .activitiesRead, strings)
                .acceptingQuery("language"),
            Route(.get, "/v1/policies/{kind}/versions", .activitiesRead, versions),
            Route(.post, "/v1/policies/{kind}/check", .admin, check),
            Route(.put, "/v1/policies/{kind}", .admin, put),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let stored = try await environment.asked(
            "reading the policies", try await store.policies.newest(caller.tenant))
        var pages: [PolicyPage] = []
        for kind in ActivityCatalog.standard.kinds {
            let newest = stored.first { $0.kind == kind.name }
            pages.append(try await page(kind, newest))
        }
        return try await caller.answer(rows: pages.count, bytes: Self.bytes(of: stored)) {
            [pages] in .reading(call, ["policies": .array(pages.map(\.json))])
        }
    }

    private func show(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let kind = try call.kind()
        let wanted = try call.number("version", in: 0...Limits.versionMax)
        let stored = try await versions(of: caller, kind, from: wanted, limit: 1).first
        let found = stored?.version ?? 0
        guard wanted == nil || wanted == Int64(found) else {
            throw ProblemDocument(
                .unknownVersion, "The policy of \(kind.name) has \(found) versions.")
        }
        let page = try await page(kind, stored)
        return try await caller.answer(rows: 1, bytes: stored?.document.count ?? 0) {
            .reading(call, page.json)
        }
    }

    /// The newest that were put, in that order: none is ever changed.
    private func versions(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let kind = try call.kind()
        let newest = try await versions(of: caller, kind, limit: Limits.policyVersionsMax)
        let name = kind.name
        return try await caller.answer(rows: newest.count, bytes: Self.bytes(of: newest)) {
            .reading(
                call,
                [
                    "kind": .string(name),
                    "versions": .array(
                        newest.map { stored in
                            [
                                "version": .integer(stored.version),
                                "fromPosition": .integer(stored.fromPosition),
                                "putAt": .string(stored.putAt.rfc3339),
                                "document": .encoded(stored.document),
                            ]
                        }),
                ])
        }
    }

    private static func bytes(of policies: [StoredPolicy]) -> Int {
        policies.reduce(0) { $0 + $1.document.count }
    }

    private struct Wish: Sendable {
        let kind: String
        /// The form in which it is stored.
        let document: Data
        /// The form in which it was stored before languages had a usual spelling.
        let asSent: Data
        let expectedVersion: Int?
        /// Why it may not be put; nil if it may.
        let refusal: ProblemDocument?

        /// - Throws: what is wrong with a body that has another shape.
        init(_ body: JSON, ofKind kind: String) throws(ProblemDocument) {
            let wish = PolicyWish(body)
            do throws(PolicyError) {
                _ = try ActivityCatalog.standard.newPolicy(ofKind: kind, wish)
                refusal = nil
            } catch {
                let problem = PolicyRoutes.problem(error)
                // The document lacks what has another shape, and may say the same as another one.
                guard wish.errors.isEmpty else { throw problem }
                refusal = problem
            }
            self.kind = kind
            document = wish.document.usuallySpelled.encoded
            asSent = wish.document.encoded
            expectedVersion = wish.expectedVersion
        }
    }

    private func wish(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Wish {
        let kind = try call.kind().name
        return try await call.largeObject(.invalidPolicy, caller) {
            (body) throws(ProblemDocument) in try Wish(body, ofKind: kind)
        }
    }

    /// Says what would be wrong with a policy, and puts none.
    private func check(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let wish = try await wish(call, caller)
        if let refusal = wish.refusal { throw refusal }
        return .json(
            200, ["kind": .string(wish.kind), "document": .encoded(wish.document)])
    }

    /// The file that an app needs when alerts come as keys, whether they do already or not.
    private func strings(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let kind = try call.kind()
        let policy = try await policy(try await versions(of: caller, kind, limit: 1).first)
        let texts = AppTexts(kind, under: policy)
        let asked = call.query["language"] ?? Language.standard.rawValue
        guard let language = texts.languages.named(asked) else {
            let names = texts.languages.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw ProblemDocument(
                .invalidParameter, "`language`: \(kind.name) has texts in \(names).")
        }
        return Response(
            status: 200, headers: ["content-type": "text/plain; charset=utf-8"],
            body: .bytes(Array(texts.strings(in: language).utf8)))
    }

    private func put(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let wish = try await wish(call, caller)
        if let refusal = wish.refusal {
            // An earlier version of Islet, which read less strictly, may have stored it.
            let newest = try await versions(of: caller, call.kind(), limit: 1).first
            guard let newest, [wish.document, wish.asSent].contains(newest.document) else {
                throw refusal
            }
            return answer(200, wish.kind, newest.version, newest.fromPosition)
        }
        let outcome = try await environment.asked(
            "putting a policy",
            try await store.policies.put(
                caller.tenant, wish.kind, wish.expectedVersion, wish.document,
                environment.limits.storedPolicyBytesMax))
        switch outcome {
        case .done(let version, let fromPosition):
            return answer(201, wish.kind, version, fromPosition)
        case .known(let version, let fromPosition):
            return answer(200, wish.kind, version, fromPosition)
        case .conflict:
            throw ProblemDocument(
                .policyConflict, pointer: "/expectedVersion",
                "The newest version of the policy is another than `expectedVersion`.")
        case .full:
            throw ProblemDocument(
                .quotaExceeded,
                "The tenant may keep \(environment.limits.storedPolicyBytesMax) bytes of policies "
                    + "of all versions, and this one would be beyond it.")
        }
    }

    private func answer(
        _ status: Int, _ kind: String, _ version: Int, _ fromPosition: Int64
    ) -> Response {
        .json(
            status,
            [
                "kind": .string(kind), "version": .integer(version),
                "fromPosition": .integer(fromPosition),
                "outcome": status == 201 ? "put" : "already-known",
            ])
    }

    private func versions(
        of caller: Caller, _ kind: any ActivityKind.Type, from version: Int64? = nil, limit: Int
    ) async throws(ProblemDocument) -> [StoredPolicy] {
        try await environment.asked(
            "reading the policies",
            try await store.policies.versions(
                caller.tenant, kind.name, Int(version ?? Limits.versionMax), limit))
    }

    private func page(
        _ kind: any ActivityKind.Type, _ stored: StoredPolicy?
    ) async throws(ProblemDocument) -> PolicyPage {
        PolicyPage(kind: kind, policy: try await policy(stored), stored: stored)
    }

    private func policy(_ stored: StoredPolicy?) async throws(ProblemDocument) -> Policy {
        guard let stored else { return .builtIn }
        return try await environment.book([stored]).policy(ofKind: stored.kind, at: .max)
    }

    static func problem(_ error: PolicyError) -> ProblemDocument {
        switch error {
        case .refused(let errors):
            ProblemDocument(
                errors.map { error in
                    let what = error.pointer.isEmpty ? "The body" : "`\(error.pointer)`"
                    return ProblemDocument.InputError(
                        problem: .invalidPolicy, pointer: error.pointer,
                        detail: "\(what) \(error.detail).")
                }, ifMixed: .invalidPolicy)
        case .unknownKind, .undecodable:
            ProblemDocument(
                .internalError, "A newer version of Islet has stored the tenant's policies.")
        }
    }
}

extension [Language] {
    /// However a tag is spelled; of several spellings in a policy that was put long ago, the one
    /// that is asked for.
    fileprivate func named(_ tag: String) -> Language? {
        let usual = LanguageTag.usual(tag)
        let meant = filter { LanguageTag.usual($0.rawValue) == usual }
        return meant.first { $0.rawValue.hasBytes(of: tag) } ?? meant.first
    }
}
