import Delivery
import Domain
import EventStore
import Pipeline
import Testing

@testable import Hosting

struct `What the log says of sending` {
    private func line(_ diagnostic: Sender.Diagnostic) -> String {
        let lines = LoggedLines()
        diagnostic.write(to: lines.log)
        return lines.all.joined(separator: "\n")
    }

    @Test func `names the options of a key that APNs refuses`() {
        let text = line(.credentialsRefused(reason: "InvalidProviderToken"))
        #expect(text.hasPrefix("<3>"))
        for word in ["--apns-key-file", "--apns-key-id", "--apns-team-id", "InvalidProviderToken"] {
            #expect(text.contains(word), "\(text)")
        }
    }

    @Test func `counts phones and names none`() {
        #expect(
            line(.tokensUnfit(count: 3, reason: "BadDeviceToken"))
                == "<4>APNs says push tokens do not fit: check environment and bundle id count=3 "
                + "reason=BadDeviceToken")
        #expect(line(.unanswered(count: 7, reason: "reset")).hasSuffix("count=7 reason=reset"))
        #expect(line(.stateTooLarge(bytes: 5_000, phones: 2)).hasSuffix("bytes=5000 phones=2"))
    }

    @Test func `is one line when APNs answers now this and now that to every push`() {
        let lines = LoggedLines()
        let log = lines.log
        for _ in 0..<20 {
            for reason in ["InternalServerError", "ServiceUnavailable", "TooManyRequests"] {
                Sender.Diagnostic.notTaken(count: 40, reason: reason).write(to: log)
            }
        }
        #expect(
            lines.all == [
                "<4>APNs did not take pushes: they are tried again count=40 "
                    + "reason=InternalServerError"
            ])
    }

    @Test func `is a line every ten seconds for each reason, however many fan-outs find it out`() {
        let lines = LoggedLines()
        let log = lines.log
        for _ in 0..<20 {
            for reason in ["the connection was lost", "no answer in time"] {
                Sender.Diagnostic.unanswered(count: 1, reason: reason).write(to: log)
                Sender.Diagnostic.tokensUnfit(count: 1, reason: reason).write(to: log)
                let app = AppInEnvironment(bundleID: "com.example.app", environment: .production)
                Sender.Diagnostic.channel(.unanswered(app, reason: reason)).write(to: log)
            }
        }
        #expect(lines.all.count == 6, "\(lines.all)")
    }

    @Test func `names the node whose work was taken over`() {
        #expect(
            line(.tookOver(count: 4, from: "islet-2")).hasSuffix("activities=4 from=islet-2"))
    }

    @Test func `warns of what passes by itself, and takes a move for what it is`() {
        let away = line(.store(.unavailable(detail: "its session ended")))
        #expect(away.hasPrefix("<4>sending stopped for now why="), "\(away)")
        let moving = line(.store(.moving(detail: "the tenant is moving")))
        #expect(moving.hasPrefix("<6>sending stopped for now why="), "\(moving)")
    }
}

struct `What a node looks at again and again` {
    @Test func `has one warning when the database is away, however often it is looked at`() {
        let lines = LoggedLines()
        let log = lines.log
        let away = EventStoreError.unavailable(detail: "no answer")
        for _ in 0..<5 {
            IdentityWatch.Diagnostic.store(away).write(to: log)
            LagWatch.Diagnostic.store(away).write(to: log)
            SessionWatch.Diagnostic.store(away).write(to: log)
            Sweeper.Diagnostic.store(away).write(to: log)
        }
        #expect(lines.all.count == 4, "\(lines.all)")
        #expect(lines.all.allSatisfy { $0.hasPrefix("<4>") }, "\(lines.all)")
    }
}
