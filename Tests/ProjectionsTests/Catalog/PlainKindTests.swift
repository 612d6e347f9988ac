import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// A kind that says no more than it must.
private enum KettleKind: ActivityKind {
    struct Attributes: CardAttributes {
        static let kind = "Kettle"

        struct ContentState: Codable, Hashable, Sendable {
            var isHot: Bool
            var degrees: Int
        }

        var activityID: String?
        var colour = "red"
    }

    struct State: FoldedState {
        var degrees: Latest<Int>?
        var isHot = false
    }

    static let schemas: [EventSchema<StateChange<State>>] = [
        .init("Kettle.Warmed", "The water is warmer.") { data in
            let degrees = try data.integer("degrees", in: 0...100)
            return StateChange { $0.degrees.offer(degrees, at: $1) }
        },
        .init("Kettle.Boiled", "The water boils.") { _ in
            StateChange { state, _ in state.isHot = true }
        },
    ]

    static func phase(of state: State) -> Phase {
        state.isHot ? .ended : state.degrees == nil ? .scheduled : .live
    }

    static func attributes(of state: State) -> Attributes { Attributes() }

    static func contentState(of state: State) -> Attributes.ContentState {
        Attributes.ContentState(isHot: state.isHot, degrees: state.degrees?.value ?? 0)
    }
}

/// A kind whose second line ends in a countdown.
private enum ParkingKind: ActivityKind {
    struct Attributes: CardAttributes {
        static let kind = "Parking"

        struct ContentState: Codable, Hashable, Sendable {}

        var activityID: String?
    }

    struct State: FoldedState {}

    static let schemas: [EventSchema<StateChange<State>>] = [
        .init("Parking.Paid", "Somebody paid.") { _ in StateChange { _, _ in } }
    ]

    static func phase(of state: State) -> Phase { .live }

    static func attributes(of state: State) -> Attributes { Attributes() }

    static func contentState(of state: State) -> Attributes.ContentState {
        Attributes.ContentState()
    }

    static func presentation(
        attributes: Attributes, contentState: Attributes.ContentState
    ) -> Presentation {
        let clock = Presentation.Clock.countdown(to: Moment(unixSeconds: 1_800_003_600))
        return Presentation(
            title: "Zone 9", short: "Zone", status: .init("Paid until", clock: clock))
    }
}

/// A kind that says a little more: an alert of its own, when it ends and how, texts with places.
private enum BathKind: ActivityKind {
    struct Attributes: CardAttributes {
        static let kind = "Bath"

        struct ContentState: Codable, Hashable, Sendable {
            var warnings: Int
            var isOver: Bool
        }

        var activityID: String?
        var hours = 2
        var name = "Pool 1"
    }

    struct State: FoldedState {
        var closesAt: Latest<Moment>?
        var warnings: Latest<Int>?
        var leftAt: Moment?
    }

    static let schemas: [EventSchema<StateChange<State>>] = [
        .init("Bath.Opened", "It is open, and until when.") { data in
            let closesAt = try data.moment("closesAt")
            return StateChange { $0.closesAt.offer(closesAt, at: $1) }
        },
        .init("Bath.Closing", "It closes soon.") { data in
            let warnings = try data.integer("warnings", in: 1...9)
            return StateChange { $0.warnings.offer(warnings, at: $1) }
        },
        .init("Bath.Left", "The guest has left.") { _ in StateChange { $0.leftAt.offer($1) } },
    ]

    static let closing = Rule("closing", .alert, "It closes soon.")
    static let warningsMax = Threshold("warningsCount", 2, in: 0...9, "More disturb nobody.")
    static let stays = Threshold.dismissal("staysSeconds", 60, "How long its card stays.")
    static let rules: [Rule] = [.ended, closing, .first, .progress]
    static let thresholds: [Threshold] = [.staleAfter, warningsMax, stays]
    static let texts: Phrasebook.Texts = [
        .standard: [
            "start.title": "{name}",
            "start.body": .plural(
                by: "hours", [.one: "Open for {hours} hour.", .other: "Open for {hours} hours."]),
            "closing.title": "Hurry", "closing.body": "{name} closes soon.",
            "ended.title": "Good bye", "ended.body": "See you at {name}.",
        ]
    ]

    static func phase(of state: State) -> Phase {
        state.leftAt != nil ? .ended : state.closesAt == nil ? .scheduled : .live
    }

    static func plannedEnd(of state: State) -> Moment? { state.closesAt?.value }

    static func ending(of change: Change<BathKind>) -> Ending? {
        change.after.leftAt.map { _ in change.ending(staying: stays) }
    }

    static func rule(before: State, after: State, under policy: Policy) -> Rule? {
        guard let warnings = after.warnings?.value, warnings != before.warnings?.value else {
            return nil
        }
        return Double(warnings) > policy[warningsMax] ? nil : closing
    }

    static func assess(_ change: Change<BathKind>) -> Assessment {
        var assessment = change.plainAssessment
        if change.after.closesAt != change.before.closesAt { assessment.reason += " It is open." }
        return assessment
    }

    static func attributes(of state: State) -> Attributes { Attributes() }

    static func contentState(of state: State) -> Attributes.ContentState {
        Attributes.ContentState(
            warnings: state.warnings?.value ?? 0, isOver: state.leftAt != nil)
    }

    static func status(of shown: Attributes.ContentState) -> Presentation.Line? {
        Presentation.Line("Warned \(shown.warnings) times")
    }
}

struct `A kind that says no more than it must` {
    private let catalog = ActivityCatalog(
        kinds: [KettleKind.self, ParkingKind.self, BathKind.self])

    private func changes(_ events: [(type: String, data: String)]) throws -> [FoldedChange] {
        var snapshot: Snapshot?
        return try events.enumerated().map { place, event in
            let time = Moment(unixSeconds: 1_800_000_000 + Int64(place) * 60)
            let recorded = RecordedEvent(
                tenant: TenantID(rawValue: 1), position: Int64(place + 1),
                version: Int64(place + 1), recordedAt: time,
                event: NewEvent(
                    id: "\(place)", source: "/kitchen", type: event.type,
                    activityID: ActivityID(rawValue: "k"), occurredAt: time,
                    data: Data(event.data.utf8)))
            let change = try catalog.fold(recorded, into: snapshot)
            snapshot = change.snapshot
            return change
        }
    }

    @Test func `alerts of its end and shows all else in silence`() throws {
        let changes = try changes([
            ("Kettle.Warmed", #"{"degrees":20}"#), ("Kettle.Warmed", #"{"degrees":90}"#),
            ("Kettle.Boiled", "{}"),
        ])
        #expect(changes.map(\.assessment.rule) == ["first", "progress", "ended"])
        #expect(changes.map(\.assessment.significance) == [.timely, .ambient, .alert])
        #expect(changes.map(\.snapshot.phase) == [.live, .live, .ended])
        let recorded = changes[1].snapshot.updatedAt
        #expect(changes[1].assessment.staleAt == recorded.adding(seconds: 3600))
        #expect(changes[2].assessment.ending?.dismissAfterSeconds == 900)
        #expect(changes[2].alert?.title == "colour red")
    }

    @Test func `is called as its attributes say, and shows their members`() throws {
        #expect(KettleKind.name == "Kettle" && KettleKind.attributesType == "KettleAttributes")
        let change = try #require(try changes([("Kettle.Warmed", #"{"degrees":20}"#)]).first)
        let shown = try catalog.presentation(of: change.snapshot)
        #expect(shown.lockScreen.map(\.text) == ["colour red", "isHot false", "degrees 20"])
        #expect(shown.compactLeading.text == "Kettle" && shown.minimal.text == "isHot false")
    }

    @Test func `says what the Lock Screen does when its card appears by itself`() throws {
        let change = try #require(try changes([("Kettle.Warmed", #"{"degrees":20}"#)]).first)
        let alert = try catalog.startAlert(of: change.snapshot, under: .builtIn)
        #expect(alert.title == "colour red" && alert.body == "isHot false")
    }

    @Test func `says its name where the Lock Screen has but a countdown to say`() throws {
        let change = try #require(try changes([("Parking.Paid", "{}")]).first)
        let alert = try catalog.startAlert(of: change.snapshot, under: .builtIn)
        #expect(alert.title == "Zone 9" && alert.body == "Parking")
    }

    @Test func `may have a rule, a planned end and an ending of its own`() throws {
        let changes = try changes([
            ("Bath.Opened", #"{"closesAt":"2027-01-15T12:00:00Z"}"#),
            ("Bath.Closing", #"{"warnings":1}"#), ("Bath.Closing", #"{"warnings":3}"#),
            ("Bath.Left", "{}"),
        ])
        #expect(changes.map(\.assessment.rule) == ["first", "closing", "progress", "ended"])
        #expect(changes[0].assessment.reason == "The activity appears. It is open.")
        let closesAt = Moment(unixSeconds: 1_800_014_400)
        #expect(changes[0].assessment.staleAt == closesAt.adding(seconds: 3600))
        #expect(changes[1].alert?.body == "Pool 1 closes soon.")
        #expect(changes[1].assessment.alertContext.subject == "closing")
        #expect(changes[3].alert?.body == "See you at Pool 1.")
        #expect(changes[3].assessment.alertContext.withdrawnSubjects == ["closing"])
        #expect(changes[3].assessment.ending?.dismissAfterSeconds == 60)
        #expect(changes[3].assessment.isCritical)
    }

    @Test func `fills its texts with its attributes, and may say in a line how it stands`() throws {
        let changes = try changes([("Bath.Opened", #"{"closesAt":"2027-01-15T12:00:00Z"}"#)])
        let change = try #require(changes.first)
        let alert = try catalog.startAlert(of: change.snapshot, under: .builtIn)
        #expect(alert.title == "Pool 1" && alert.body == "Open for 2 hours.")
        let shown = try catalog.presentation(of: change.snapshot)
        #expect(shown.lockScreen.map(\.text) == ["Pool 1", "Warned 0 times"])
        #expect(shown.compactLeading.text == "Bath")
    }

    @Test func `is called on a card that a push has started as on any other`() throws {
        let change = try #require(try changes([("Kettle.Warmed", #"{"degrees":20}"#)]).first)
        let usual = try catalog.presentation(of: change.snapshot)
        let card = try catalog.presentation(
            kind: "Kettle", attributes: Data(#"{"activityID":"k","colour":"red"}"#.utf8),
            contentState: change.snapshot.contentState)
        #expect(card == usual)
        let bath = try catalog.presentation(
            kind: "Bath", attributes: Data(#"{"activityID":"b","hours":2,"name":"Pool 1"}"#.utf8),
            contentState: Data(#"{"isOver":false,"warnings":0}"#.utf8))
        #expect(bath.lockScreen.first?.text == "Pool 1")
    }
}
