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

    static let schemas: [EventSchema<Report<State>>] = [
        .init("Kettle.Warmed", "The water is warmer.") { data in
            let degrees = try data.integer("degrees", in: 0...100)
            return Report { $0.degrees.offer(degrees, at: $1) }
        },
        .init("Kettle.Boiled", "The water boils.") { _ in Report { state, _ in state.isHot = true }
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

    static let schemas: [EventSchema<Report<State>>] = [
        .init("Parking.Paid", "Somebody paid.") { _ in Report { _, _ in } }
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

struct `A kind that says no more than it must` {
    private let catalog = ActivityCatalog(kinds: [KettleKind.self, ParkingKind.self])

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
}
