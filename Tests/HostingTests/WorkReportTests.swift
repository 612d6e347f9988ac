import Delivery
import EventStore
import Testing

@testable import Hosting

struct `What the log says of sending` {
    private func line(_ notice: Sender.Notice) -> String {
        let lines = LoggedLines()
        notice.write(to: lines.log)
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

    @Test func `names the node whose work was taken over`() {
        #expect(
            line(.tookOver(count: 4, from: "islet-2")).hasSuffix("activities=4 from=islet-2"))
    }

    @Test func `takes errors of the store for one fault by their kind, not by their words`() {
        let one = EventStoreError.unavailable(detail: "a")
        #expect(one.name == EventStoreError.unavailable(detail: "b").name)
        let others: [EventStoreError] = [
            one, .outcomeUnknown(detail: "a"), .overloaded(detail: "a"), .moving(detail: "a"),
            .failed(sqlState: "53100", detail: "a"), .failed(sqlState: "57014", detail: "a"),
            .schema(detail: "a"),
        ]
        #expect(Set(others.map(\.name)).count == others.count)
    }
}
