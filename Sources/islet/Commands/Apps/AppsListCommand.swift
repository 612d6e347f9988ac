import DatabaseAccess
import Domain
import EventStore
import Explaining
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
        let document = try await Database.with(arguments, tenants: name) {
            store, tenants async throws(EventStoreError) in
            AppsDocument(
                tenants, keys: try await store.apps.keys(),
                alarms: try await store.apps.alarms(), held: try await store.apps.deferred())
        }
        Console.answer(
            arguments, document, Table.text(AppsDocument.headings, document.keys.map(\.cells)))
        if !arguments.flag("json") { for note in document.notes { Console.note(note) } }
    }
}

/// Apps as the list shows them.
struct AppsDocument: Encodable {
    struct Key: Encodable {
        var tenant: String
        var bundleId: String
        var teamId: String
        var keyId: String
        var environment: String
        /// Environments whose pushes go with it.
        var inUse: [String]
        var addedAt: String
        var masterKeyId: String

        var cells: [String] {
            [
                tenant, bundleId, teamId, keyId, environment,
                inUse.isEmpty ? "-" : inUse.joined(separator: ","), addedAt, masterKeyId,
            ]
        }
    }

    struct Alarm: Encodable {
        var tenant: String
        var bundleId: String
        var environment: String
        var hold: String
        var reason: String
        var remedy: String
        var since: String
        var probeAt: String
    }

    struct Held: Encodable {
        var tenant: String
        var bundleId: String
        var environment: String
        var hold: String
        var remedy: String
        var phones: Int
        /// Phones on which a card is to be started.
        var starts: Int
    }

    static let headings = [
        "TENANT", "APP", "TEAM", "KEY", "ENVIRONMENT", "IN USE", "ADDED", "MASTER KEY",
    ]

    var keys: [Key]
    var alarms: [Alarm]
    var held: [Held]

    init(_ tenants: [Tenant], keys: [AppKeyRecord], alarms: [AppAlarm], held: [DeferredPhones]) {
        let names = Dictionary(tenants.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        self.keys = keys.compactMap { key in
            names[key.place.tenant].map { Self.key(key, of: $0, among: keys) }
        }
        self.alarms = alarms.compactMap { alarm in
            names[alarm.app.tenant].map { name in
                Alarm(
                    tenant: name, bundleId: alarm.app.app.bundleID,
                    environment: alarm.app.app.environment.rawValue,
                    hold: alarm.suspension.rawValue,
                    reason: alarm.reason, remedy: alarm.explanation,
                    since: alarm.since.rfc3339, probeAt: alarm.probeAt.rfc3339)
            }
        }
        self.held = held.mostFirst.compactMap { held in
            names[held.app.tenant].map { name in
                Held(
                    tenant: name, bundleId: held.app.app.bundleID,
                    environment: held.app.app.environment.rawValue, hold: held.suspension.rawValue,
                    remedy: alarms.explanation(of: held), phones: held.count,
                    starts: held.starts)
            }
        }
    }

    var notes: [String] {
        var notes = alarms.map {
            "\($0.tenant): sending was stopped at \($0.since) (\($0.reason)): \($0.remedy). It is "
                + "tried again at \($0.probeAt)."
        }
        let named = held.prefix(Domain.Limits.appsShownMax)
        notes += named.map {
            "\($0.tenant): \(DeferredPhones.waiting($0.phones, starts: $0.starts)) in "
                + "\($0.environment): \($0.remedy)."
        }
        if held.count > named.count {
            let more = (held.count - named.count).counted("more app")
            notes.append("Phones wait for \(more): --json lists all.")
        }
        return notes
    }

    private static func key(
        _ record: AppKeyRecord, of tenant: String, among all: [AppKeyRecord]
    ) -> Key {
        let place = record.place
        let inUse = APNsEnvironment.allCases.filter {
            all.inUse(for: place.tenant, place.bundleID, $0)?.id == record.id
        }
        return Key(
            tenant: tenant, bundleId: place.bundleID, teamId: place.teamID, keyId: place.keyID,
            environment: place.scope.rawValue, inUse: inUse.map(\.rawValue),
            addedAt: record.addedAt.rfc3339, masterKeyId: record.masterKeyID)
    }
}
