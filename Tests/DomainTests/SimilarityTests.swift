import Domain
import TestSupport
import Testing

struct `How alike two words are` {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2),
        ("pizza", "pizza", 0), ("pizza", "Pizza", 1), ("é", "e\u{301}", 2), ("🍕", "🍔", 1),
    ])
    func `is how many letters differ`(left: String, right: String, distance: Int) {
        #expect(Similarity.distance(left, right) == distance)
        #expect(Similarity.distance(right, left) == distance)
    }

    @Test func `is a distance: nothing is nearer by a detour`() {
        var random = RandomData(seed: 35)
        let words = (0..<40).map { _ in
            (0..<random.below(7)).map { _ in random.pick(["a", "b", "c"]) }.joined()
        }
        for a in words {
            for b in words {
                let direct = Similarity.distance(a, b)
                #expect((direct == 0) == (a == b))
                #expect(direct >= abs(a.count - b.count) && direct <= max(a.count, b.count))
                for c in words {
                    #expect(
                        direct <= Similarity.distance(a, c) + Similarity.distance(c, b))
                }
            }
        }
    }

    private let types = [
        "Match.GoalScored", "Match.GoalCancelled", "Match.Ended", "PizzaDelivery.OrderPlaced",
    ]

    @Test func `finds what was probably meant, nearest first`() {
        #expect(Similarity.nearest(to: "Match.GoalScord", among: types).first == "Match.GoalScored")
        #expect(
            Similarity.nearest(to: "pizzadelivery.orderplaced", among: types)
                == ["PizzaDelivery.OrderPlaced"])
        #expect(Similarity.nearest(to: "Unheard.OfThing", among: types).isEmpty)
        #expect(Similarity.nearest(to: "x", among: []).isEmpty)
    }

    @Test func `names three at most, and of equally near ones the first by name`() {
        let names = ["goad", "gold", "goat", "goal", "coal"]
        #expect(Similarity.nearest(to: "goap", among: names) == ["goad", "goal", "goat"])
        #expect(Similarity.nearest(to: "goal", among: names).first == "goal")
    }

    @Test func `finds nothing where more than half would have to change`() {
        #expect(Similarity.nearest(to: "abcd", among: ["abxy"]) == ["abxy"])
        #expect(Similarity.nearest(to: "abcd", among: ["axyz"]).isEmpty)
        #expect(Similarity.nearest(to: "", among: ["a"]).isEmpty)
        #expect(Similarity.nearest(to: "", among: [""]) == [""])
    }
}

@Test(
    arguments: [
        (0, "1 second"), (1.99, "1 second"), (-5, "1 second"), (2, "2 seconds"),
        (119.9, "119 seconds"), (120, "2 minutes"), (7199, "119 minutes"), (7200, "2 hours"),
        (28_800, "8 hours"), (1_000_000, "277 hours"),
    ] as [(Double, String)])
func `a length of time is in the unit that a person would name`(seconds: Double, words: String) {
    #expect(Moment.words(forSeconds: seconds) == words)
}
