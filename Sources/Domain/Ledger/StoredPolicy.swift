public import Foundation

/// A version of a tenant's policy for one kind, as it is kept.
public struct StoredPolicy: Hashable, Sendable {
    /// The kind of activity that it is for.
    @ByBytes public var kind: String
    /// 1, 2, 3 … for each kind.
    public var version: Int
    /// The first position of the log that it holds for.
    public var fromPosition: Int64
    /// JSON; the store does not look into it.
    public var document: Data
    /// When the tenant put it.
    public var putAt: Moment

    public init(
        kind: String, version: Int, fromPosition: Int64, document: Data, putAt: Moment
    ) {
        self.kind = kind
        self.version = version
        self.fromPosition = fromPosition
        self.document = document
        self.putAt = putAt
    }
}

/// All policies of a tenant at a time.
public struct TenantPolicies: Hashable, Sendable {
    /// How many there are: the same number means the same policies.
    public var epoch: Int
    /// By kind and version.
    public var all: [StoredPolicy]

    /// Everything is built in.
    public static let none = TenantPolicies(epoch: 0, all: [])

    public init(_ all: [StoredPolicy]) {
        self.init(epoch: all.count, all: all)
    }

    public init(epoch: Int, all: [StoredPolicy]) {
        self.epoch = epoch
        self.all = all
    }
}
