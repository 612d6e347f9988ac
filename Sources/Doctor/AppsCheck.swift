public import Domain
public import EventStore
import Explaining
public import PostgresStore

/// Apps for which sending was stopped, and phones that wait: what `islet apps list` says below its
/// table.
public enum AppsCheck {
    static func look(_ store: EventStore) async -> DoctorReport {
        let found: [Finding]
        do throws(EventStoreError) {
            found = findings(
                try await store.tenants.all(), try await store.apps.alarms(),
                try await store.apps.deferred(), now: try await store.time())
        } catch { return DoctorReport(name: "apps", answer: .init(error)) }
        return DoctorReport(name: "apps", answer: .init(found, fine: "no phone waits for one"))
    }

    /// - Parameter now: by the database's clock, which has dated the alarms.
    public static func findings(
        _ tenants: [Tenant], _ alarms: [AppAlarm], _ deferred: [DeferredPhones], now: Moment
    ) -> [Finding] {
        let names = Dictionary(tenants.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        let known = deferred.filter { names[$0.app.tenant] != nil }
        let raised = alarms.filter { names[$0.app.tenant] != nil }
        let stopped = raised.named(known).compactMap { alarm in
            names[alarm.app.tenant].map { name in
                Finding(
                    what: "sending for \(described(alarm.app)) of \(name) was stopped at "
                        + "\(alarm.since.rfc3339) (\(alarm.reason))",
                    meaning: meaning(of: alarm, nextTry: alarm.nextTry(for: deferred, after: now)),
                    remedy: alarm.explanation)
            }
        }
        let waiting = known.named.compactMap { deferred in
            names[deferred.app.tenant].map { name in
                Finding(
                    what: "for \(described(deferred.app)) of \(name) "
                        + DeferredPhones.waiting(deferred.count, starts: deferred.starts),
                    meaning: "They are sent the newest state once something is sent for the app.",
                    remedy: alarms.explanation(of: deferred))
            }
        }
        return stopped + unnamed(raised.unnamedCount, "sending was stopped for")
            + waiting + unnamed(known.unnamedCount, "phones wait for")
    }

    private static func unnamed(_ count: Int, _ what: String) -> [Finding] {
        guard count > 0 else { return [] }
        return [
            Finding(
                what: "\(what) \(count.counted("more app"))",
                meaning: "Apps register under bundle ids of their own choice.",
                remedy: "islet apps list --json lists all")
        ]
    }

    private static func meaning(of alarm: AppAlarm, nextTry: Moment?) -> String {
        let isOfClock = alarm.suspension == .clockWrong
        let meaning =
            isOfClock
            ? "Servers whose clock is right go on, and the first push that APNs accepts ends this"
            : "Its phones keep what they show"
        guard let nextTry else { return meaning + "." }
        let next =
            isOfClock ? "the one whose clock was wrong tries one again" : "one push is tried again"
        return "\(meaning); \(next) at \(nextTry.rfc3339)."
    }

    private static func described(_ app: TenantApp) -> String {
        "\(app.app.bundleID) in \(app.app.environment.rawValue)"
    }
}
