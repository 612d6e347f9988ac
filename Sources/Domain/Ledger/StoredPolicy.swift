public import Foundation

/// A version of a tenant's policy for one kind, as it is kept.
public struct StoredPolicy: Hashable, Sendable {
    /// The kind of activity that it is for.
    @ByBytes public var kind: String
    /// 1, 2, 3 … for each kind.
    public var version: Int
    /// The first position of the log that it is for.
    public var fromPosition: Int64
    /// JSON; the store does not look into it.
    public var document: Data
    /// When the tenant put it.
    public var putAt: Moment

    /// What a small one counts as among the bytes that a tenant may keep: it is a row, and work for
    /// everybody who folds. The database has the same figure.
    public static let countedBytesMin = 4_096

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

/// The policies that a tenant's events from a position on are judged by.
public struct TenantPolicies: Hashable, Sendable {
    /// How many the tenant has ever put: the same number means the same policies.
    public var revision: Int
    /// That first position; of earlier events some may be missing.
    public var since: Int64
    /// By kind and version.
    public var all: [StoredPolicy]

    /// Everything is built in.
    public static let none = TenantPolicies(revision: 0, all: [])

    /// All that there are, or all that is needed of them once.
    public init(_ all: [StoredPolicy]) {
        self.init(revision: all.count, all: all)
    }

    public init(revision: Int, since: Int64 = 0, all: [StoredPolicy]) {
        self.revision = revision
        self.since = since
        self.all = all
    }
}

extension [StoredPolicy] {
    /// What they take up, roughly.
    public var documentBytes: Int { reduce(0) { $0 + $1.document.count } }
}
