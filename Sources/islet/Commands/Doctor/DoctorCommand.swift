import AppKeys
import DatabaseAccess
import Doctor
import Projections
import Terminal

extension Command {
    static let doctor = Command(
        path: ["doctor"],
        summary: "Look at a deployment as it stands, and say what needs a hand.",
        discussion: """
            Asks each host of --database-url, and the primary for the rest: versions, whether it
            takes writes, sessions that keep others waiting, schema, whether the log is held, users,
            row-level security, poolers, durability, synchronous standbys, archiving, replication
            slots, connections, clocks, vacuum, statistics, indexes, tenants that lag, unsent
            changes, phones whose pushes keep failing, parked events, dead letters, webhooks at
            which nothing arrives, moves of tenants that stand still, apps for which nothing is
            sent. It changes nothing, and writes a megabyte that is gone at once. With
            --database-visitor it logs in as that user too. With --master-key-file or
            --apns-key-file it tries each key by a push to no one. On this machine it looks at open
            files, at the disk of --data-dir, and at the end of --tls-certificate, also when the
            database cannot be reached.
            """,
        options: [
            OptionSpec.json,
            OptionSpec(
                "nodes", .integer(1...10_000),
                "Nodes that may run at a time, for the arithmetic of connections. Default: as many "
                    + "as are connected now."),
            OptionSpec(
                "lag-seconds-max", .integer(1...86_400),
                "Seconds that an event may wait to be folded while its tenant's checkpoint stands "
                    + "still, and a change to be sent.", default: "30"),
        ] + Database.options + [Database.visitorOption] + ConnectionPlan.options
            + APNsSetup.options + [CertificateCheck.option],
        exitCodes: [
            "1 something needs a hand", "2 wrong usage, or something could not be looked at",
        ],
        examples: [
            "islet doctor", "islet doctor --json --nodes 3 --database-url-file /etc/islet/database",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let reports = try await DoctorRun.look(
            arguments, foldVersions: ActivityCatalog.standard.foldVersions)
        Console.answer(arguments, DoctorDocument(reports), DoctorText.text(reports))
        switch DoctorVerdict(reports) {
        case .fine: break
        case .needsAHand: throw .reported
        case .notSeen: throw .notSeen
        }
    }
}
