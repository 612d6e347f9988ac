import APNs
import AppKeys
import DatabaseAccess
import Domain
import EventLoop
import EventStore
import Terminal

extension Command {
    static let channelsList = Command(
        path: ["channels", "list"],
        summary: "List broadcast channels: what Islet knows beside what APNs has.",
        discussion: """
            FOUND is known when both know a channel; orphaned when APNs has one that no tenant's
            activity names, which islet channels sweep deletes; lost when APNs has it no more;
            wanted or creating before it is there. For an app without a key APNs is not asked, and
            its open channels are unchecked: --master-key-file opens the keys of islet apps add.
            They are unchecked too if APNs does not list them, which is said below the list.
            LAST FAILURE is why APNs did not do what it was last asked, or why it was not asked.
            Apple allows an app 10,000 channels in each environment.
            """,
        options: [OptionSpec.json]
            + ChannelSurvey.appOptions + Database.options + APNsSetup.options,
        examples: [
            "islet channels list",
            "islet channels list --bundle-id com.example.scores --apns-key-file AuthKey.p8 "
                + "--apns-key-id ABC123DEFG --apns-team-id DEF123GHIJ",
        ]
    ) { (arguments) async throws(CommandFailure) in
        try await withSurvey(arguments) { survey async throws(CommandFailure) in
            let (inventories, failures) = try await survey.inventories(arguments)
            let rows = inventories.flatMap(\.rows)
            let cells = rows.map { row in
                [
                    row.bundleID, row.environment, row.finding.rawValue, row.channelID ?? "–",
                    row.tenant.map { "\($0)" } ?? "–", row.activity ?? "–",
                    row.storagePolicy ?? "–", row.since ?? "–", row.lastFailure ?? "–",
                ]
            }
            Console.answer(arguments, rows, Table.text(headings, cells))
            for inventory in inventories where !arguments.flag("json") {
                if let count = inventory.listed { Console.note(usage(inventory.app, count)) }
                for remedy in inventory.remedies { Console.note(remedy + ".") }
            }
            if !failures.isEmpty { throw .failed(failures.map(\.text).joined(separator: "; ")) }
        }
    }

    static let channelsSweep = Command(
        path: ["channels", "sweep"],
        summary: "Delete channels at APNs that no tenant's activity names.",
        discussion: """
            Such are left over when a server died while it made one. Asks before it deletes. A
            channel that something else than this database uses looks orphaned too: give every
            installation of Islet an app of its own, or leave the sweep alone.
            """,
        options: [
            OptionSpec("dry-run", .flag, "Only say what would be deleted."),
            OptionSpec("yes", .flag, "Do not ask.", excludes: "dry-run"), OptionSpec.json,
        ] + ChannelSurvey.appOptions + Database.options + APNsSetup.options,
        examples: [
            "islet channels sweep --dry-run --bundle-id com.example.scores --environment sandbox "
                + "--apns-key-file AuthKey.p8 --apns-key-id ABC123DEFG --apns-team-id DEF123GHIJ"
        ]
    ) { (arguments) async throws(CommandFailure) in
        guard ["apns-key-file", "master-key-file"].contains(where: { arguments.text($0) != nil })
        else { throw .usage("--master-key-file or --apns-key-file is needed to ask APNs") }
        try await withSurvey(arguments) { survey async throws(CommandFailure) in
            let (inventories, failures) = try await survey.inventories(arguments)
            if let first = failures.first { throw first }
            if arguments.flag("json") {
                let orphans: [[String: String]] = inventories.flatMap { inventory in
                    inventory.orphans.map { channelID in
                        [
                            "bundleId": inventory.app.bundleID, "channelId": channelID,
                            "environment": inventory.app.environment.rawValue,
                        ]
                    }
                }
                Console.printDocument(["orphaned": orphans])
            }
            for inventory in inventories { try await sweep(inventory, survey, arguments) }
        }
    }

    private static let headings = [
        "APP", "ENVIRONMENT", "FOUND", "CHANNEL", "TENANT", "ACTIVITY", "STORAGE", "SINCE",
        "LAST FAILURE",
    ]

    private static func name(_ app: AppInEnvironment) -> String {
        "\(app.bundleID) (\(app.environment.rawValue))"
    }

    private static func usage(_ app: AppInEnvironment, _ count: Int) -> String {
        "\(name(app)): \(count) of \(APNs.Limits.channelsMax) channels."
    }

    private static func sweep(
        _ inventory: ChannelInventory, _ survey: ChannelSurvey, _ arguments: Arguments
    ) async throws(CommandFailure) {
        let (app, orphans) = (inventory.app, inventory.orphans)
        guard !orphans.isEmpty else {
            Console.note("\(name(app)): nothing is orphaned.")
            return
        }
        if inventory.isMakingOne {
            throw .failed(
                "a channel of \(name(app)) is being made just now and may look orphaned; try again "
                    + "in a minute")
        }
        if !arguments.flag("json") {
            for orphan in orphans { Console.print("\(name(app))  \(orphan)") }
        }
        if arguments.flag("dry-run") { return }
        let question = "Delete \(orphans.count.counted("channel")) of \(name(app)) for good?"
        guard arguments.flag("yes") || Console.isConfirmed(question) else {
            throw .failed("nothing was deleted; --yes deletes them without a question")
        }
        for orphan in orphans {
            let response = try await survey.ask(
                .deleteChannel(
                    bundleID: app.bundleID, channelID: orphan,
                    requestID: ChannelSurvey.makeRequestID()), app)
            guard [.accepted, .channelGone].contains(response.verdict) else {
                throw .failed("APNs does not delete \(orphan): \(response.failure)")
            }
        }
        Console.note("\(name(app)): \(orphans.count) deleted.")
    }

    private static func withSurvey(
        _ arguments: Arguments,
        _ body: @Sendable (ChannelSurvey) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let apns = try APNsSetup.make(arguments, loop: EventLoop(name: "apns"))
        if let apns, !apns.canBroadcast {
            throw .usage("--apns-url needs --apns-channels-url beside it")
        }
        try await Database.whileOpen(arguments, .leaveAlone) {
            database async throws(CommandFailure) in
            let router = apns.map { setup in
                AppRouter(setup, store: database.store, now: WallClock.now) {
                    $0.write(to: Log(lowest: .warning))
                }
            }
            let survey = ChannelSurvey(store: database.store, router: router)
            let result = await Result { () async throws(CommandFailure) in
                try await router?.start()
                try await body(survey)
            }
            await router?.close()
            try result.get()
        }
    }
}
