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
