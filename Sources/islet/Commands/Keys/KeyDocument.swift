import Domain
import EventStore

/// A key as lists show it.
struct KeyDocument: Encodable, Hashable {
    enum State: String, Encodable {
        case active, expired, revoked
    }

    var id: Int64
    var tenant: String
    var label: String?
    var scopes: [String]
    var state: State
    var createdAt: String
    var expiresAt: String?
    var lastUsedAt: String?
    var revokedAt: String?

    init(_ key: APIKeyRecord, now: Moment) {
        id = key.id
        tenant = key.tenant.name
        label = key.label
        scopes = key.scopes.map(\.rawValue).sorted()
        let isExpired = key.expiresAt.map { $0 <= now } ?? false
        state = key.revokedAt != nil ? .revoked : isExpired ? .expired : .active
        createdAt = key.createdAt.rfc3339
        expiresAt = key.expiresAt?.rfc3339
        lastUsedAt = key.lastUsedAt?.rfc3339
        revokedAt = key.revokedAt?.rfc3339
    }

    static let headings = [
        "ID", "TENANT", "STATE", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "LABEL",
    ]

    var cells: [String] {
        [
            "\(id)", tenant, state.rawValue, scopes.joined(separator: ","), day(createdAt),
            expiresAt.map(minute) ?? "-", lastUsedAt.map(minute) ?? "-", label ?? "-",
        ]
    }

    private func day(_ moment: String) -> String { String(moment.prefix(10)) }

    private func minute(_ moment: String) -> String { String(moment.prefix(16)) + "Z" }
}
