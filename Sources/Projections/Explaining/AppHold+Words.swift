public import Domain

extension AppHold {
    /// Why nothing is sent for the app, and what to do about it, without a full stop.
    public func explanation(for app: ChannelApp) -> String {
        let (bundleID, environment) = (app.bundleID, app.environment.rawValue)
        return switch self {
        case .noApp:
            "nobody has added the app \(bundleID): add it with islet apps add"
        case .noKey:
            "the app \(bundleID) has no key for \(environment): give it one with islet apps add"
        case .keySealed:
            "the server cannot open the key of \(bundleID): check its --master-key-file, or remove "
                + "the key and add it again"
        case .keyRefused:
            "APNs refuses the key of \(bundleID) in \(environment): check key id, team id and "
                + "whether the key was revoked; islet apps rotate puts another in its place"
        case .clockWrong:
            "APNs refuses the key of \(bundleID) in \(environment), and the server's clock is not "
                + "the database's: set both by NTP"
        case .tokensUnfit:
            "APNs knows none of the push tokens of \(bundleID) in \(environment): check which "
                + "environment and bundle id the app registers with"
        }
    }
}

extension [HeldPhones] {
    /// For whoever answers a complaint.
    var sentences: [String] {
        let isPartial = isPartial
        return map { held in
            let phones =
                isPartial
                ? "\(held.count) or more phones wait"
                : held.count == 1 ? "1 phone waits" : "\(held.count) phones wait"
            return "\(phones), since \(held.hold.explanation(for: held.app.app))."
        }
    }
}
