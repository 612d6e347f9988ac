import Domain

/// How a token dies: `expired` with its activity, `unregistered` with its app.
public enum TokenDeath: String, Hashable, Sendable, Codable, CaseIterable {
    case expired = "ExpiredToken"
    case unregistered = "Unregistered"
}

/// The tokens Apple knows, dead ones included.
struct DeviceDirectory: Sendable {
    private struct Record {
        /// Of the app that has the token.
        var bundleID: String
        var environment: APNsEnvironment
        var death: (kind: TokenDeath, at: Moment)?
    }

    private var records: [PushToken: Record] = [:]

    mutating func register(
        _ token: PushToken, of bundleID: String, in environment: APNsEnvironment
    ) {
        records[token] = Record(bundleID: bundleID, environment: environment)
    }

    /// - Parameter moment: may lie ahead; until then the token goes on working.
    mutating func kill(_ token: PushToken, _ death: TokenDeath, at moment: Moment) {
        guard let known = records[token] else { return }
        if let earlier = known.death, earlier.at <= moment { return }
        records[token]?.death = (death, moment)
    }

    /// Whether it is known when it dies.
    func isDying(_ token: PushToken) -> Bool { records[token]?.death != nil }

    func check(
        _ token: PushToken, headers: PushHeaders, environment: APNsEnvironment, now: Moment
    ) throws(Refused) {
        guard let record = records[token], record.environment == environment else {
            throw Refused(.badDeviceToken)
        }
        guard headers.addressesLiveActivities, headers.bundleID == record.bundleID else {
            throw Refused(.deviceTokenNotForTopic)
        }
        guard let death = record.death, death.at <= now else { return }
        switch death.kind {
        case .expired: throw Refused(.expiredToken, since: death.at)
        case .unregistered: throw Refused(.unregistered, since: death.at)
        }
    }
}
