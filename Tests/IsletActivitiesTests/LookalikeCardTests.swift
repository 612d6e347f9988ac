import Foundation
import IsletActivities
import Testing

/// Swift's `==` takes these for one text, and Postgres and the phone's bytes for two. A state that
/// compared as Swift does would not be sent when only they differ.
private let one = "caf\u{E9}"
private let other = "cafe\u{301}"

struct `Cards whose texts look alike` {
    private func expectApart<Value: Hashable>(
        _ location: SourceLocation = #_sourceLocation, _ make: (String) -> Value
    ) {
        #expect(make(one) != make(other), sourceLocation: location)
        #expect(make(one) == make(one), sourceLocation: location)
        #expect(
            Set([make(one), make(other), make(one)]).count == 2, sourceLocation: location)
    }

    @Test func `are two states, whichever text it is`() {
        let now = Date(timeIntervalSinceReferenceDate: 0)
        expectApart {
            PizzaDeliveryAttributes.ContentState(driverName: $0, deliveryTimer: now...now)
        }
        expectApart {
            PizzaDeliveryAttributes.ContentState(
                driverName: "", deliveryTimer: now...now, note: $0)
        }
        expectApart {
            MatchAttributes.ContentState(
                homeScore: 0, awayScore: 0, status: .playing, lastEvent: $0)
        }
        expectApart {
            CoffeeDeliveryAttributes.ContentState(currentStatus: .received, note: $0)
        }
        expectApart { OrderAttributes.ContentState(fare: $0) }
        expectApart { OrderAttributes.ContentState(note: $0) }
        expectApart {
            AdventureAttributes.ContentState(currentHealthLevel: 1, eventDescription: $0)
        }
    }

    @Test func `are two sets of attributes, whichever text it is`() {
        expectApart {
            PizzaDeliveryAttributes(numberOfPizzas: 1, totalAmount: $0, orderNumber: "")
        }
        expectApart {
            PizzaDeliveryAttributes(numberOfPizzas: 1, totalAmount: "", orderNumber: $0)
        }
        expectApart {
            MatchAttributes(sport: $0, competition: "", homeTeam: "", awayTeam: "")
        }
        expectApart {
            MatchAttributes(sport: "", competition: $0, homeTeam: "", awayTeam: "")
        }
        expectApart {
            MatchAttributes(sport: "", competition: "", homeTeam: $0, awayTeam: "")
        }
        expectApart {
            MatchAttributes(sport: "", competition: "", homeTeam: "", awayTeam: $0)
        }
        expectApart { CoffeeDeliveryAttributes(coffeeName: $0) }
        expectApart { OrderAttributes(orderNumber: 1, bikeName: $0) }
        expectApart { text in
            var attributes = OrderAttributes(orderNumber: 1)
            attributes.activityID = text
            return attributes
        }
        expectApart {
            AdventureAttributes.Hero(
                name: $0, avatar: "", healthLevel: 1, heroType: "", level: 1, bio: "")
        }
    }
}

struct `A text that is compared by its bytes` {
    @Test func `is another one than no text, and than its parts put together otherwise`() {
        func hash(_ texts: String?...) -> Int {
            var hasher = Hasher()
            for text in texts { text.hashBytes(into: &hasher) }
            return hasher.finalize()
        }
        let (none, empty): (ByBytes<String?>, ByBytes<String?>) = (.init(nil), .init(""))
        #expect(!(none == empty))
        #expect(hash(nil) != hash(""))
        #expect(hash("ab", "c") != hash("a", "bc"))
        #expect(hash("a", nil) != hash(nil, "a"))
        #expect(hash("a", "b") == hash("a", "b"))
    }

    @Test func `is found among others only with all its bytes`() {
        #expect(["a", one].containsBytes(of: one))
        #expect(!["a", one].containsBytes(of: other))
        #expect(!["a"].containsBytes(of: ""))
    }

    @Test func `may be a key, whose order is that of its bytes`() {
        let texts = ["z", "\u{E9}", "e\u{301}", "", "Z", "🍕", "\u{FFFD}", "za"]
        let sorted = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let keys = texts.map { ByteKey($0) }.sorted()
        #expect(keys.map { Array($0.description.utf8) } == sorted.map { Array($0.utf8) })
        #expect([ByteKey(one): 1, ByteKey(other): 2].count == 2)
    }
}
