import API
import DatabaseAccess
import Domain
import EventStore
import Pipeline
import Terminal

extension Command {
    static let projectionsList = Command(
        path: ["projections", "list"],
        summary: "Show how far each tenant's log is folded, and what stands in the way.",
        discussion: """
            LAG is what is recorded and not folded yet: events, and how long the oldest has waited.
            PARKED counts events that could not be folded, FAULTED the activities that stand still
            because of it.
            """,
        options: [
            OptionSpec.tenant("Only this one's."), OptionSpec.json,
        ] + Database.options,
        examples: ["islet projections list", "islet projections list --tenant pizzeria --json"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.text("tenant")
        let (all, cell) = try await Database.with(arguments, .readOnly) {
            store async throws(EventStoreError) -> ([ProjectionStatus], String?) in
            let all = try await store.upkeep.status()
            guard let name else { return (all, nil) }
            return (all, try await store.audit.named(name).cell)
        }
        let chosen = all.filter { name.map($0.tenant.name.hasBytes) ?? true }
        if let name, chosen.isEmpty {
            throw TenantName.unknown(name, among: all.map(\.tenant), movedTo: cell)
        }
        Console.answer(arguments, chosen.map(ProjectionText.document), ProjectionText.table(chosen))
    }

    static let projectionsParked = Command(
        path: ["projections", "parked"],
        summary: "List events that could not be folded, and why.",
        discussion: """
            An activity is folded up to its first such event and stands still from there; its later
            events are parked too. Skipped events stay on the list.
            """,
        options: ProjectionSource.options,
        examples: [
            "islet projections parked",
            "islet projections parked --tenant pizzeria --activity order-1042 --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let activity = arguments.text("activity").map(ActivityID.init)
        let rows = try await ProjectionSource.with(arguments) {
            store, tenant async throws(EventStoreError) in
            try await store.upkeep.allParked(tenant.id, activity)
        }
        Console.answer(
            arguments, rows.map(ParkedEventDocument.event), ProjectionText.table(rows))
    }

    static let projectionsRetry = Command(
        path: ["projections", "retry"],
        summary: "Fold activities with parked events once more.",
        discussion: """
            Each is folded again from its whole stream. Of what was parked and can be folded now,
            only the newest change may be pushed; those before it are history and are held.
            Exit code 1 when something stays parked.
            """,
        options: ProjectionSource.options,
        examples: [
            "islet projections retry", "islet projections retry --activity order-1042",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let activity = arguments.text("activity").map(ActivityID.init)
        let results = try await ProjectionSource.with(arguments, knowing: activity) {
            store, tenant async throws(EventStoreError) in
            try await Repair(store, tenant: tenant.id).retry(activity)
        }
        report(results, arguments)
        if results.contains(where: { $0.remaining > 0 }) { throw .reported }
    }

    static let projectionsSkip = Command(
        path: ["projections", "skip"],
        summary: "Leave a parked event out for good, and fold its activity without it.",
        discussion: """
            The event stays in the log, and rebuilds leave it out too. There is no way back other
            than to report the fact again, in an event of its own. What only waits behind another
            parked event is not skipped. What else of the activity stays parked is said.
            """,
        operands: [Operand(name: "POSITION", help: "the event's position in the tenant's log")],
        options: ProjectionSource.tenantOptions,
        examples: ["islet projections skip 4711 --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        guard let position = Int64(arguments.operand("POSITION")), position > 0 else {
            throw .usage("POSITION must be a whole number from 1")
        }
        let skipping = try await ProjectionSource.with(arguments) {
            store, tenant async throws(EventStoreError) in
            try await Repair(store, tenant: tenant.id).skip(position)
        }
        switch skipping {
        case .skipped(let result): report([result], arguments)
        case .skippedAlready(let result):
            Console.note("the event at position \(position) was skipped already")
            report([result], arguments)
        case .waits(let cause):
            throw .failed(
                "nothing is wrong with the event at position \(position), which waits behind the "
                    + "one at position \(cause): skip that one")
        case .notParked:
            throw .failed(
                "no event is parked at position \(position); see islet projections parked")
        }
    }

    private static func report(
        _ results: [Repair.Result], _ arguments: Arguments
    ) {
        Console.answer(
            arguments, results.map { ParkedEventDocument.repair($0).printed() },
            ProjectionText.lines(results).joined(separator: "\n"))
    }
}
