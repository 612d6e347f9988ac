import DeliveryRules
import Domain
import EventStore
import Foundation
import Pipeline
import Projections
import TestSupport
import Testing

private let start = Moment(unixSeconds: 1_800_000_000)

/// An activity with its ledger, as a store keeps them.
private struct Activity {
    private(set) var events: [RecordedEvent] = []
    private(set) var decisions: [Decision] = []
    var snapshot: Snapshot?

    /// - Parameter seconds: when it happened; it is recorded later, in the order of the calls.
    mutating func report(_ type: String, _ data: String, at seconds: Int) throws {
        let version = Int64(events.count + 1)
        let event = NewEvent(
            id: "\(version)", source: "/shop", type: type,
            activityID: ActivityID(rawValue: "order-1"),
            occurredAt: start.adding(seconds: Double(seconds)), data: Data(data.utf8))
        try take(
            RecordedEvent(
                tenant: TenantID(rawValue: 1), position: version, version: version,
                recordedAt: start.adding(seconds: Double(10 + version)), event: event))
    }

    mutating func take(_ event: RecordedEvent) throws {
        let step = try ActivityStep.apply(event, to: snapshot)
        events.append(event)
        decisions.append(step.decision)
        snapshot = step.snapshot
    }

    @discardableResult
    mutating func erase() throws -> ErasureChanges {
        let changes = try Erasing.rewrite(
            ErasureContent(
                events: events, checkpoint: Int64(events.count), snapshot: snapshot,
                decisions: decisions)
        ).get()
        for event in changes.events { events[Int(event.version) - 1] = event }
        for decision in changes.decisions { decisions[Int(decision.version) - 1] = decision }
        snapshot = changes.snapshot ?? snapshot
        return changes
    }

    /// From the events alone.
    func madeAgain() throws -> Activity {
        var other = Activity()
        for event in events { try other.take(event) }
        return other
    }

    var data: [String] { events.map { String(decoding: $0.event.data, as: UTF8.self) } }

    /// Mostly at the same few moments, in any order.
    mutating func reportAnything(
        about names: [String], _ random: inout SeededGenerator
    ) throws {
        let name = names.randomElement(using: &random) ?? ""
        let report: (type: String, data: String) =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: ("OrderPickedUp", "{}")
            case 1:
                (
                    "EstimateRevised",
                    #"{"estimatedAt":"2027-01-15T08:30:00Z","reason":"\#(name)"}"#
                )
            case 2: ("OrderAccepted", #"{"by":"\#(name)","count":1}"#)
            default: ("DriverAssigned", #"{"driverName":"\#(name)"}"#)
            }
        try self.report(
            "PizzaDelivery." + report.type, report.data,
            at: Int.random(in: 0..<4, using: &random))
    }
}

struct `An activity after an erasure` {
    private static let names = [
        "Zoe", "Ada", "Ada Lovelace", "Ada!", "ada", "erased-by Ada", "erased-1", "erased-30",
        "Émile", "O'Neil", #"Wanja \"W\""#, "阿达",
    ]

    /// Erased in the middle of it, and once more in the end.
    private func story(_ names: [String], seed: UInt64) throws -> Activity {
        var random = SeededGenerator(seed: seed)
        var activity = Activity()
        for _ in 0..<8 { try activity.reportAnything(about: names, &random) }
        try activity.erase()
        for _ in 0..<8 { try activity.reportAnything(about: names, &random) }
        try activity.erase()
        return activity
    }

    /// Reports of one moment are settled by their bytes, so the marks must have the same order.
    @Test func `has the decisions that its log gives, whatever people are called`() throws {
        for seed in UInt64(0)..<300 {
            let activity = try story(Self.names, seed: seed)
            let made = try activity.madeAgain()
            #expect(made.decisions == activity.decisions, "seed \(seed)")
            #expect(made.snapshot?.state == activity.snapshot?.state, "seed \(seed)")
            #expect(made.snapshot?.dispatch == activity.snapshot?.dispatch, "seed \(seed)")
            let text = activity.data.joined()
            #expect(!Self.names.contains { $0.first != "e" && text.contains($0) }, "\(text)")
        }
    }

    /// As `replay verify --decisions` compares them.
    @Test func `has no decision that a verification takes for altered`() throws {
        let names = Self.names + ["Your driver", "Ren\u{E9}", "Rene\u{301}"]
        for seed in UInt64(0)..<300 {
            let activity = try story(names, seed: seed)
            let made = try activity.madeAgain()
            var isOfOtherRules = false
            for (kept, again) in zip(activity.decisions, made.decisions) {
                isOfOtherRules = isOfOtherRules || kept.rulesVersion != again.rulesVersion
                #expect(kept.contentState == again.contentState, "seed \(seed)")
                #expect(kept == again || isOfOtherRules, "seed \(seed), \(kept.version)")
            }
        }
    }

    @Test func `has marks in the order of the values, of one length`() throws {
        var activity = Activity()
        let names = ["Zoe", "Ada", "Mia", "Zoe", "Bo", "Cy", "Di", "Ed", "Flo", "Gil", "Hal"]
        for (second, name) in names.enumerated() {
            try activity.report(
                "PizzaDelivery.DriverAssigned", #"{"driverName":"\#(name)"}"#, at: second)
        }
        let changes = try activity.erase()
        #expect(changes.valueCount == 11 && changes.eventCount == 11)
        #expect(activity.data[0] == #"{"driverName":"erased-10"}"#)
        #expect(activity.data[1] == #"{"driverName":"erased-01"}"#)
        #expect(activity.data[3] == activity.data[0])
        #expect(try activity.erase().events.isEmpty)
        // It comes before all marks, as it came before all that begins with an e.
        try activity.report("PizzaDelivery.DriverAssigned", #"{"driverName":"Ada"}"#, at: 12)
        let second = try activity.erase()
        #expect(second.valueCount == 1 && second.eventCount == 1 && second.events.count == 12)
        #expect(activity.data[11] == #"{"driverName":"erased-01"}"#)
        #expect(activity.data[1] == #"{"driverName":"erased-02"}"#)
    }

    @Test func `tells names apart that look alike, and says that a decision is not made again`()
        throws
    {
        var activity = Activity()
        for (second, name) in ["Ren\u{E9}", "Rene\u{301}"].enumerated() {
            try activity.report(
                "PizzaDelivery.DriverAssigned", #"{"driverName":"\#(name)"}"#, at: second)
        }
        let before = activity.decisions
        try activity.erase()
        // `Rene` sorts before what begins with the single scalar.
        #expect(
            activity.data == [#"{"driverName":"erased-2"}"#, #"{"driverName":"erased-1"}"#])
        #expect(activity.decisions.map(\.verdict) == before.map(\.verdict))
        #expect(activity.decisions.map(\.rule) == before.map(\.rule))
        #expect(activity.decisions.map(\.rulesVersion) == [DispatchMachine.rulesVersion, 0])
    }

    @Test func `takes what is said of an adventure`() throws {
        var quest = Activity()
        try quest.report(
            "Adventure.AdventureBegun", #"{"heroName":"Ada","healthPercent":80}"#, at: 1)
        try quest.report(
            "Adventure.HeroDamaged", #"{"healthPercent":10,"description":"Ada fell"}"#, at: 2)
        try quest.report("Adventure.HeroFallen", #"{"description":"Ada is gone"}"#, at: 3)
        let changes = try quest.erase()
        #expect(changes.valueCount == 3)
        #expect(quest.data.allSatisfy { !$0.contains("Ada") })
        #expect(!"\(quest.decisions)".contains("Ada"))
        #expect(try quest.madeAgain().decisions == quest.decisions)
    }

    /// As a rebuild does that has read the events before the erasure.
    @Test func `loses what was brought back when it is erased again`() throws {
        var quest = Activity()
        try quest.report(
            "Adventure.AdventureBegun", #"{"heroName":"Ada","healthPercent":80}"#, at: 1)
        let told = quest.snapshot
        try quest.erase()
        let erased = quest.snapshot
        #expect(try quest.erase().isEmpty)
        quest.snapshot = told
        let changes = try quest.erase()
        #expect(changes.events.isEmpty && changes.decisions.isEmpty && !changes.isEmpty)
        #expect(changes.formerWords == ["ada"])
        #expect(quest.snapshot?.state == erased?.state)
        #expect(quest.snapshot?.contentState == erased?.contentState)
        #expect(quest.snapshot?.facts == erased?.facts)
        #expect(try quest.erase().isEmpty)
        // Another fold may give another state.
        quest.snapshot = told
        quest.snapshot?.foldVersion -= 1
        #expect(try quest.erase().isEmpty)
    }

    /// Else a card that did not change when they were reported would change with the mark.
    @Test func `keeps what cards say where nobody is named`() throws {
        var order = Activity()
        for (second, name) in ["Your driver", "Ada"].enumerated() {
            try order.report(
                "PizzaDelivery.DriverAssigned", #"{"driverName":"\#(name)"}"#, at: second)
        }
        try order.erase()
        #expect(
            order.data == [#"{"driverName":"Your driver"}"#, #"{"driverName":"erased-1"}"#])
        #expect(try order.madeAgain().decisions == order.decisions)

        var quest = Activity()
        try quest.report("Adventure.HeroDamaged", #"{"healthPercent":50}"#, at: 2)
        for (second, name) in [(1, "Your hero"), (3, "Ada")] {
            try quest.report(
                "Adventure.AdventureBegun", #"{"heroName":"\#(name)","healthPercent":80}"#,
                at: second)
        }
        try quest.erase()
        #expect(quest.data[1].contains("Your hero") && quest.data[2].contains("erased-1"))
        #expect(try quest.madeAgain().decisions == quest.decisions)
    }
}
