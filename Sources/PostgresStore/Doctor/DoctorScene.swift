public import Domain
public import Postgres

/// What the checks look at.
public struct DoctorScene: Sendable {
    /// The host that the rest is asked of.
    public let pool: Pool
    /// For what tenants ask; nil without a user of its own.
    public let visitors: Pool?
    public let hosts: [SeenHost]
    /// Nodes that may run at a time.
    public let nodes: Int?
    /// Connections that one of them may have.
    public let connectionsPerNode: FleetConnections.Node
    /// How long an event may wait to be folded.
    public let lagSecondsMax: Double
    /// The newest fold of each kind that this program has, by the kind's name.
    public let foldVersions: [String: Int]
    public let now: @Sendable () -> Moment

    public init(
        pool: Pool, visitors: Pool?, hosts: [SeenHost], nodes: Int?,
        connectionsPerNode: FleetConnections.Node, lagSecondsMax: Double,
        foldVersions: [String: Int] = [:], now: @escaping @Sendable () -> Moment
    ) {
        self.pool = pool
        self.visitors = visitors
        self.hosts = hosts
        self.nodes = nodes
        self.connectionsPerNode = connectionsPerNode
        self.lagSecondsMax = lagSecondsMax
        self.foldVersions = foldVersions
        self.now = now
    }
}
