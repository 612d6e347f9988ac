import Domain
import JSON
import Terminal
import Testing

@testable import Demo
@testable import Projections
@testable import Simulator

/// A Lock Screen, and of the rest nothing.
private func presentation(_ lines: [Presentation.Line]) -> Presentation {
    let none = Presentation.Line("")
    return Presentation(
        lockScreen: lines, compactLeading: none, compactTrailing: none, minimal: none,
        expanded: Presentation.Expanded(
            leading: none, trailing: none, center: none, bottom: none))
}

struct `The cast of a demo` {
    private func card(_ kind: String, _ lines: [String]?) -> PhoneView.Activity {
        PhoneView.Activity(
            activity: ActivityID(rawValue: "a"), kind: kind, phase: .ended,
            shows: lines.map { presentation($0.map { Presentation.Line($0) }) }, alerts: 0,
            startedAt: Moment(unixSeconds: 0), attributes: .null, contentState: .null)
    }

    @Test func `says of a match how it ended, and nothing of other cards`() {
        let lines = ["Argentina 3–3 France", "Full time", "4–2 on penalties", "World Cup 2022"]
        #expect(
            DemoCast.result(of: card("Match", lines)) == "Argentina 3–3 France, 4–2 on penalties")
        #expect(DemoCast.result(of: card("PizzaDelivery", ["Order 1001"])) == nil)
        #expect(DemoCast.result(of: card("Match", nil)) == nil)
    }

    @Test func `turns up in the story: each cue comes, on a phone that shows the card`() throws {
        var played: Set<DemoCast.Cue> = []
        for name in DemoCast.Kind.allCases.flatMap(\.fixtures) {
            let reports = Fixture.sideBySide(
                [try Fixture.load(name)], begin: Moment(unixSeconds: 0), speed: 1)
            played.formUnion(
                reports.map { DemoCast.Cue(activity: $0.activity, type: $0.type) })
            let isBegun = reports.contains { DemoCast.beginnings.contains($0.type) }
            #expect(isBegun, "no card of \(name) would start")
        }
        for (cue, turn) in DemoCast.incidents {
            #expect(played.contains(cue), "\(cue)")
            #expect(DemoCast.followers(of: cue.activity).contains(turn.phone), "\(cue)")
        }
        #expect(DemoCast.beginnings.count == ActivityCatalog.standard.kinds.count)
        #expect(DemoCast.Incident.rotates.description == "given another push token")
        #expect(DemoCast.Incident.dismisses.description == "swiped away")
    }

    @Test func `has no two people with one installation, and one phone without channels`() {
        let names = DemoCast.phones + DemoFans.names
        #expect(Set(names.map(DemoFans.installation)).count == names.count)
        let old = names.filter { DemoFans.system(of: $0) < .withChannels }
        #expect(old == ["Phone B"])
        #expect(DemoFans.system(of: "Phone B") >= .withStartTokens)
    }

    @Test func `is chosen by the options, of which each kind is one`() throws {
        let command = Command(
            path: ["demo"], summary: "Play.", options: Demo.options, examples: []
        ) { _ async throws(CommandFailure) in }
        let usual = try Arguments([], for: command, environment: [:])
        #expect(usual.speed("speed") == 60)
        #expect(usual.integer("port") == 8080)
        for kind in DemoCast.Kind.allCases {
            let chosen = try Arguments(["--kind", kind.rawValue], for: command, environment: [:])
            #expect(chosen.texts("kind").compactMap(DemoCast.Kind.init) == [kind])
        }
        #expect(throws: CommandFailure.self) {
            try Arguments(["--kind", "chess"], for: command, environment: [:])
        }
    }
}

struct `The screen of a demo` {
    private let begin = Moment(unixSeconds: 1_000)

    @Test func `has a card in one line, without what says nothing`() {
        let shown = presentation([.init("Order 1001"), .init(""), .init("On its way")])
        let line = DemoScreen().card(shown, of: ActivityID(rawValue: "order-1001"))
        #expect(line == "Order 1001 · On its way")
    }

    /// A story that stands still begins and stays; today is decades later.
    @Test func `reads clocks by the story's time, and those of what is played by today's`() {
        let screen = DemoScreen()
        let shown = presentation([
            .init("Ready in", clock: .countdown(to: begin.adding(seconds: 30))),
            .init("", clock: .countUp(from: begin.adding(seconds: -3_665))),
        ])
        screen.beginStory(at: begin, speed: 0, played: ["final"])
        #expect(
            screen.card(shown, of: ActivityID(rawValue: "order-1")) == "Ready in 0:30 · 1:01:05")
        let played = screen.card(shown, of: ActivityID(rawValue: "final"))
        #expect(played.hasPrefix("Ready in 0:00 · "))
        #expect(played != "Ready in 0:00 · 1:01:05")
        #expect(
            DemoScreen().card(shown, of: ActivityID(rawValue: "order-1"))
                .hasPrefix("Ready in 0:00 · "))
    }
}
