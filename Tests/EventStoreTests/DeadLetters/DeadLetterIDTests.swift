import Domain
import EventStore
import TestSupport
import Testing

struct `The id of a dead letter` {
    @Test func `is written as links and commands have it`() {
        #expect(DeadLetter.ID(carrier: .push, number: 17).text == "push-17")
        #expect(DeadLetter.ID(carrier: .webhook, number: 0).text == "webhook-0")
        #expect(
            DeadLetter.ID(
                carrier: .start, number: 17, restartVersion: 4,
                activity: ActivityID(rawValue: "order-42")
            ).text == "start-17-4-order-42")
    }

    @Test(arguments: 0..<100)
    func `is read as it is written, whatever the activity is called`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func number() -> Int64 {
            Int64.random(in: 0 ... .max, using: &generator) >> Int64(seed % 63)
        }
        for carrier in DeadLetter.Carrier.allCases where carrier != .start {
            let id = DeadLetter.ID(carrier: carrier, number: number())
            #expect(DeadLetter.ID(text: id.text) == id)
        }
        // The first joins the hyphen before it to one character.
        let pieces = ["\u{301}", "-", "a", "0", " ", "é", "e\u{301}", "🍕", "push-1"]
        let name = (0..<6).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        }.joined()
        let start = DeadLetter.ID(
            carrier: .start, number: number(), restartVersion: number(),
            activity: ActivityID(rawValue: name))
        #expect(DeadLetter.ID(text: start.text) == start)
    }

    @Test(arguments: [
        "", "push", "push-", "-1", "push--1", "push-1-", "push-1-2", "Push-1", "letter-1",
        "push-+1", "push-1 ", " push-1", "push-1.0", "push-9223372036854775808", "push-１",
        "start-1", "start-1-0", "start-1-0-", "start-1--a", "start--0-a", "start-1-x-a",
        "start-1-+0-a", "webhook-1-0-a",
    ])
    func `is nothing else`(text: String) {
        #expect(DeadLetter.ID(text: text) == nil)
    }

    @Test func `is another one for an activity that only looks the same`() {
        let ids = ["caf\u{E9}", "cafe\u{301}"].map {
            DeadLetter.ID(carrier: .start, number: 1, activity: ActivityID(rawValue: $0))
        }
        #expect(ids[0] != ids[1])
        #expect(ids.compactMap { DeadLetter.ID(text: $0.text) } == ids)
    }
}
