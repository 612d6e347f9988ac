import Domain
import EventStore
import Foundation
import PostgresStore
import Testing

@testable import Doctor

private let fine = DoctorReport(name: "schema", answer: .fine("migration 74"))
private let unseen = DoctorReport(name: "lag", answer: .unseen("no answer"))
private let ill = DoctorReport(
    name: "connections",
    answer: .findings([
        Finding(what: "too few", meaning: "calls fail", remedy: "raise max_connections")
    ]))

struct `A certificate's end` {
    private let now: Int64 = 1_700_000_000

    @Test(
        arguments: [
            (15 * 86_400, nil), (14 * 86_400, nil), (14 * 86_400 - 1, "ends in 13 days"),
            (1, "ends in 0 days"), (0, "has expired"), (-86_400, "has expired"),
        ] as [(Int64, String?)])
    func `is found when it is less than 14 days away`(left: Int64, words: String?) {
        let found = CertificateCheck.findings(of: "/etc/cert", end: now + left, now: now)
        #expect(found.count == (words == nil ? 0 : 1))
        if let words { #expect(found.first?.what.contains(words) == true, "\(found)") }
    }
}

struct `An app for which nothing is sent` {
    private let app = TenantApp(
        tenant: TenantID(rawValue: 1), bundleID: "com.example", environment: .sandbox)

    private func findings(_ alarms: [AppAlarm], _ deferred: [DeferredPhones]) -> [Finding] {
        AppsCheck.findings(
            [Tenant(id: app.tenant, name: "pizzeria")], alarms, deferred,
            now: Moment(unixSeconds: 1_800_000_500))
    }

    @Test(arguments: [AppSuspension.keyRefused, .clockWrong])
    func `is tried again at a time that is to come, if a phone waits`(reason: AppSuspension) {
        let waiting = [DeferredPhones(app: app, suspension: reason, count: 1)]
        func meaning(probeAt: Int64, _ deferred: [DeferredPhones]) -> String {
            let alarm = AppAlarm(
                app: app, suspension: reason, reason: "InvalidProviderToken",
                since: Moment(unixSeconds: 1_800_000_000),
                probeAt: Moment(unixSeconds: probeAt))
            return findings([alarm], deferred).first?.meaning ?? ""
        }
        let coming = meaning(probeAt: 1_800_000_600, waiting)
        #expect(coming.hasSuffix(" again at 2027-01-15T08:10:00Z."), "\(coming)")
        let past = meaning(probeAt: 1_800_000_400, waiting)
        let idle = meaning(probeAt: 1_800_000_600, [])
        for other in [past, idle] {
            #expect(!other.contains("again") && other.hasSuffix("."), "\(other)")
        }
    }

    @Test func `is found with what mends it, and so are phones that wait for one`() {
        #expect(findings([], []) == [])
        let stopped = findings(
            [
                AppAlarm(
                    app: app, suspension: .keyRefused, reason: "InvalidProviderToken",
                    since: Moment(unixSeconds: 1_800_000_000),
                    probeAt: Moment(unixSeconds: 1_800_000_600))
            ], [])
        #expect(
            stopped.map(\.what) == [
                "sending for com.example in sandbox of pizzeria was stopped at "
                    + "2027-01-15T08:00:00Z (InvalidProviderToken)"
            ])
        #expect(stopped.first?.remedy.contains("islet apps rotate") == true)
        #expect(stopped.first?.meaning.hasPrefix("Its phones keep what they show") == true)
        let ofClock = findings(
            [
                AppAlarm(
                    app: app, suspension: .clockWrong, reason: "ExpiredProviderToken",
                    since: Moment(unixSeconds: 1_800_000_000),
                    probeAt: Moment(unixSeconds: 1_800_000_600))
            ], [])
        #expect(ofClock.first?.meaning.hasPrefix("Servers whose clock is right go on") == true)
        let waiting = findings([], [DeferredPhones(app: app, suspension: .noKey, count: 1)])
        #expect(
            waiting.map(\.what) == ["for com.example in sandbox of pizzeria 1 phone waits"])
        #expect(waiting.first?.remedy.contains("islet apps add") == true)
        let invented = (1...100).map { number in
            DeferredPhones(
                app: TenantApp(
                    tenant: app.tenant, bundleID: "com.app-\(number)", environment: .sandbox),
                suspension: .noApp, count: number)
        }
        #expect(findings([], invented).count == 21)
        #expect(findings([], invented).last?.what == "phones wait for 80 more apps")
        let alarms = invented.map {
            AppAlarm(
                app: $0.app, suspension: .keyRefused, reason: "TopicDisallowed",
                since: Moment(unixSeconds: 1_800_000_000),
                probeAt: Moment(unixSeconds: 1_800_000_600))
        }
        #expect(findings(alarms, []).count == 21)
        #expect(findings(alarms, []).last?.what == "sending was stopped for 80 more apps")
        let first = findings(alarms, invented).first?.what
        #expect(first?.hasPrefix("sending for com.app-100 in sandbox") == true)
    }
}

struct `What the checks come to` {
    @Test(arguments: [
        ([fine], DoctorVerdict.fine), ([], .fine), ([fine, unseen], .notSeen),
        ([ill, unseen], .needsAHand), ([unseen, ill, fine], .needsAHand),
    ])
    func `is the worst that is certain`(reports: [DoctorReport], verdict: DoctorVerdict) {
        #expect(DoctorVerdict(reports) == verdict)
    }

    @Test func `leads to a private Postgres where psql alone does not`() {
        let report = DoctorReport(
            name: "durability",
            answer: .findings([
                Finding(
                    what: "fsync is off", meaning: "Damage.",
                    remedy: "psql -c 'ALTER SYSTEM SET fsync = on' -c 'SELECT pg_reload_conf()'")
            ]))
        #expect(
            report.leading(by: "psql -h /data/run postgres").answer
                == .findings([
                    Finding(
                        what: "fsync is off", meaning: "Damage.",
                        remedy: "psql -h /data/run postgres -c 'ALTER SYSTEM SET fsync = on' "
                            + "-c 'SELECT pg_reload_conf()'")
                ]))
        #expect(
            DoctorReport(name: "a", answer: .unseen("psql -c 'GRANT'")).leading(by: "x")
                .answer == .unseen("x -c 'GRANT'"))
        #expect(
            DoctorReport(name: "a", answer: .unseen("vacuumdb --all --freeze"))
                .leading(by: "runuser -u me -- psql -h /data/run postgres").answer
                == .unseen("runuser -u me -- vacuumdb -h /data/run --all --freeze"))
        #expect(fine.leading(by: "x") == fine)
    }

    @Test func `is shown to people in columns, each finding with its remedy`() {
        #expect(
            DoctorText.text([fine, unseen, ill]) == """
                ok    schema       migration 74
                ?     lag          could not look: no answer
                FAULT connections  too few
                        It means: calls fail
                        Remedy:   raise max_connections
                """)
    }

    @Test func `is given to programs with the status of each check`() throws {
        let json = try JSONEncoder().encode(DoctorDocument([fine, unseen, ill]))
        let object = try #require(
            try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(object["status"] as? String == "needs a hand")
        let checks = try #require(object["checks"] as? [[String: Any]])
        #expect(checks.map { $0["status"] as? String } == ["fine", "unseen", "findings"])
        let findings = try #require(checks[2]["findings"] as? [[String: String]])
        #expect(findings.first?["remedy"] == "raise max_connections")
    }
}
