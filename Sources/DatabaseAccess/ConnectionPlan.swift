public import Postgres
public import PostgresStore
public import Terminal

/// How many connections to Postgres a node may open, each pool by itself.
public struct ConnectionPlan {
    public static let options = [
        OptionSpec(
            "database-connections-max", .integer(2...1_000),
            "Connections to Postgres for requests and folding, at most; seven for one kind of work "
                + "each come on top. Idle ones go back after a minute.",
            default: "16"),
        OptionSpec(
            "delivery-connections-max", .integer(2...1_000),
            "The same for what is sent to phones and webhooks; only with the role sender.",
            default: "12"),
        OptionSpec(
            "visitor-connections-max", .integer(1...1_000),
            "The same for what tenants ask, as the user of --database-visitor; without that they "
                + "share the first.", default: "16"),
    ]
    static let optionNames = options.map { "--\($0.name)" }.joined(separator: ", ")

    /// Beside those that a pool lends there are some for one kind of work each: appending and the
    /// same for small batches, folding, listening, a rebuild; and claiming, completing.
    private static let ownOfMain = 5
    private static let ownOfDeliveries = 2

    private let mainMax: Int
    private let deliveriesMax: Int
    private let visitorsMax: Int

    public init(_ arguments: Arguments) {
        mainMax = arguments.integer("database-connections-max") ?? 16
        // As many pages as may be under way, and a few more.
        deliveriesMax = arguments.integer("delivery-connections-max") ?? 12
        visitorsMax = arguments.integer("visitor-connections-max") ?? 16
    }

    public func main(_ connection: ConnectionConfiguration) -> PoolConfiguration {
        PoolConfiguration(connection: connection, connectionsMax: mainMax)
    }

    public func deliveries(_ connection: ConnectionConfiguration) -> PoolConfiguration {
        PoolConfiguration(
            connection: connection, name: "deliveries", connectionsMax: deliveriesMax)
    }

    public func visitors(_ connection: ConnectionConfiguration) -> PoolConfiguration {
        PoolConfiguration(connection: connection, name: "visitors", connectionsMax: visitorsMax)
    }

    /// All that a node may open.
    public func perNode(delivers: Bool = true, hasVisitors: Bool) -> FleetConnections.Node {
        FleetConnections.Node(
            service: mainMax + Self.ownOfMain + (delivers ? deliveriesMax : 0)
                + Self.ownOfDeliveries,
            visitor: hasVisitors ? visitorsMax : 0)
    }

    /// Compares what this node may open with what the server has; says so where it is tight.
    /// - Throws: when it does not fit even without anybody else.
    public func check(
        _ pool: Pool, deliveries: Pool?, visitors: Pool?, _ log: Log
    ) async throws(PostgresError) {
        let wanted = perNode(delivers: deliveries != nil, hasVisitors: visitors != nil)
        var budget = try await ConnectionBudget.read(pool)
        let roleMax = budget.roleMax
        // The visitors have a role of their own.
        if visitors != nil { budget.roleMax = nil }
        try judge(budget, wanted.all, log)
        guard let visitors else { return }
        budget.roleMax = roleMax
        budget.databaseMax = nil
        budget.serverMax = .max
        try judge(budget, wanted.service, log)
        var own = try await ConnectionBudget.read(visitors)
        own.databaseMax = nil
        own.serverMax = .max
        try judge(own, wanted.visitor, log)
    }

    private func judge(
        _ budget: ConnectionBudget, _ wanted: Int, _ log: Log
    ) throws(PostgresError) {
        switch budget.verdict(wanting: wanted) {
        case .fits: break
        case .tight(let sum):
            log(
                .warning, "connections to Postgres may run out",
                ["sum": sum, "remedy": "fewer by \(Self.optionNames), or more in Postgres"])
        case .tooMuch(let sum):
            throw .notAdmitted(
                ServerError(sqlState: SQLState.tooManyConnections, message: sum))
        }
    }
}
