import API
import DatabaseAccess
import Domain
import EventStore
import Explaining
import JSON
import Terminal

extension Command {
    static let appsList = Command(
        path: ["apps", "list"],
        summary: "List apps with their keys, and what keeps their phones waiting.",
        discussion: """
            The keys themselves are not shown. IN USE names the environments whose pushes go with a
            key; one that has none is kept for going back. Below are the apps for which sending was
            stopped because of what APNs answers, and phones that wait.
            """,
        options: [
            OptionSpec.tenant("Whose apps. Without it: all tenants'."),
            OptionSpec.json,
        ] + Database.options,
        examples: ["islet apps list", "islet apps list --tenant pizzeria --json"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.text("tenant")
        let (document, now) = try await Database.with(arguments, tenants: name) {
            store, tenants async throws(EventStoreError) in
            let document = AppsDocument(
                tenants, keys: try await store.apps.keys(),
                alarms: try await store.apps.alarms(), deferred: try await store.apps.deferred())
            // By the clock that has dated the alarms.
            return (document, try await store.time())
        }
        Console.answer(
            arguments, document.json, Table.text(AppsDocument.headings, document.rows))
        guard !arguments.flag("json") else { return }
        for note in document.notes(at: now) { Console.note(note) }
    }
}

/// Apps of some tenants, as the list shows them.
struct AppsDocument: Sendable {
    static let headings = [
        "TENANT", "APP", "TEAM", "KEY", "ENVIRONMENT", "IN USE", "ADDED", "MASTER KEY",
    ]

    let keys: [AppKeyRecord]
    let alarms: [AppAlarm]
    let deferred: [DeferredPhones]
    private let names: [TenantID: String]

    init(
        _ tenants: [Tenant], keys: [AppKeyRecord], alarms: [AppAlarm], deferred: [DeferredPhones]
    ) {
        let names = Dictionary(tenants.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        self.keys = keys.filter { names[$0.identity.tenant] != nil }
        self.alarms = alarms.filter { names[$0.app.tenant] != nil }
        self.deferred = deferred.mostFirst.filter { names[$0.app.tenant] != nil }
        self.names = names
    }

    var json: JSON {
        [
            "keys": .array(
                keys.map {
                    AppDocument.key($0, among: keys).printed(of: name($0.identity.tenant))
                }),
            "alarms": .array(alarms.map { AppDocument.alarm($0).printed(of: name($0.app.tenant)) }),
            "held": .array(
                deferred.map { AppDocument.waiting($0, alarms).printed(of: name($0.app.tenant)) }),
        ]
    }

    var rows: [[String]] {
        keys.map { key in
            let identity = key.identity
            let inUse = keys.environments(using: key).map(\.rawValue)
            return [
                name(identity.tenant), identity.bundleID, identity.teamID, identity.keyID,
                identity.scope.rawValue, inUse.isEmpty ? "-" : inUse.joined(separator: ","),
                key.addedAt.rfc3339, key.masterKeyID,
            ]
        }
    }

    func notes(at now: Moment) -> [String] {
        var notes = alarms.named(deferred).map { alarm in
            let next = alarm.nextTry(for: deferred, after: now)
            return "\(name(alarm.app.tenant)): sending was stopped at \(alarm.since) "
                + "(\(alarm.reason)): \(alarm.explanation)."
                + (next.map { " It is tried again at \($0)." } ?? "")
        }
        if alarms.unnamedCount > 0 {
            let more = alarms.unnamedCount.counted("more app")
            notes.append("Sending was stopped for \(more): --json lists all.")
        }
        notes += deferred.named.map {
            "\(name($0.app.tenant)): "
                + "\(DeferredPhones.waiting($0.count, starts: $0.starts)) in "
                + "\($0.app.app.environment.rawValue): \(alarms.explanation(of: $0))."
        }
        if deferred.unnamedCount > 0 {
            let more = deferred.unnamedCount.counted("more app")
            notes.append("Phones wait for \(more): --json lists all.")
        }
        return notes
    }

    private func name(_ tenant: TenantID) -> String { names[tenant] ?? "" }
}
