import Domain
import EventStore
import Foundation
import Terminal
import Testing

@testable import islet

struct `The tenants commands` {
    @Test(arguments: ["", "two\nlines", "a\u{1B}[2J", String(repeating: "é", count: 51)])
    func `take a name of one line and at most 100 bytes`(name: String) async {
        let refusal = await CommandWords(["tenants", "create", name]).refusal()
        #expect(refusal?.exitCode == 2)
        #expect(
            refusal?.text.hasPrefix("a tenant's name must be one line of 1 to 100 bytes") == true)
    }

    @Test func `say what is missing where there is no name`() async {
        let refusal = await CommandWords("tenants create").refusal()
        #expect(
            refusal
                == .usage("NAME is missing: what to call it; one line of at most 100 bytes"))
    }

    @Test func `remove nothing before somebody says yes`() async {
        let place = NSTemporaryDirectory() + "islet-removed-\(UUID().uuidString)"
        let refusal = await CommandWords(["tenants", "remove", "pizzeria", "--to", place])
            .refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.contains("removes pizzeria for good") == true)
        #expect(refusal?.text.hasSuffix("give --yes to do it") == true)
        #expect(!FileManager.default.fileExists(atPath: place))
    }

    @Test func `say of what was removed where its log is`() {
        let places = ["/old/events-1-9", "/new/events-10-12", "/new/events-13-20"]
        let removed = RemovedTenant(tenant: "pizzeria", places: places)
        #expect(removed.text == "Tenant pizzeria is removed. Its log is in /old and /new.")
        #expect(removed.archive == "/new" && removed.places == places)
        let empty = RemovedTenant(tenant: "pizzeria", places: [])
        #expect(empty.text == "Tenant pizzeria is removed. It had no events.")
        #expect(empty.archive == nil)
    }

    @Test func `say of a tenant that moves how far it is, and whether somebody works on it`() {
        func words(
            _ state: MovingTenant.State, isOpen: Bool = false, isUnderWay: Bool = true
        ) -> String {
            MovingTenantText.words(
                MovingTenant(
                    id: TenantID(rawValue: 7), name: "shop", state: state, cell: "eu2",
                    isOpen: isOpen, isUnderWay: isUnderWay))
        }
        #expect(words(.leaving) == "leaving for eu2")
        #expect(words(.arriving) == "arriving from eu2")
        #expect(words(.gone, isOpen: true) == "open in eu2, being removed here")
        #expect(
            words(.gone, isUnderWay: false) == "left for eu2, perhaps not open there; stands still")
    }

    @Test func `remove nothing without a place for the log`() async {
        let refusal = await CommandWords("tenants remove pizzeria --yes").refusal()
        #expect(refusal == .usage("--to is missing; give it or set ISLET_TO"))
    }
}

struct `The limits of a tenant` {
    @Test func `have an option each, which changes nothing else`() throws {
        for (option, _, limit, _) in LimitEdit.options {
            var limits = TenantLimits.none
            try LimitEdit(limit, option, "2000").apply(to: &limits)
            #expect(limits[keyPath: limit] == 2_000, "--\(option)")
            let changed = LimitEdit.options.count { limits[keyPath: $0.limit] != nil }
            #expect(changed == 1, "--\(option)")
        }
    }

    @Test func `of what is stored may be larger than any of a second`() throws {
        var limits = TenantLimits.none
        try LimitEdit(\.storedEventsMax, "stored-events", "10000000000").apply(to: &limits)
        try LimitEdit(\.storedBytesMax, "stored-bytes", "10000000001").apply(to: &limits)
        let wanted = TenantLimits(
            storedEventsMax: 10_000_000_000, storedBytesMax: 10_000_000_001)
        #expect(limits == wanted)
        #expect(throws: CommandFailure.self) {
            try LimitEdit(\.bytesPerSecond, "bytes", "10000000000")
        }
    }

    @Test(arguments: ["requests", "events", "body-bytes", "batch-events", "bytes"])
    func `are refused by their name, with the remedy`(option: String) async {
        let refusal = await CommandWords("tenants limits pizzeria --\(option) 0").refusal()
        #expect(
            refusal
                == .usage(
                    "--\(option) must be a whole number from "
                        + "\(option == "body-bytes" ? 1_024 : 1) to 2147483647, or default"))
    }

    @Test func `leave room for an event`() throws {
        var limits = TenantLimits.none
        #expect(throws: CommandFailure.self) {
            try LimitEdit(\.bodyBytesMax, "body-bytes", "1023")
        }
        try LimitEdit(\.bodyBytesMax, "body-bytes", "1024").apply(to: &limits)
        #expect(limits.bodyBytesMax == 1_024)
    }
}
