import Foundation
import IsletActivities
import Testing

struct `The words of a card` {
    @Test func `of a pizza come in the order in which an order goes`() {
        let stages = PizzaDelivery.Stage.allCases
        #expect(stages.reversed().sorted() == stages)
        for (earlier, later) in zip(stages, stages.dropFirst()) {
            #expect(earlier < later)
            #expect(!(later < earlier) && !(earlier < earlier))
        }
        #expect(stages.filter(\.isEnding) == [.cancelled, .failed, .delivered])
        // So that the greatest of several endings is the one that stands.
        #expect(stages.drop { !$0.isEnding }.allSatisfy { $0.isEnding })
    }

    @Test func `of a coffee come in their order, the harder ending last`() {
        #expect(
            CoffeeDelivery.Status.allCases.sorted() == [.received, .preparing, .outForDelivery])
        #expect(CoffeeDelivery.Outcome.cancelled < .delivered)
        #expect(!(CoffeeDelivery.Outcome.delivered < .cancelled))
        #expect(!(CoffeeDelivery.Outcome.delivered < .delivered))
        #expect(Adventure.Outcome.fallen < .victorious)
        #expect(!(Adventure.Outcome.victorious < .fallen))
    }

    @Test(
        arguments: [
            (.received, #"{"recieved":{}}"#), (.preparing, #"{"preparing":{}}"#),
            (.outForDelivery, #"{"outForDelivery":{}}"#),
        ] as [(CoffeeDelivery.Status, String)])
    func `of a coffee are objects named for the step`(
        status: CoffeeDelivery.Status, json: String
    ) throws {
        #expect(String(decoding: try JSONEncoder().encode(status), as: UTF8.self) == json)
        let read = try JSONDecoder().decode(CoffeeDelivery.Status.self, from: Data(json.utf8))
        #expect(read == status)
    }

    @Test(arguments: [#"{"received":{}}"#, #""recieved""#, "{}", #"{"delivered":{}}"#])
    func `of a coffee that the first app does not know are refused`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CoffeeDelivery.Status.self, from: Data(json.utf8))
        }
    }
}

struct `A period of a match` {
    @Test func `comes in the order of play`() {
        let periods = Match.Period.allCases
        #expect(periods.reversed().sorted() == periods)
        for (earlier, later) in zip(periods, periods.dropFirst()) { #expect(earlier < later) }
        #expect(Match.Period.secondHalf < .extraTimeFirstHalf)
        #expect(Match.Period.extraTimeSecondHalf < .shootout)
    }

    @Test func `is extra only if a level match needs it`() {
        #expect(
            Match.Period.allCases.filter(\.isExtra)
                == [.extraTimeFirstHalf, .extraTimeSecondHalf, .overtime])
    }

    @Test func `begins where football's clock goes on, and any other at zero`() {
        let football: [Match.Period: Int] = [
            .firstHalf: 0, .secondHalf: 45, .extraTimeFirstHalf: 90, .extraTimeSecondHalf: 105,
        ]
        for period in Match.Period.allCases {
            #expect(period.clockSecondsAtStart == (football[period] ?? 0) * 60)
        }
    }

    @Test(
        arguments: [
            (-1, nil), (0, nil), (1, nil), (45, nil), (46, .secondHalf), (90, .secondHalf),
            (91, .extraTimeFirstHalf), (105, .extraTimeFirstHalf), (106, .extraTimeSecondHalf),
            (120, .extraTimeSecondHalf), (500, .extraTimeSecondHalf),
        ] as [(Int, Match.Period?)])
    func `has begun by a minute that only it has`(minute: Int, period: Match.Period?) {
        #expect(Match.Period.begun(byMinute: minute) == period)
    }

    /// Its clock begins before the first minute that says so.
    @Test func `has not begun by the minute at which its clock starts`() {
        for period in [Match.Period.secondHalf, .extraTimeFirstHalf, .extraTimeSecondHalf] {
            let minute = period.clockSecondsAtStart / 60
            #expect(Match.Period.begun(byMinute: minute) != period)
            #expect(Match.Period.begun(byMinute: minute + 1) == period)
        }
    }

    @Test func `has a title, and one for the break after it`() {
        let titles = Match.Period.allCases.map { "\($0.title) | \($0.intervalTitle)" }
        #expect(
            titles == [
                "First half | Half-time", "Second half | End of normal time",
                "First quarter | End of first quarter", "Second quarter | End of second quarter",
                "Third quarter | End of third quarter", "Fourth quarter | End of fourth quarter",
                "First period | End of first period", "Second period | End of second period",
                "Third period | End of third period",
                "Extra time, first half | Half-time of extra time",
                "Extra time, second half | End of extra time", "Overtime | End of overtime",
                "Shoot-out | End of shoot-out",
            ])
    }

    /// As a state's key it is a member, not an element of a list.
    @Test func `names a member of an object`() throws {
        let json = try JSONEncoder().encode([Match.Period.shootout: 1])
        #expect(String(decoding: json, as: UTF8.self) == #"{"shootout":1}"#)
        #expect(try JSONDecoder().decode([Match.Period: Int].self, from: json) == [.shootout: 1])
    }
}
