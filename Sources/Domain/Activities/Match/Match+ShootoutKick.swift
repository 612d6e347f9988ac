extension Match {
    /// What became of a penalty kick.
    public enum KickResult: String, Codable, Sendable, CaseIterable {
        case scored, saved, missed
        /// Not scored, and the source does not say why: all that version 1 of the event could tell.
        case notScored
    }

    /// One kick of a shoot-out. Version 1 had a flag, `scored`, where version 2 has the result.
    public struct ShootoutKickTaken: EventPayload {
        public static let type = "Match.ShootoutKickTaken"
        public static let fields: [EventField] = [
            .kickNumber, .team, .required("result", .choice(of: KickResult.self)), .player,
        ]
        public static let olderVersions = [
            OlderVersion(fields: [.kickNumber, .team, .required("scored", .flag), .player]) {
                let isScored = $0.removeValue(forKey: "scored") == .flag(true)
                $0["result"] = .text((isScored ? KickResult.scored : .notScored).rawValue)
            }
        ]

        /// 1, 2, 3 … over both sides; reported again, the newest report of a number stands.
        public let number: Int
        public let team: Side
        public let result: KickResult
        public let player: String?

        public init(_ fields: CheckedFields) throws {
            number = try fields.integer("number")
            team = try fields.choice("team")
            result = try fields.choice("result")
            player = try fields.optionalText("player")
        }
    }
}

extension EventField {
    fileprivate static let kickNumber = EventField.required(
        "number", .integer(1...Limits.shootoutKicksMax))
}
