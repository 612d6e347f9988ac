public import Domain
public import Foundation

/// Tenants' policies. What a document says is for others to know.
public struct PolicyStore: Sendable {
    public enum Put: Hashable, Sendable {
        case done(version: Int, fromPosition: Int64)
        /// It is what the newest version says already.
        case known(version: Int, fromPosition: Int64)
        /// The newest version is another than expected.
        case conflict
    }

    /// Puts the next version in force for all events recorded from now on.
    /// - Parameter expected: the newest version as the caller knows it, 0 for none; nil: any.
    public var put:
        @Sendable (
            _ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data
        ) async throws(EventStoreError) -> Put
    /// All of a tenant's, by kind and version.
    public var all: @Sendable (_ tenant: TenantID) async throws(EventStoreError) -> [StoredPolicy]

    public init(
        put:
            @escaping @Sendable (
                _ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data
            ) async throws(EventStoreError) -> Put,
        all:
            @escaping @Sendable (
                _ tenant: TenantID
            ) async throws(EventStoreError) -> [StoredPolicy]
    ) {
        self.put = put
        self.all = all
    }
}
