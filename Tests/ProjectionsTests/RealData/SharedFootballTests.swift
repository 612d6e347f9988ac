import Domain
import Foundation
import Projections
import Testing

/// Whole public data sets of football, where they are at hand.
@Suite(.needsSharedData)
struct SharedFootballTests {
    private func openFootball() throws -> OpenFootball {
        OpenFootball(folder: try SharedData.file("football/openfootball"))
    }

    @Test func `all matches of the World Cup 2022 fold to their own scores`() throws {
        let matches = try openFootball().worldCup2022()
        #expect(matches.count == 64)
        try FootballCheck.check(matches)
    }

    @Test func `all matches of the Euro 2020 fold to their own scores`() throws {
        let matches = try openFootball().euro2020()
        #expect(matches.count == 51)
        try FootballCheck.check(matches)
    }

    @Test(arguments: [("football/wyscout-league", 20), ("football/wyscout", 51)])
    func `all timelines of a competition fold to their own scores`(
        folder: String, count: Int
    ) throws {
        let matches = try Wyscout(folder: folder).timelines()
        #expect(matches.count == count)
        for match in matches { try match.check() }
    }

    @Test(arguments: [1_694_440, 1_694_426, 1_694_424, 1_694_429])
    func `a full stream folds to its own scores`(number: Int) throws {
        let match = try Wyscout(folder: "football/wyscout").fullStream(number) { $0.seq }
        try match.check()
    }

    @Test(arguments: [1_694_440, 1_694_426, 1_694_424, 1_694_429])
    func `a full stream in the order of its ids ends in the same facts`(number: Int) throws {
        let football = Wyscout(folder: "football/wyscout")
        let kind = KindProbe(MatchKind.self)
        let inOrder = try Story(try football.fullStream(number) { $0.seq }.events)
        let byID = try Story(try football.fullStream(number) { $0.id ?? 0 }.events)
        let expected = try #require(inOrder.snapshot)
        let actual = try #require(byID.snapshot)
        #expect(try kind.facts(actual) == kind.facts(expected))
        #expect(actual.contentState == expected.contentState)
    }

    @Test func `all matches end the same late, twice and out of order`() throws {
        let matches =
            try openFootball().worldCup2022() + openFootball().euro2020()
            + Wyscout(folder: "football/wyscout-league").timelines()
        for (seed, match) in matches.enumerated() {
            try match.checkDisorder(seed: UInt64(seed))
        }
    }
}
