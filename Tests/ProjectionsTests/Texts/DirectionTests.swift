import Domain
import Foundation
import Testing

@testable import Projections

private let hebrew = "\u{5D4}\u{5E4}\u{5D5}"
private let kept = "\u{2068}\(hebrew)\u{2069}"
/// As event data have it.
private let turning = #"\u202E"#

/// A name keeps its direction from the text around it.
struct DirectionTests {
    @Test(arguments: [
        ("Ada", "Ada"), ("José – 2€", "José – 2€"), (hebrew, kept), (kept, kept),
        (": \(kept)", ": \(kept)"),
        // The mark that counts as a letter from right to left.
        ("\u{200F}12 €", "\u{2068}\u{200F}12 €\u{2069}"),
        // Marks in pairs stay.
        ("a\u{202E}b\u{202C}", "\u{2068}a\u{202E}b\u{202C}\u{2069}"),
        ("\u{2066}a\u{202E}b\u{202C}\u{2069}", "\u{2066}a\u{202E}b\u{202C}\u{2069}"),
        // Others do not.
        ("Re\u{202E}ds", "Reds"), ("\u{2068}Reds", "Reds"), ("Reds\u{2069}", "Reds"),
        ("\u{2068}\(hebrew)", kept), ("\(hebrew)\u{2069}\u{202E}", kept),
        ("\u{2067}a\u{202C}b\u{2069}", "ab"), ("\u{202A}a\u{2069}b\u{202C}", "ab"),
    ])
    func `a name is isolated if it may turn something round`(name: String, shown: String) {
        #expect(name.isolated == shown)
    }

    @Test func `no marks in a name reach out of it`() {
        let pieces = ["a", "\u{5D0}", "\u{202B}", "\u{202E}", "\u{202C}", "\u{2068}", "\u{2069}"]
        var names = [""]
        for _ in 0..<4 { names += names.flatMap { name in pieces.map { name + $0 } } }
        for name in Set(names) {
            let shown = name.isolated
            #expect(Self.isContained(shown), "\(name.unicodeScalars.map(\.value))")
            #expect(shown.isolated == shown)
            #expect(Self.letters(shown) == Self.letters(name))
        }
    }

    private static func letters(_ text: String) -> [UInt32] {
        text.unicodeScalars.map(\.value).filter { $0 < 0x2000 }
    }

    /// All that turns text round stands in isolates that end with it.
    private static func isContained(_ text: String) -> Bool {
        var open: [Character] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{2068}": open.append("i")
            case "\u{202B}", "\u{202E}":
                guard open.contains("i") else { return false }
                open.append("e")
            case "\u{2069}": guard open.popLast() == "i" else { return false }
            case "\u{202C}": guard open.popLast() == "e" else { return false }
            case "\u{5D0}": guard open.contains("i") else { return false }
            default: break
            }
        }
        return open.isEmpty
    }

    private func presentation(_ story: Story) throws -> Presentation {
        try ActivityCatalog.tested.presentation(of: try #require(story.snapshot))
    }

    @Test func `a match's names turn no score and no minute round`() throws {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"Re\(turning)ds","awayTeam":"\(hebrew)",
            "sport":"football","kickoff":"\(Story.time(0))"}
            """)
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        try story.tell(
            "Match.GoalScored", at: 12,
            #"{"goalID":"g1","team":"home","player":"\#(hebrew)","minute":12}"#)
        #expect(story.alert?.title == "Goal! Reds 1–0 \(kept)")
        let shown = try presentation(story)
        #expect(shown.lockScreen[0].text == "Reds 1–0 \(kept)")
        let line = "Goal: \u{2068}\(hebrew) 12'\u{2069}"
        #expect(shown.lockScreen.last?.text == line && shown.expanded.bottom.text == line)
        #expect(shown.compactTrailing.text == "0 \(kept)")
        try story.tell(
            "Match.GoalScored", at: 20,
            #"{"goalID":"g2","team":"home","player":"A\#(turning)da","minute":20}"#)
        #expect(story.alert?.body == "Ada 20'")
    }

    @Test func `the names of orders, rides and heroes stay in their places`() throws {
        var story = Story()
        try story.tell(
            "PizzaDelivery.OrderPlaced", at: 0,
            """
            {"orderNumber":"\(hebrew)","numberOfPizzas":2,"totalAmount":"€24.00",
            "promisedAt":"\(Story.time(40))"}
            """)
        try story.tell(
            "PizzaDelivery.DriverAssigned", at: 1, #"{"driverName":"\#(hebrew)"}"#)
        try story.tell("PizzaDelivery.OrderPickedUp", at: 2)
        let order = try presentation(story).lockScreen.map(\.text)
        #expect(order[0] == "Order \(kept): 2 pizzas, €24.00")
        #expect(order[1] == "\(kept) is on the way")
        story = Story()
        try story.tell(
            "BikeRide.BikeOrdered", at: 0, #"{"orderNumber":7,"bikeName":"\#(hebrew)"}"#)
        #expect(try presentation(story).lockScreen[0].text == "\(kept), order 7")
        story = Story()
        try story.tell(
            "Adventure.AdventureBegun", at: 0,
            """
            {"heroName":"\(hebrew)","healthPercent":80,"avatar":"🐼",
            "heroType":"\(hebrew)","level":3}
            """)
        let quest = try presentation(story)
        #expect(quest.lockScreen[0].text == "🐼 \(kept)")
        #expect(quest.expanded.center.text == "\(kept), level 3")
    }
}
