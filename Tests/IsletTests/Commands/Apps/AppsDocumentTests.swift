import Domain
import EventStore
import Explaining
import JSON
import Terminal
import Testing

@testable import islet

private let pizzeria = Tenant(id: TenantID(rawValue: 1), name: "pizzeria")
private let eight = Moment(unixSeconds: 1_800_000_000)
private let bundleID = "com.example.pizza"

struct `The list of apps` {
    private func key(_ id: Int64, _ keyID: String, _ scope: AppKeyScope) -> AppKeyRecord {
        AppKeyRecord(
            id: id,
            identity: AppKeyIdentity(
                tenant: pizzeria.id, bundleID: bundleID, teamID: "DEF123GHIJ", keyID: keyID,
                scope: scope), sealed: [1], masterKeyID: "a1b2", addedAt: eight)
    }

    private func app(_ tenant: Tenant) -> TenantApp {
        TenantApp(tenant: tenant.id, bundleID: bundleID, environment: .sandbox)
    }

    @Test func `says where each key is in use`() {
        let document = AppsDocument(
            [pizzeria], keys: [key(1, "OLD0000000", .both), key(2, "NEW0000000", .production)],
            alarms: [], deferred: [])
        #expect(
            document.rows == [
                [
                    "pizzeria", bundleID, "DEF123GHIJ", "OLD0000000", "both", "sandbox",
                    "2027-01-15T08:00:00Z", "a1b2",
                ],
                [
                    "pizzeria", bundleID, "DEF123GHIJ", "NEW0000000", "production", "production",
                    "2027-01-15T08:00:00Z", "a1b2",
                ],
            ])
        #expect(document.rows.allSatisfy { $0.count == AppsDocument.headings.count })
    }

    @Test func `has a dash for a key that is kept for going back`() {
        let document = AppsDocument(
            [pizzeria], keys: [key(1, "OLD0000000", .both), key(2, "NEW0000000", .both)],
            alarms: [], deferred: [])
        #expect(document.rows.map { $0[5] } == ["-", "sandbox,production"])
    }

    @Test func `says of what is stopped why, since when and until when`() {
        let alarm = AppAlarm(
            app: app(pizzeria), suspension: .keyRefused, reason: "InvalidProviderToken",
            since: eight, probeAt: eight.adding(seconds: 3_600))
        let deferred = DeferredPhones(app: app(pizzeria), suspension: .keyRefused, count: 1)
        let document = AppsDocument([pizzeria], keys: [], alarms: [alarm], deferred: [deferred])
        let note = document.notes(at: eight).first ?? ""
        #expect(
            note.hasPrefix(
                "pizzeria: sending was stopped at 2027-01-15T08:00:00Z (InvalidProviderToken): "))
        #expect(note.contains("islet apps rotate"))
        #expect(note.hasSuffix(". It is tried again at 2027-01-15T09:00:00Z."))
        // A time that is over says nothing, nor does one at which there is nothing to try.
        let late = document.notes(at: alarm.probeAt).first
        let idle = AppsDocument([pizzeria], keys: [], alarms: [alarm], deferred: [])
            .notes(at: eight)
        #expect(late?.contains("tried again") == false)
        #expect(idle.first == late)
    }

    @Test func `names the remedy for APNs' reason, of phones that wait as well`() {
        let alarm = AppAlarm(
            app: app(pizzeria), suspension: .keyRefused, reason: "TopicDisallowed",
            since: eight, probeAt: eight)
        let deferred = DeferredPhones(app: app(pizzeria), suspension: .keyRefused, count: 1)
        let notes = AppsDocument([pizzeria], keys: [], alarms: [alarm], deferred: [deferred])
            .notes(at: eight)
        #expect(notes.count == 2)
        #expect(notes.allSatisfy { $0.contains("check --bundle and --team") }, "\(notes)")
    }

    @Test func `counts the phones that wait, with what to do`() {
        let deferred = DeferredPhones(app: app(pizzeria), suspension: .noApp, count: 2, starts: 1)
        let document = AppsDocument([pizzeria], keys: [], alarms: [], deferred: [deferred])
        #expect(
            document.notes(at: eight) == [
                "pizzeria: 2 phones wait, and the card is not started on 1 phone in sandbox: the "
                    + "app com.example.pizza is not there: add it with islet apps add."
            ])
    }

    @Test func `names the apps of the most phones, and counts the others`() {
        let deferred = (1...100).map { number in
            DeferredPhones(
                app: TenantApp(
                    tenant: pizzeria.id, bundleID: "com.example.\(number)", environment: .sandbox),
                suspension: .noApp, count: number)
        }
        let document = AppsDocument([pizzeria], keys: [], alarms: [], deferred: deferred)
        #expect(document.deferred.count == 100)
        #expect(document.notes(at: eight).count == Domain.Limits.appsShownMax + 1)
        #expect(document.notes(at: eight).first?.contains("100 phones wait in sandbox") == true)
        #expect(document.notes(at: eight).last == "Phones wait for 80 more apps: --json lists all.")
        let alarms = deferred.map {
            AppAlarm(
                app: $0.app, suspension: .keyRefused, reason: "TopicDisallowed", since: eight,
                probeAt: eight)
        }
        let stopped = AppsDocument([pizzeria], keys: [], alarms: alarms, deferred: [])
        #expect(stopped.alarms.count == 100)
        #expect(stopped.notes(at: eight).count == Domain.Limits.appsShownMax + 1)
        #expect(
            stopped.notes(at: eight).last
                == "Sending was stopped for 80 more apps: --json lists all.")
    }

    @Test func `says nothing of tenants that were not asked for`() {
        let other = Tenant(id: TenantID(rawValue: 2), name: "sports")
        let alarm = AppAlarm(
            app: app(pizzeria), suspension: .noKey, reason: "", since: eight, probeAt: eight)
        let deferred = DeferredPhones(app: app(pizzeria), suspension: .noKey, count: 1)
        let document = AppsDocument(
            [other], keys: [key(1, "OLD0000000", .both)], alarms: [alarm], deferred: [deferred])
        #expect(document.rows.isEmpty)
        #expect(document.notes(at: eight).isEmpty)
        let nothing: JSON = ["keys": .array([]), "alarms": .array([]), "held": .array([])]
        #expect(document.json == nothing)
    }

    @Test func `says all of it to programs, with the tenants`() {
        let alarm = AppAlarm(
            app: app(pizzeria), suspension: .noKey, reason: "TopicDisallowed", since: eight,
            probeAt: eight)
        let deferred = DeferredPhones(app: app(pizzeria), suspension: .noApp, count: 2, starts: 1)
        let document = AppsDocument(
            [pizzeria], keys: [key(1, "OLD0000000", .sandbox)], alarms: [alarm],
            deferred: [deferred])
        #expect(
            Console.json(document.json) == """
                {
                  "alarms" : [
                    {
                      "bundleId" : "com.example.pizza",
                      "environment" : "sandbox",
                      "hold" : "no-key",
                      "probeAt" : "2027-01-15T08:00:00Z",
                      "reason" : "TopicDisallowed",
                      "remedy" : "\(alarm.explanation)",
                      "since" : "2027-01-15T08:00:00Z",
                      "tenant" : "pizzeria"
                    }
                  ],
                  "held" : [
                    {
                      "bundleId" : "com.example.pizza",
                      "environment" : "sandbox",
                      "hold" : "no-app",
                      "phones" : 2,
                      "remedy" : "\([alarm].explanation(of: deferred))",
                      "starts" : 1,
                      "tenant" : "pizzeria"
                    }
                  ],
                  "keys" : [
                    {
                      "addedAt" : "2027-01-15T08:00:00Z",
                      "bundleId" : "com.example.pizza",
                      "environment" : "sandbox",
                      "inUse" : [
                        "sandbox"
                      ],
                      "keyId" : "OLD0000000",
                      "masterKeyId" : "a1b2",
                      "teamId" : "DEF123GHIJ",
                      "tenant" : "pizzeria"
                    }
                  ]
                }
                """)
    }
}
