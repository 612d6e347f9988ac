import DatabaseAccess
import EventStore
import Terminal

extension Command {
    static let tenantsLimits = Command(
        path: ["tenants", "limits"],
        summary: "Show or change what a tenant may use of each node.",
        discussion: """
            Changes hold at once on every node. `default` goes back to the node's own setting (see
            `islet serve --help`). A tenant's size limits can only be lower than the node's.
            """,
        operands: [Operand(name: "NAME", help: "the tenant's name")],
        options: [
            OptionSpec("requests", value, "Requests per second."),
            OptionSpec("events", value, "Events per second."),
            OptionSpec("body-bytes", value, "Bytes of one request's body."),
            OptionSpec("batch-events", value, "Events in one request."),
            OptionSpec("bytes", value, "Bytes of bodies per second."),
            OptionSpec("stored-events", value, "Events that the tenant may keep."),
            OptionSpec(
                "stored-bytes", value,
                "Bytes that they may take up, without indexes, counted from a sample."),
            OptionSpec("json", .flag, "Print one JSON document instead of a table."),
        ] + Database.options,
        examples: [
            "islet tenants limits pizzeria",
            "islet tenants limits pizzeria --requests 50 --events 500",
            "islet tenants limits pizzeria --events default",
            "islet tenants limits pizzeria --stored-events 10000000",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.operand("NAME")
        var edits: [LimitEdit] = []
        for (option, limit) in LimitEdit.options {
            guard let text = arguments.text(option) else { continue }
            edits.append(try LimitEdit(limit, option, text))
        }
        let changes = edits
        let limits = try await Database.with(
            arguments, tenant: name, changes.isEmpty ? .readOnly : .bringUpToDate
        ) { store, tenant async throws(EventStoreError) in
            var limits = try await store.tenants.limits(tenant.id)
            for edit in changes { edit.apply(to: &limits) }
            if !changes.isEmpty { try await store.tenants.setLimits(tenant.id, limits) }
            return limits
        }
        if arguments.flag("json") {
            Console.print(Console.json(LimitsDocument(limits)))
        } else {
            let cells = LimitEdit.options.map { limits[keyPath: $0.limit].map(String.init) }
            let rows = zip(LimitEdit.options, cells).map { [$0.option, $1 ?? "default"] }
            Console.print(Table.text(["LIMIT", "VALUE"], rows))
        }
    }

    private static let value = OptionSpec.Value.text(placeholder: "N|default")
}

/// Null is the node's own setting.
private struct LimitsDocument: Encodable {
    var requestsPerSecond: Int?
    var eventsPerSecond: Int?
    var bodyBytesMax: Int?
    var batchEventsMax: Int?
    var bytesPerSecond: Int?
    var storedEventsMax: Int?
    var storedBytesMax: Int?

    init(_ limits: TenantLimits) {
        requestsPerSecond = limits.requestsPerSecond
        eventsPerSecond = limits.eventsPerSecond
        bodyBytesMax = limits.bodyBytesMax
        batchEventsMax = limits.batchEventsMax
        bytesPerSecond = limits.bytesPerSecond
        storedEventsMax = limits.storedEventsMax
        storedBytesMax = limits.storedBytesMax
    }

    private enum CodingKeys: CodingKey {
        case requestsPerSecond, eventsPerSecond, bodyBytesMax, batchEventsMax, bytesPerSecond
        case storedEventsMax, storedBytesMax
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(requestsPerSecond, forKey: .requestsPerSecond)
        try container.encode(eventsPerSecond, forKey: .eventsPerSecond)
        try container.encode(bodyBytesMax, forKey: .bodyBytesMax)
        try container.encode(batchEventsMax, forKey: .batchEventsMax)
        try container.encode(bytesPerSecond, forKey: .bytesPerSecond)
        try container.encode(storedEventsMax, forKey: .storedEventsMax)
        try container.encode(storedBytesMax, forKey: .storedBytesMax)
    }
}
