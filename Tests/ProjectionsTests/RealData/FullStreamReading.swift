import Domain
import Foundation
import Testing

/// Reads a full Wyscout stream, a row for each touch of the ball, as events of a match.
struct FullStreamReading {
    private enum Tag {
        static let goal = 101
        static let ownGoal = 102
        static let cards = [1701: "red", 1702: "yellow", 1703: "secondYellow"]
    }

    private let match: Wyscout.Match
    private var script: FeedScript

    init(_ match: Wyscout.Match) throws {
        self.match = match
        script = try match.script()
    }

    /// Starts and ends of periods are those of their first and last rows, and are known at the end
    /// of a feed out of order as well.
    func events(of rows: [Wyscout.Row]) throws -> [NewEvent] {
        var reading = self
        let inTime = rows.sorted { $0.seq < $1.seq }
        let firsts = Dictionary(grouping: inTime, by: \.period).compactMapValues(\.first?.seq)
        let lasts = Dictionary(grouping: inTime, by: \.period).compactMapValues(\.last?.seq)
        let kicks = inTime.filter { $0.isKick }.map(\.seq)
        for row in rows {
            if firsts[row.period] == row.seq { reading.begin(row) }
            try reading.read(row, kickNumber: kicks.firstIndex(of: row.seq).map { $0 + 1 })
            if lasts[row.period] == row.seq { reading.end(row) }
            if inTime.last?.seq == row.seq { reading.script.add("FullTimeReached", row.seconds) }
        }
        return reading.script.events
    }

    private mutating func begin(_ row: Wyscout.Row) {
        if let period = row.timedPeriod {
            script.add(
                "PeriodStarted", FeedScript.start(of: period), ["period": period.rawValue])
        } else {
            script.add("ShootoutStarted", row.seconds)
        }
    }

    private mutating func end(_ row: Wyscout.Row) {
        guard let period = row.timedPeriod else { return }
        script.add("PeriodEnded", row.seconds, ["period": period.rawValue])
    }

    /// The goalkeeper's row of a goal carries the goal's tag too and is not another one.
    private mutating func read(_ row: Wyscout.Row, kickNumber: Int?) throws {
        let tags = row.tags ?? []
        if let kickNumber {
            script.add(
                "ShootoutKickTaken", row.seconds,
                [
                    "number": kickNumber, "team": try match.side(row.team),
                    "scored": tags.contains(Tag.goal), "player": row.player,
                ])
        } else if row.period != "P", tags.contains(Tag.goal), row.type != "Save attempt" {
            try score(row, isOwn: false)
        } else if row.period != "P", tags.contains(Tag.ownGoal) {
            try score(row, isOwn: true)
        }
        for tag in tags {
            guard let card = Tag.cards[tag] else { continue }
            script.add(
                "CardShown", row.seconds,
                ["cardID": "\(row.seq)", "team": try match.side(row.team), "card": card])
        }
    }

    private mutating func score(_ row: Wyscout.Row, isOwn: Bool) throws {
        script.add(
            "GoalScored", row.seconds,
            [
                "goalID": "\(row.seq)", "team": try match.side(row.team, other: isOwn),
                "kind": isOwn ? "ownGoal" : row.subtype == "Penalty" ? "penalty" : "openPlay",
                "player": row.player, "minute": row.minute,
            ])
    }
}

extension Wyscout.Row {
    fileprivate var isKick: Bool { period == "P" && subtype == "Penalty" }
}
