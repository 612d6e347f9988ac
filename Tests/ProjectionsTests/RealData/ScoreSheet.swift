import Domain
import Foundation
import JSON
import Projections
import Testing

/// The scores of one match at its breaks, home first.
struct ScoreSheet: Hashable {
    /// Nil when the source does not say.
    var halfTime: [Int]?
    var ninetyMinutes: [Int]
    /// Nil without extra time.
    var extraTime: [Int]?
    /// Nil without a shoot-out.
    var shootout: [Int]?

    /// What the card showed at each break while the events were folded in their order.
    init(folding events: [NewEvent]) throws {
        var story = Story()
        var breaks: [String: [Int]] = [:]
        for event in events {
            try story.tell(event)
            guard event.type == "Match.PeriodEnded" else { continue }
            let shown = try story.shown(MatchAttributes.ContentState.self)
            let data = try JSONParser.parse(Array(event.data))
            guard let period = data["period"]?.text else { continue }
            #expect(shown.status == .interval)
            breaks[period] = [shown.homeScore, shown.awayScore]
        }
        if story.snapshot?.phase != .ended { try story.waitForClock() }
        let end = try story.shown(MatchAttributes.ContentState.self)
        #expect(story.snapshot?.phase == .ended && end.status == .finished && end.clock == nil)
        halfTime = breaks["firstHalf"]
        ninetyMinutes = breaks["secondHalf"] ?? []
        extraTime = breaks["extraTimeSecondHalf"]
        if let home = end.shootoutHome, let away = end.shootoutAway { shootout = [home, away] }
        let final = extraTime ?? ninetyMinutes
        #expect(final == [end.homeScore, end.awayScore])
    }

    init(
        halfTime: [Int]?, ninetyMinutes: [Int], extraTime: [Int]? = nil, shootout: [Int]? = nil
    ) {
        self.halfTime = halfTime
        self.ninetyMinutes = ninetyMinutes
        self.extraTime = extraTime
        self.shootout = shootout
    }
}
