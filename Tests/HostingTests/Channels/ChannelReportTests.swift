import Delivery
import Domain
import Testing

@testable import Hosting

struct `What the log says of channels` {
    private let app = AppInEnvironment(bundleID: "com.example.app", environment: .production)

    private func line(_ diagnostic: ChannelDiagnostic) -> String {
        let lines = LoggedLines()
        diagnostic.write(to: lines.log)
        return lines.all.joined(separator: "\n")
    }

    @Test func `names the app and its environment each time`() {
        let diagnostics: [ChannelDiagnostic] = [
            .lost(app), .unaccounted(app), .limitReached(app), .nearLimit(app, count: 9_500),
            .featureDisabled(app), .keyRefused(app, reason: "why"), .refused(app, reason: "why"),
            .unanswered(app, reason: "why"), .notTaken(app, reason: "why"),
        ]
        let lines = diagnostics.map(line)
        #expect(Set(lines).count == diagnostics.count)
        for line in lines {
            #expect(line.contains("bundleId=com.example.app"))
            #expect(line.contains("environment=production"))
        }
    }

    @Test func `is an error where somebody has to act, and a warning before`() {
        #expect(line(.nearLimit(app, count: 9_500)).hasPrefix("<4>"))
        #expect(line(.nearLimit(app, count: 9_500)).contains("count=9500"))
        #expect(line(.limitReached(app)).hasPrefix("<3>"))
        #expect(line(.limitReached(app)).contains("islet channels list"))
        #expect(line(.unaccounted(app)).contains("islet channels sweep"))
        #expect(line(.featureDisabled(app)).contains("Apple's developer site"))
        let refused = line(.keyRefused(app, reason: "TopicMismatch"))
        #expect(refused.hasPrefix("<3>"))
        for word in ["islet channels list", "stops no pushes", "reason=TopicMismatch"] {
            #expect(refused.contains(word), "\(word)")
        }
    }
}
