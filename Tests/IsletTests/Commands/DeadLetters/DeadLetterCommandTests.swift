import API
import Domain
import EventStore
import JSON
import Terminal
import Testing

@testable import islet

struct `The dead-letters commands` {
    @Test(
        arguments: [
            "17", "push", "push-", "push-x", "push--1", "letter-17", "webhook-17-2", "start-17",
            "start-17-0-",
        ])
    func `refuse what is no dead letter's id`(id: String) async {
        for command in ["retry", "dismiss"] {
            #expect(
                await CommandWords("dead-letters \(command) \(id) --tenant a").refusal()
                    == .usage(
                        "ID must be as islet dead-letters list shows it, such as push-17, not "
                            + "'\(id)'"))
        }
    }

    @Test func `never send a start again`() async {
        let refusal = await CommandWords("dead-letters retry start-17-0-order-42 --tenant a")
            .refusal()
        #expect(refusal?.exitCode == 1)
        #expect(refusal?.text.hasPrefix("a start is never sent again") == true)
    }

    @Test func `want a tenant and an id`() async {
        for words in ["retry push-17", "dismiss push-17"] {
            #expect(
                await CommandWords("dead-letters \(words)").refusal()
                    == .usage("--tenant is missing; give it or set ISLET_TENANT"))
        }
        let refusal = await CommandWords("dead-letters retry --tenant a").refusal()
        #expect(refusal?.text.hasPrefix("ID is missing") == true)
    }

    @Test func `list a hundred, and ten thousand at most`() async throws {
        #expect(try CommandWords("dead-letters list").arguments().integer("limit") == 100)
        #expect(
            await CommandWords("dead-letters list --limit 10001").refusal()
                == .usage("--limit must be a whole number from 1 to 10000"))
    }

    @Test func `refuse a time without a zone and a carrier that is none`() async {
        #expect(
            await CommandWords("dead-letters list --tenant a --since 2026-05-01").refusal()
                == .usage("--since must be a time such as 2026-05-01T18:00:00Z"))
        #expect(
            await CommandWords("dead-letters list --tenant a --carrier mail").refusal()
                == .usage("--carrier must be one of push, start, webhook"))
    }
}

struct `A listed dead letter` {
    private let letter = DeadLetter(
        id: .init(
            carrier: .start, number: 17, restartVersion: 2,
            activity: ActivityID(rawValue: "order-42")),
        activityID: ActivityID(rawValue: "order-42"), to: "com.example.pizza (sandbox)",
        reason: "BadDeviceToken", attempts: 5, givenUpAt: Moment(unixSeconds: 1_800_000_000))

    @Test func `has the id that retry and dismiss take`() {
        let cells = DeadLetterRow.cells(letter)
        #expect(DeadLetter.ID(text: cells[0])?.number == 17)
        #expect(
            cells == [
                "start-17-2-order-42", "order-42", "com.example.pizza (sandbox)",
                "BadDeviceToken", "5", "2027-01-15T08:00:00Z",
            ])
        #expect(cells.count == DeadLetterRow.headings.count)
    }

    @Test func `says all of it to programs`() {
        #expect(
            Console.json(DeadLetterDocument.letter(letter).printed()) == """
                {
                  "activity" : "order-42",
                  "attempts" : 5,
                  "canRetry" : false,
                  "carrier" : "start",
                  "givenUpAt" : "2027-01-15T08:00:00Z",
                  "id" : "start-17-2-order-42",
                  "reason" : "BadDeviceToken",
                  "to" : "com.example.pizza (sandbox)"
                }
                """)
    }

    @Test func `is counted for programs with all of its carrier`() {
        let counts: JSON = ["push": .integer(12), "start": .integer(0), "webhook": .integer(1)]
        #expect(DeadLetterDocument.counts([.push: 12, .webhook: 1]) == counts)
    }
}
