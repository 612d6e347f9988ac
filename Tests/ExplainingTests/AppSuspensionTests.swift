import Domain
import Explaining
import Testing

struct `What is said of an app whose key APNs refuses` {
    private let app = TenantApp(
        tenant: TenantID(rawValue: 1), bundleID: "com.example", environment: .sandbox)

    private func remedy(_ reason: String?) -> String {
        AppSuspension.keyRefused.explanation(for: app.app, reason: reason)
    }

    @Test func `asks for what APNs' reason says`() {
        #expect(remedy("InvalidProviderToken").contains("whether the key was revoked"))
        #expect(remedy("TopicDisallowed").contains("check --bundle and --team"))
        #expect(remedy("BadEnvironmentKeyIdInToken").contains("for the other environment"))
        #expect(remedy("TopicMismatch").contains("covers the bundle id itself"))
        for reason in ["TopicDisallowed", "TopicMismatch", "BadEnvironmentKeyIdInToken"] {
            #expect(!remedy(reason).contains("revoked"), "\(reason)")
        }
        #expect(remedy("ReasonOfTomorrow") == remedy("InvalidProviderToken"))
    }

    @Test func `names all that it may be where the reason is not known`() {
        let all = remedy(nil)
        for word in ["bundle id", "team id", "key id", "environment", "islet apps list"] {
            #expect(all.contains(word), "\(word)")
        }
    }

    @Test func `has the reason of the app's alarm where phones wait for it`() {
        let at = Moment(unixSeconds: 1_800_000_000)
        let alarm = AppAlarm(
            app: app, suspension: .keyRefused, reason: "TopicDisallowed", since: at, probeAt: at)
        let waiting = DeferredPhones(app: app, suspension: .keyRefused, count: 1)
        #expect(alarm.explanation == remedy("TopicDisallowed"))
        #expect([alarm].explanation(of: waiting) == alarm.explanation)
        #expect([AppAlarm]().explanation(of: waiting) == remedy(nil))
        var other = waiting
        other.app.app.environment = .production
        #expect(![alarm].explanation(of: other).contains("check --bundle and --team"))
    }
}
