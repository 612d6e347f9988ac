extension Match {
    /// A score. Sent again with the same `goalID`, the newest report stands.
    public struct GoalScored: EventPayload {
        public static let type = "Match.GoalScored"
        public static let fields: [EventField] = [
            .reference("goalID"), .team,
            .optional("kind", .choice(of: GoalKind.self)),
            .optional("points", .integer(1...Limits.pointsMax)),
            .player, .minute, .addedMinutes,
        ]

        /// Unique in the match.
        public let goalID: String
        /// The side that it counts for, also when the other side put it in.
        public let team: Side
        /// `openPlay` when absent.
        public let kind: GoalKind?
        /// What it counts; 1 when absent.
        public let points: Int?
        public let player: String?
        public let minute: Int?
        public let addedMinutes: Int?

        public init(_ fields: CheckedFields) throws {
            goalID = try fields.text("goalID")
            team = try fields.choice("team")
            kind = try fields.optionalChoice("kind")
            points = try fields.optionalInteger("points")
            player = try fields.optionalText("player")
            minute = try fields.optionalInteger("minute")
            addedMinutes = try fields.optionalInteger("addedMinutes")
        }
    }

    /// A goal does not count, whether it is reported before or after this.
    public struct GoalDisallowed: EventPayload {
        public static let type = "Match.GoalDisallowed"
        public static let fields: [EventField] = [.reference("goalID"), .reason]

        public let goalID: String
        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            goalID = try fields.text("goalID")
            reason = try fields.optionalText("reason")
        }
    }

    public struct CardShown: EventPayload {
        public static let type = "Match.CardShown"
        public static let fields: [EventField] = [
            .reference("cardID"), .team, .required("card", .choice(of: Card.self)), .player,
            .minute, .addedMinutes,
        ]

        /// Unique in the match.
        public let cardID: String
        public let team: Side
        public let card: Card
        public let player: String?
        public let minute: Int?
        public let addedMinutes: Int?

        public init(_ fields: CheckedFields) throws {
            cardID = try fields.text("cardID")
            team = try fields.choice("team")
            card = try fields.choice("card")
            player = try fields.optionalText("player")
            minute = try fields.optionalInteger("minute")
            addedMinutes = try fields.optionalInteger("addedMinutes")
        }
    }

    /// Kept in the log; the card on the phone does not show it.
    public struct PlayerSubstituted: EventPayload {
        public static let type = "Match.PlayerSubstituted"
        public static let fields: [EventField] = [
            .team,
            .required("playerOn", .text(bytesMax: Limits.nameBytesMax)),
            .required("playerOff", .text(bytesMax: Limits.nameBytesMax)),
            .minute, .addedMinutes,
        ]

        public let team: Side
        public let playerOn: String
        public let playerOff: String
        public let minute: Int?
        public let addedMinutes: Int?

        public init(_ fields: CheckedFields) throws {
            team = try fields.choice("team")
            playerOn = try fields.text("playerOn")
            playerOff = try fields.text("playerOff")
            minute = try fields.optionalInteger("minute")
            addedMinutes = try fields.optionalInteger("addedMinutes")
        }
    }

    /// Penalty kicks decide.
    public struct ShootoutStarted: EventPayload {
        public static let type = "Match.ShootoutStarted"
        public static let fields: [EventField] = []
    }
}

extension EventField {
    fileprivate static func reference(_ name: String) -> EventField {
        .required(name, .text(bytesMax: Limits.referenceBytesMax))
    }

    static let team = EventField.required("team", .choice(of: Match.Side.self))
    static let player = EventField.optional(
        "player", .text(bytesMax: Limits.nameBytesMax))
    fileprivate static let minute = EventField.optional(
        "minute", .integer(1...Limits.minuteMax))
    fileprivate static let addedMinutes = EventField.optional(
        "addedMinutes", .integer(1...Limits.addedMinutesMax))
}
