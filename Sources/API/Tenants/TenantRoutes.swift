import Domain
import EventStore
import HTTP
import JSON

struct TenantRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.get, "/v1/tenants", .tenants, list),
            Route(.post, "/v1/tenants", .tenants, create),
            Route(.put, "/v1/tenants/{tenant}/limits", .tenants, setLimits),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        var documents: [JSON] = []
        for tenant in try await tenants() { documents.append(try await document(tenant)) }
        return .json(200, ["tenants": .array(documents)])
    }

    /// One that is there already stays as it is.
    private func create(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let body = try await call.object(.invalidTenant, caller)
        let unknown = ProblemDocument.InputError.unknown(
            in: body, besides: ["name"], .invalidTenant)
        guard unknown.isEmpty else { throw ProblemDocument(unknown, ifMixed: .invalidTenant) }
        guard let name = body["name"]?.text, name.isShownLine,
            name.utf8.count <= Limits.tenantNameBytesMax
        else {
            throw ProblemDocument(
                .invalidTenant, pointer: "/name",
                "`name` must be one line of 1 to \(Limits.tenantNameBytesMax) bytes, not blank, "
                    + "without control characters.")
        }
        let isKnown = try await tenants().contains { $0.name.hasBytes(of: name) }
        let tenant = try await environment.asked(
            "creating a tenant", try await store.tenants.ensure(name))
        let response = Response.json(isKnown ? 200 : 201, try await document(tenant))
        return isKnown ? response : response.located(at: "/v1/tenants")
    }

    /// Replaces all of them: a member that is missing or null is as the node has it.
    private func setLimits(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let name = call.path["tenant"] ?? ""
        guard let tenant = try await tenants().first(where: { $0.name.hasBytes(of: name) }) else {
            throw ProblemDocument(.unknownTenant, "No tenant has this name.")
        }
        let body = try await call.object(.invalidTenant, caller)
        let limits = try TenantLimits(body)
        try await environment.asked(
            "setting a tenant's limits", try await store.tenants.setLimits(tenant.id, limits))
        return .json(200, try await document(tenant))
    }

    private func tenants() async throws(ProblemDocument) -> [Tenant] {
        try await environment.asked("reading tenants", try await store.tenants.all())
    }

    private func document(_ tenant: Tenant) async throws(ProblemDocument) -> JSON {
        let limits = try await environment.asked(
            "reading a tenant's limits", try await store.tenants.limits(tenant.id))
        let usage = environment.usage(tenant.id)
        return [
            "id": .integer(tenant.id.rawValue), "name": .string(tenant.name),
            "limits": limits.json,
            "storedEvents": .optionalInteger(usage?.events),
            "storedBytes": .optionalInteger(usage?.bytes),
        ]
    }
}

extension TenantLimits {
    private typealias Limit = any (WritableKeyPath<TenantLimits, Int?> & Sendable)

    private static let members: [(name: String, limit: Limit, range: ClosedRange<Int64>)] = [
        ("requestsPerSecond", \.requestsPerSecond, usual),
        ("eventsPerSecond", \.eventsPerSecond, usual),
        ("bodyBytesMax", \.bodyBytesMax, Int64(bodyBytesMin)...usual.upperBound),
        ("batchEventsMax", \.batchEventsMax, usual),
        ("bytesPerSecond", \.bytesPerSecond, large),
        ("storedEventsMax", \.storedEventsMax, large),
        ("storedBytesMax", \.storedBytesMax, large),
    ]

    private static let usual = 1...Int64(Int32.max)
    private static let large = 1...Limits.positions.upperBound

    fileprivate init(_ body: JSON) throws(ProblemDocument) {
        self = .none
        var errors: [ProblemDocument.InputError] = []
        guard case .object(let given) = body else { return }
        for member in given where member.value != .null {
            guard let known = Self.members.first(where: { $0.name.hasBytes(of: member.name) })
            else { continue }
            guard let number = member.value.wholeNumber, known.range.contains(number) else {
                errors.append(
                    .init(
                        problem: .invalidTenant, pointer: "/\(known.name)",
                        detail: "`\(known.name)` must be a whole number from "
                            + "\(known.range.lowerBound) to \(known.range.upperBound), or null for "
                            + "the node's own setting."))
                continue
            }
            self[keyPath: known.limit] = Int(number)
        }
        errors += ProblemDocument.InputError.unknown(
            in: body, besides: Self.members.map { $0.name }, .invalidTenant, noun: "limit")
        guard errors.isEmpty else { throw ProblemDocument(errors, ifMixed: .invalidTenant) }
    }

    fileprivate var json: JSON {
        .object(
            Self.members.map { member in
                .init(name: member.name, value: .optionalInteger(self[keyPath: member.limit]))
            })
    }
}
