import Domain
public import EventStore
public import Terminal

/// What people call a tenant.
public enum TenantName {
    public static func check(_ name: String) throws(CommandFailure) -> String {
        guard name.isShownLine, name.utf8.count <= 100 else {
            throw .usage(
                "a tenant's name must be one line of 1 to 100 bytes, not blank, without control "
                    + "characters")
        }
        return name
    }

    /// The tenant that is called so.
    /// - Throws: when there is none, with those that are nearly so called, or with the cell that it
    ///   has moved to.
    public static func tenant(
        called name: String, in store: EventStore
    ) async throws(CommandFailure) -> Tenant {
        let tenants = try await Database.asked(try await store.tenants.all())
        guard let tenant = tenants.first(where: { $0.name.hasBytes(of: name) }) else {
            let cell = try await Database.asked(try await store.audit.named(name)).cell
            throw unknown(name, among: tenants, movedTo: cell)
        }
        return tenant
    }

    /// Names what was probably meant, or the cell that a tenant of that name has moved to.
    public static func unknown(
        _ name: String, among tenants: [Tenant], movedTo cell: String? = nil
    ) -> CommandFailure {
        if let cell {
            return .failed(
                "the tenant \"\(name)\" has moved to the cell \(cell): work on that cell's "
                    + "database")
        }
        let nearest = near(name, among: tenants)
        return .failed(
            nearest.isEmpty
                ? "there is no tenant \"\(name)\"; see islet tenants list"
                : "there is no tenant \"\(name)\"; did you mean \(nearest)?")
    }

    /// Names that differ little from a name, as a sentence has them; empty when there are none.
    public static func near(_ name: String, among tenants: [Tenant]) -> String {
        Similarity.nearest(to: name, among: tenants.map(\.name).filter { $0 != name })
            .map { "\"\($0)\"" }.joined(separator: " or ")
    }

    /// What was said when a tenant was made on the way, since its name may be a slip.
    public static func created(_ name: String, among tenants: [Tenant]) -> String {
        let nearest = near(name, among: tenants)
        return "Tenant \"\(name)\" is new\(nearest.isEmpty ? "" : "; there was \(nearest)")."
    }
}
