import API
import Foundation
import Terminal
import Testing

@testable import Hosting

struct `What a tenant may use of a node` {
    @Test func `is by default so much for each core, of three at most`() throws {
        let limits = LimitOptions.limits(try serveArguments())
        let cores = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 3)
        #expect(limits.requestsPerSecond == 7_500 * cores)
        #expect(limits.eventsPerSecond == 5_000 * cores)
        #expect(limits.bytesPerSecond == 5_000 * cores * 1_024)
    }

    @Test func `is otherwise as the reference has it`() throws {
        let limits = LimitOptions.limits(try serveArguments())
        #expect(limits.ticketRequestsPerSecond == 20)
        #expect(limits.storedEventsMax == nil)
        #expect(limits.storedBytesMax == nil)
        #expect(limits.storedPolicyBytesMax == 33_554_432)
        #expect(limits.storedRegistrationsMax == 20_000_000)
        #expect(limits.bodyBytesMax == 1_048_576)
        #expect(limits.eventsPerBatchMax == 1_000)
        #expect(limits.registrationsPerTicketMax == 20)
        #expect(limits.registrationsPerActivityMax == 10_000_000)
    }

    @Test func `is what each option says, and no other one`() throws {
        let limits = LimitOptions.limits(
            try serveArguments([
                "--requests-per-second", "11", "--events-per-second", "12",
                "--bytes-per-second", "13", "--ticket-requests-per-second", "14",
                "--stored-events-max", "15", "--stored-bytes-max", "16",
                "--stored-policy-bytes-max", "17", "--stored-registrations-max", "20",
                "--body-bytes-max", "2048", "--batch-events-max", "18",
                "--ticket-registrations-max", "19", "--activity-registrations-max", "21",
            ]))
        #expect(limits.requestsPerSecond == 11)
        #expect(limits.eventsPerSecond == 12)
        #expect(limits.bytesPerSecond == 13)
        #expect(limits.ticketRequestsPerSecond == 14)
        #expect(limits.storedEventsMax == 15)
        #expect(limits.storedBytesMax == 16)
        #expect(limits.storedPolicyBytesMax == 17)
        #expect(limits.storedRegistrationsMax == 20)
        #expect(limits.bodyBytesMax == 2_048)
        #expect(limits.eventsPerBatchMax == 18)
        #expect(limits.registrationsPerTicketMax == 19)
        #expect(limits.registrationsPerActivityMax == 21)
    }

    @Test func `leaves the bytes as they are when only the events are chosen`() throws {
        let usual = LimitOptions.limits(try serveArguments())
        let chosen = LimitOptions.limits(try serveArguments(["--events-per-second", "1"]))
        #expect(chosen.bytesPerSecond == usual.bytesPerSecond)
    }

    @Test(arguments: [
        "requests-per-second", "events-per-second", "bytes-per-second",
        "ticket-requests-per-second", "stored-events-max", "stored-bytes-max",
        "stored-policy-bytes-max", "stored-registrations-max", "body-bytes-max",
        "batch-events-max", "ticket-registrations-max", "activity-registrations-max",
    ])
    func `is never nothing, and the complaint says from where to where`(option: String) {
        for text in ["0", "-1", "many", "1.5"] {
            let failure = #expect(throws: CommandFailure.self, "\(text)") {
                try serveArguments(["--\(option)", text])
            }
            let words = failure?.text ?? ""
            #expect(
                words.hasPrefix("--\(option) must be a whole number from "), "\(text): \(words)")
        }
    }
}
