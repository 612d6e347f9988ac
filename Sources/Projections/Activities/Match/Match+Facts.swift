public import Domain
import JSON

extension Match {
    public enum Side: String, Codable, Sendable, CaseIterable {
        case home, away
    }

    /// Who plays, and when.
    public struct Schedule: Codable, Hashable, Sendable {
        let competition: String
        let homeTeam: String
        let awayTeam: String
        let kickoff: Moment
        /// `football` when absent.
        let sport: String?
        let homeCode: String?
        let awayCode: String?

        init(_ data: inout EventData) throws {
            competition = try data.name("competition")
            homeTeam = try data.name("homeTeam")
            awayTeam = try data.name("awayTeam")
            kickoff = try data.moment("kickoff")
            sport = try data.optionalName("sport", openAmong: MatchState.namesOfFootball)
            homeCode = try data.optionalText("homeCode", bytesMax: Domain.Limits.codeBytesMax)
            awayCode = try data.optionalText("awayCode", bytesMax: Domain.Limits.codeBytesMax)
        }
    }

    public enum GoalKind: String, Codable, Sendable, CaseIterable {
        case openPlay, penalty, ownGoal
    }

    /// A score. Sent again with the same `goalID`, the newest report stands.
    public struct Goal: Codable, Hashable, Sendable {
        /// Unique in the match.
        let goalID: String
        /// The side that it counts for, also when the other side put it in.
        let team: Side
        /// `openPlay` when absent.
        let kind: GoalKind?
        /// What it counts; 1 when absent.
        let points: Int?
        let player: String?
        let minute: Int?
        let addedMinutes: Int?

        init(_ data: inout EventData) throws {
            goalID = try data.reference("goalID")
            team = try data.team()
            kind = try data.optionalChoice("kind")
            points = try data.optionalInteger("points", in: 1...Limits.pointsMax, isOpen: true)
            player = try data.player()
            (minute, addedMinutes) = try data.minute()
        }
    }

    /// A goal does not count, whether it is reported before or after this.
    public struct GoalDisallowed: Codable, Hashable, Sendable {
        let goalID: String
        let reason: String?

        init(_ data: inout EventData) throws {
            goalID = try data.reference("goalID")
            reason = try data.reason()
        }
    }

    public enum Card: String, Codable, Sendable, CaseIterable {
        case yellow, secondYellow, red

        /// True when the player has to leave.
        var sendsOff: Bool {
            switch self {
            case .yellow: false
            case .secondYellow, .red: true
            }
        }
    }

    /// A card that was shown to a player.
    public struct CardShown: Codable, Hashable, Sendable {
        /// Unique in the match.
        let cardID: String
        let team: Side
        let card: Card
        let player: String?
        let minute: Int?
        let addedMinutes: Int?

        init(_ data: inout EventData) throws {
            cardID = try data.reference("cardID")
            team = try data.team()
            card = try data.choice("card")
            player = try data.player()
            (minute, addedMinutes) = try data.minute()
        }
    }

    /// The result of a penalty kick.
    public enum KickResult: String, Codable, Sendable, CaseIterable {
        case scored, saved, missed
        /// Not scored, and the source does not say why: all that version 1 of the event could tell.
        case notScored
    }

    /// One kick of a shoot-out. Version 1 had a flag, `scored`, where version 2 has the result.
    public struct Kick: Codable, Hashable, Sendable {
        /// 1, 2, 3 … over both sides; reported again, the newest report of a number stands.
        let number: Int
        let team: Side
        let result: KickResult
        let player: String?

        init(_ data: inout EventData) throws {
            number = try data.kickNumber()
            team = try data.team()
            result = try data.choice("result")
            player = try data.player()
        }

        /// What it says of who wins, without names.
        var outcome: ByteKey { ByteKey("\(number)/\(team.rawValue)/\(result == .scored)") }

        static let firstVersion = OlderVersion(
            "`scored` becomes the result `scored` or `notScored`"
        ) { data in
            _ = try data.kickNumber()
            _ = try data.team()
            _ = try data.flag("scored")
            _ = try data.player()
        } upcast: { data in
            let result: KickResult = data["scored"] == .bool(true) ? .scored : .notScored
            data["scored"] = nil
            data["result"] = .string(result.rawValue)
        }
    }
}

extension EventData {
    fileprivate mutating func reference(_ name: String) throws -> String {
        try text(name, bytesMax: Domain.Limits.referenceBytesMax, isReference: true)
    }

    mutating func team() throws -> Match.Side { try choice("team") }

    fileprivate mutating func player() throws -> String? { try optionalName("player") }

    fileprivate mutating func kickNumber() throws -> Int {
        try integer("number", in: 1...Domain.Limits.shootoutKicksMax, isOpen: true)
    }

    mutating func minute() throws -> (minute: Int?, addedMinutes: Int?) {
        (
            try optionalInteger("minute", in: 1...Limits.minuteMax, isOpen: true),
            try optionalInteger("addedMinutes", in: 1...Limits.addedMinutesMax, isOpen: true)
        )
    }
}
