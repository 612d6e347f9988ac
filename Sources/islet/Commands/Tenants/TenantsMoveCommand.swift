import DatabaseAccess
import EventStore
import JSON
import PostgresStore
import Terminal

extension Command {
    static let tenantsMove = Command(
        path: ["tenants", "move"],
        summary: "Move a tenant to another cell's database while it is in use.",
        discussion: """
            Copies all that the tenant has, takes along what changes meanwhile, fences the tenant
            for the last of it (its writes get 503 with Retry-After, for a second or two), compares
            both sides and opens it in the other cell. From then on this one answers its keys with
            where it is. Interrupted: the same command again goes on. Until the tenant has left,
            --cancel leaves it where it is. Both databases need names of cells; see islet cells set.
            """,
        operands: [Operand(name: "NAME", help: "the tenant")],
        options: [
            OptionSpec("cancel", .flag, "End a move that has not come to its end: nothing moves."),
            OptionSpec.json,
        ] + OtherCell.options + Database.options,
        exitCodes: LongRun.exitCodes,
        examples: [
            "islet tenants move pizzeria --to-url-file /etc/islet/eu2.url",
            "islet tenants move pizzeria --to-url-file /etc/islet/eu2.url --cancel",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.operand("NAME")
        let other = try OtherCell.address(arguments)
        let report = try await LongRun.with(arguments, schema: .leaveAlone) {
            database, bar async throws(CommandFailure) -> TenantMove.Report? in
            let result = try await OtherCell.with(arguments, at: other, schema: .leaveAlone) {
                (there) async throws(TenantMove.Failure) -> TenantMove.Report? in
                let move = TenantMove(
                    from: database.pool, to: there,
                    show: { step, done, total in bar.show(step, done: done, of: total) })
                guard arguments.flag("cancel") else { return try await move.run(name) }
                try await move.cancel(name)
                return nil
            }
            switch result {
            case .success(let report): return report
            case .failure(.unknownTenant):
                let tenants = try await Database.asked(try await database.store.tenants.all())
                throw TenantName.unknown(name, among: tenants)
            case .failure(let failure): throw OtherCell.failure(failure)
            }
        }
        guard let report else {
            return Console.done(
                arguments, ["tenant": name], "Tenant \(name) stays; its move is cancelled.")
        }
        let document: JSON = [
            "tenant": .string(report.tenant), "id": .integer(report.id),
            "cell": .string(report.cell), "rows": .integer(report.rows),
            "rowsCaughtUp": .integer(report.caughtUp),
            "fencedMillis": .integer(report.fencedMillis),
            "closedMillis": .integer(report.closedMillis),
        ]
        // None when the tenant had left before.
        let figures =
            report.rows == 0 ? "" : ": \(report.rows) rows, fenced for \(report.fencedMillis) ms"
        Console.done(
            arguments, document, "Tenant \(report.tenant) is in cell \(report.cell)\(figures).")
    }
}
