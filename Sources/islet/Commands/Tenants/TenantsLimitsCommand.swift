import DatabaseAccess
import EventStore
import Terminal

extension Command {
    static let tenantsLimits = Command(
        path: ["tenants", "limits"],
        summary: "Show or change what a tenant may use of each node.",
        discussion: """
            Changes apply at once on every node. `default` goes back to the node's own setting (see
            `islet serve --help`). A tenant's own size of a body or a batch counts only where it is
            lower than the node's.
            """,
        operands: [Operand(name: "NAME", help: "the tenant's name")],
        options: LimitEdit.options.map {
            OptionSpec($0.option, .text(placeholder: "N|default"), $0.help)
        } + [OptionSpec.json] + Database.options,
        examples: [
            "islet tenants limits pizzeria",
            "islet tenants limits pizzeria --requests 50 --events 500",
            "islet tenants limits pizzeria --events default",
            "islet tenants limits pizzeria --stored-events 10000000",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.operand("NAME")
        var edits: [LimitEdit] = []
        for (option, _, limit, _) in LimitEdit.options {
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
        let figures = LimitEdit.options.map { ($0.option, $0.member, limits[keyPath: $0.limit]) }
        // Null is the node's own setting.
        Console.answer(
            arguments, Dictionary(uniqueKeysWithValues: figures.map { ($1, $2) }),
            Table.text(
                ["LIMIT", "VALUE"], figures.map { [$0, $2.map(String.init) ?? "default"] }))
    }
}

/// One figure of `islet tenants limits`.
struct LimitEdit: Sendable {
    typealias Limit = any (WritableKeyPath<TenantLimits, Int?> & Sendable)

    static let options: [(option: String, member: String, limit: Limit, help: String)] = [
        ("requests", "requestsPerSecond", \.requestsPerSecond, "Requests per second."),
        ("events", "eventsPerSecond", \.eventsPerSecond, "Events per second."),
        ("body-bytes", "bodyBytesMax", \.bodyBytesMax, "Bytes of one request's body."),
        ("batch-events", "batchEventsMax", \.batchEventsMax, "Events in one request."),
        ("bytes", "bytesPerSecond", \.bytesPerSecond, "Bytes of bodies per second."),
        (
            "stored-events", "storedEventsMax", \.storedEventsMax,
            "Events that the tenant may keep."
        ),
        (
            "stored-bytes", "storedBytesMax", \.storedBytesMax,
            "Bytes that they may take up, without indexes, counted from a sample."
        ),
    ]

    /// What a tenant keeps can be any number.
    private static let large: Set<String> = ["stored-events", "stored-bytes"]

    private let limit: Limit
    /// Nil for the node's own setting.
    private let figure: Int?

    init(_ limit: Limit, _ option: String, _ text: String) throws(CommandFailure) {
        self.limit = limit
        guard text != "default" else {
            figure = nil
            return
        }
        let figureMax = Self.large.contains(option) ? Int.max : Int(Int32.max)
        let figureMin = option == "body-bytes" ? TenantLimits.bodyBytesMin : 1
        guard let number = Int(text), (figureMin...figureMax).contains(number) else {
            throw .usage(
                "--\(option) must be a whole number from \(figureMin) to \(figureMax), or default")
        }
        figure = number
    }

    func apply(to limits: inout TenantLimits) { limits[keyPath: limit] = figure }
}
