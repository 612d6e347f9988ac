import DatabaseAccess
import EventStore
import PostgresStore
import Terminal

extension Command {
    static let cellsCheck = Command(
        path: ["cells", "check"],
        summary: "Look for what this cell and another one disagree about.",
        discussion: """
            Cells do not talk to each other. This compares two of them: names, numbers and
            addresses, versions of the schema, apps that belong to different developer accounts,
            master keys, tenants of the same name, and moves of tenants that stand still. Each
            finding comes with its remedy. It reads and changes nothing. With more than two cells,
            run it for each two.
            """,
        options: OtherCell.options + [OptionSpec.json] + Database.options,
        exitCodes: ["1 something needs a hand", "2 wrong usage"] + LongRun.exitCodes,
        examples: [
            "islet cells check --to-url-file /etc/islet/eu2.url",
            "islet cells check --to-url-file /etc/islet/eu2.url --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let address = try OtherCell.address(arguments)
        let findings = try await LongRun.with(arguments, schema: .readOnly) {
            database, _ async throws(CommandFailure) in
            let found = try await OtherCell.with(arguments, at: address, schema: .readOnly) {
                (other) async throws(TenantMove.Failure) in
                try await TwoCells(database.pool, other).findings()
            }
            return try found.mapError(OtherCell.failure).get().map(CellsFinding.init)
        }
        Console.answer(
            arguments, findings,
            findings.isEmpty
                ? "The two cells agree."
                : findings.map { "\($0.finding)\n    \($0.remedy)" }.joined(separator: "\n"))
        if !findings.isEmpty { throw .reported }
    }
}

/// What two cells disagree about, in words.
private struct CellsFinding: Encodable, Sendable {
    var code: String
    var finding: String
    var remedy: String

    init(_ finding: TwoCells.Finding) {
        (code, self.finding, remedy) =
            switch finding {
            case .unnamed(let isOther):
                (
                    "unnamed", "\(Self.words(isOther)) has no cell's name.",
                    "Give it one there: islet cells set NAME --here --number N"
                )
            case .unnumbered(let isOther):
                (
                    "unnumbered", "\(Self.words(isOther)) has no number.",
                    "Give it one there: islet cells set NAME --here --number N. Without numbers "
                        + "both make the same ids, and tenants cannot move."
                )
            case .sameName(let name):
                (
                    "same-name", "Both cells have the name \(name).",
                    "Rename one of them, there: islet cells set NAME --here"
                )
            case .sameNumber(let number):
                (
                    "same-number", "Both cells have the number \(number).",
                    "Give one of them another, before it has tenants: islet cells set NAME --here "
                        + "--number N. Both have made the same ids since."
                )
            case .sameAddress(let url, let cells): Self.sameAddress(url, cells)
            case .otherTables:
                (
                    "other-schema", "The two databases have tables of other versions.",
                    "Bring both up to date: islet migrate. Until then no tenant moves."
                )
            case .otherTeam(let bundle):
                (
                    "other-team",
                    "App \(bundle.bundleID) belongs to team \(bundle.teamID) here, and to "
                        + "\(bundle.otherTeamID) in the other cell.",
                    "Apple knows it by one of them. Remove the other's key: islet apps remove "
                        + "--tenant NAME --bundle \(bundle.bundleID)"
                )
            case .otherMasterKeys(let here, let other):
                (
                    "other-master-keys",
                    "Keys of apps and secrets of webhooks are sealed with the master key "
                        + "\(here.joined(separator: ", ")) here, and with "
                        + "\(other.joined(separator: ", ")) in the other cell.",
                    "Give the nodes of both cells one --master-key-file with all lines, send "
                        + "SIGHUP to all of them, and run islet apps rewrap-keys in both. Until "
                        + "then tenants with either do not move."
                )
            case .sameTenant(let name, isOne: true):
                (
                    "tenant-in-both", "The same tenant \(name) is in both cells.",
                    "One of the two comes from a backup from before a move. Stop the nodes of that "
                        + "cell, and remove the tenant there: islet tenants remove NAME --to DIR "
                        + "--yes, with a DIR that has no archives of it."
                )
            case .sameTenant(let name, isOne: false):
                (
                    "same-tenant", "Both cells have a tenant \(name).",
                    "They are two, with logs and keys of their own. Neither can move to the other "
                        + "cell."
                )
            case .stalledMove(let move, let isOther):
                ("standing-move", Self.words(of: move, isOther), Self.remedy(of: move, isOther))
            }
    }

    private static func sameAddress(
        _ url: String, _ cells: [String]
    ) -> (String, String, String) {
        (
            "same-address", "The cells \(cells.joined(separator: " and ")) are at \(url).",
            "Give each the address at which it alone answers, in both databases: islet cells set "
                + "NAME --url URL. Until then callers of tenants that have moved may be redirected "
                + "to where they came from."
        )
    }

    private static func words(of move: MovingTenant, _ isOther: Bool) -> String {
        let found = MoveCheck.finding(move)
        return "\(words(isOther)) says: \(found.what). \(found.meaning)"
    }

    private static func remedy(of move: MovingTenant, _ isOther: Bool) -> String {
        let remedy = MoveCheck.finding(move).remedy
        return isOther ? "There: \(remedy)" : "Here: \(remedy)"
    }

    private static func words(_ isOther: Bool) -> String {
        isOther ? "The other database" : "This database"
    }
}
