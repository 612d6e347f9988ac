import Domain
import EventStore

/// What people call a tenant.
enum TenantName {
    static func check(_ name: String) throws(CommandFailure) -> String {
        guard !name.isEmpty, name.utf8.count <= 100, !name.contains(where: \.isNewline) else {
            throw .usage("a tenant's name must be one line of 1 to 100 bytes")
        }
        return name
    }

    static func unknown(_ name: String) -> CommandFailure {
        .failed("there is no tenant '\(name)'; see islet tenants list")
    }
}

extension TenantStore {
    func find(_ name: String) async throws(EventStoreError) -> Tenant? {
        try await all().first { $0.name.hasBytes(of: name) }
    }
}
