import Domain
import Foundation
import Projections
import Testing

/// A match of a public data set: as events, and with the scores that the set itself states.
struct ImportedMatch {
    var name: String
    var events: [NewEvent]
    var stated: ScoreSheet

    /// The folded scores are the stated ones; a score at half-time that is not stated is not
    /// compared.
    func check() throws {
        var folded = try ScoreSheet(folding: events)
        if stated.halfTime == nil { folded.halfTime = nil }
        #expect(folded == stated, "\(name)")
    }

    /// Ends with the same facts when the events come late, twice and out of order.
    func checkDisorder(seed: UInt64) throws {
        let kind = KindProbe(MatchKind.self)
        var feed = LateFeed(seed: seed)
        let late = try #require(try feed.story(of: events).snapshot)
        let inOrder = try #require(try Story(events).snapshot)
        #expect(try kind.facts(late) == kind.facts(inOrder), "\(name)")
        #expect(late.contentState == inOrder.contentState, "\(name)")
    }
}
