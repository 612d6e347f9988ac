import Domain
import Foundation
import Projections
import Testing

/// Compares what was folded with what a source states, its known mistakes put right.
enum FootballCheck {
    /// Scores at half-time that the source has wrong: its own goals and every report of the match
    /// say otherwise.
    private static let wrongHalfTimes = [
        "Japan v Spain": [0, 1], "Serbia v Switzerland": [2, 2], "Netherlands v Argentina": [0, 1],
    ]

    static func check(_ matches: [ImportedMatch]) throws {
        for var match in matches {
            match.stated.halfTime = wrongHalfTimes[match.name] ?? match.stated.halfTime
            if match.name == "Ukraine v England" { try correct(&match) }
            try match.check()
        }
    }

    /// Euro 2020's source has these four goals on the wrong side. They are imported as published
    /// and then put right, goal by goal, as a feed would do it.
    private static func correct(_ match: inout ImportedMatch) throws {
        let published = try Story(match.events).shown(MatchAttributes.ContentState.self)
        #expect(published.homeScore == 4 && published.awayScore == 0)
        match.events = match.events.flatMap { event -> [NewEvent] in
            guard event.type == "Match.GoalScored" else { return [event] }
            var corrected = event
            corrected.id += "-corrected"
            corrected.occurredAt = event.occurredAt.adding(seconds: 20)
            let text = String(decoding: event.data, as: UTF8.self)
            corrected.data = Data(text.replacing(#""team":"home""#, with: #""team":"away""#).utf8)
            return [event, corrected]
        }
    }

}

/// Real matches fold to the scores that their sources state: at half-time, after ninety minutes,
/// after extra time and after the shoot-out.
struct FootballTests {
    @Test func `the matches in the project fold to their own scores`() throws {
        let worldCup = try OpenFootball.fixture.worldCup2022()
        let euro = try OpenFootball.fixture.euro2020()
        #expect(worldCup.count == 13 && euro.count == 12)
        try FootballCheck.check(worldCup)
        try FootballCheck.check(euro)
    }

    @Test func `the kicks of the final are the ones that were taken`() throws {
        let final = try #require(
            try OpenFootball.fixture.worldCup2022().first { $0.name == "Argentina v France" })
        let kicks = final.events.filter { $0.type == "Match.ShootoutKickTaken" }
            .map { String(decoding: $0.data, as: UTF8.self) }
        #expect(kicks.count == 8)
        #expect(kicks.count { $0.contains(#""scored":true"#) } == 6)
        #expect(kicks[0].contains("MBAPPE") && kicks[0].contains("away"))
        #expect(kicks[7].contains("MONTIEL") && kicks[7].contains("home"))
    }

    @Test func `the matches in the project end the same late, twice and out of order`() throws {
        let matches = try OpenFootball.fixture.worldCup2022() + OpenFootball.fixture.euro2020()
        for (seed, match) in matches.enumerated() {
            try match.checkDisorder(seed: UInt64(seed))
        }
    }
}
