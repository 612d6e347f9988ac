import Delivery
import Domain
import EventStore
import Testing

@testable import Hosting

struct `What the log says of webhooks` {
    private func line(_ diagnostic: WebhookSender.Diagnostic) -> String {
        let lines = LoggedLines()
        diagnostic.write(to: lines.log)
        return lines.all.joined(separator: "\n")
    }

    @Test func `names it by its id, with the reason`() {
        #expect(
            line(.failing(webhook: "wh-1", reason: "not-trusted"))
                == "<4>nothing arrives at a webhook: it is tried again, later and later "
                + "reason=not-trusted webhook=wh-1")
        #expect(line(.recovered(webhook: "wh-1")) == "<6>a webhook answers again webhook=wh-1")
    }

    @Test func `is worse when nothing has arrived for days than when it wants no more`() {
        let failing = line(.stopped(webhook: "wh-1", .failing, reason: "too-slow"))
        #expect(failing.hasPrefix("<3>a webhook was turned off: nothing has arrived for days"))
        let gone = line(.stopped(webhook: "wh-1", .gone, reason: "410"))
        #expect(gone == "<4>a webhook was turned off: it wants no more reason=410 webhook=wh-1")
    }

    @Test func `has the command or the option that helps`() {
        let lost = line(.givenUp(webhook: "wh-1", count: 3, reason: "500"))
        #expect(lost.hasPrefix("<3>"))
        #expect(lost.contains("islet dead-letters list") && lost.contains("count=3"))
        let sealed = line(.sealed(webhook: "wh-1"))
        #expect(sealed.hasPrefix("<3>") && sealed.contains("--master-key-file"))
    }
}

struct `What repeats thousands of times a second` {
    @Test func `is logged once for each error`() {
        let lines = LoggedLines()
        let log = lines.log
        for detail in ["one", "two", "three"] {
            WebhookSender.Diagnostic.store(.unavailable(detail: detail)).write(to: log)
        }
        WebhookSender.Diagnostic.store(.failed(sqlState: "53100", detail: "full")).write(to: log)
        WebhookSender.Diagnostic.store(.failed(sqlState: "57014", detail: "late")).write(to: log)
        #expect(lines.all.count == 3)
        #expect(lines.all.first?.contains("the database is unavailable: one") == true)
        #expect(lines.all.last?.contains("(57014): late") == true)
    }
}
