import APNs
public import Domain

extension AppSuspension {
    /// Why nothing is sent for the app, and what to do about it, without a full stop.
    /// - Parameter reason: as APNs spells it; nil where it is not known.
    public func explanation(for app: AppInEnvironment, reason: String? = nil) -> String {
        let (bundleID, environment) = (app.bundleID, app.environment.rawValue)
        return switch self {
        case .noApp:
            "the app \(bundleID) is not there: add it with islet apps add"
        case .noKey:
            "the app \(bundleID) has no key for \(environment): give it one with islet apps add"
        case .keySealed:
            "the server cannot open the key of \(bundleID): check its --master-key-file, or remove "
                + "the key and add it again"
        case .keyRefused:
            "APNs refuses the key of \(bundleID) in \(environment): "
                + Self.remedy(ofRefusal: reason)
        case .clockWrong:
            "APNs refuses the key of \(bundleID) in \(environment), because the clock of a server "
                + "is or was wrong: set it by NTP, the database's too; if all are right, "
                + "--apns-url leads to an APNs whose clock is wrong"
        case .tokensUnfit:
            "APNs knows none of the push tokens of \(bundleID) in \(environment): check which "
                + "environment and bundle id the app registers with"
        }
    }

    /// What APNs' reason asks for. Without one, all that it may be is named.
    private static func remedy(ofRefusal reason: String?) -> String {
        guard let reason else {
            return "check bundle id, team id and key id, which environment the key is for, and "
                + "whether it was revoked; islet apps list names the reason"
        }
        let ofTopic: [Reason.Known] = [.topicDisallowed, .badTopic]
        if ofTopic.contains(where: { $0.rawValue == reason }) {
            return "the bundle id is of another team, or the key is for other topics; check "
                + "--bundle and --team of islet apps add"
        }
        if reason == Reason.Known.topicMismatch.rawValue {
            return "channels need a key that covers the bundle id itself, and not just its topic "
                + "for Live Activities: check the key's topics on Apple's developer site, or put "
                + "another in its place with islet apps rotate"
        }
        if reason == Reason.Known.badEnvironmentKeyIdInToken.rawValue {
            return "the key is for the other environment; islet apps rotate puts one for this in "
                + "its place"
        }
        return "check key id, team id and whether the key was revoked; islet apps rotate puts "
            + "another in its place"
    }
}

extension AppAlarm {
    /// Why nothing is sent for the app, and what to do about it, without a full stop.
    public var explanation: String { suspension.explanation(for: app.app, reason: reason) }
}

extension [AppAlarm] {
    /// Why phones wait, and what to do about it, without a full stop. What APNs said is in the
    /// alarm of their app, unless it is over.
    public func explanation(of deferred: DeferredPhones) -> String {
        let alarm = first { $0.suspension == deferred.suspension && $0.app == deferred.app }
        return deferred.suspension.explanation(for: deferred.app.app, reason: alarm?.reason)
    }
}

extension DeferredPhones {
    /// Which of them is spoken of.
    enum Sort {
        case cards, starts
    }

    /// How many wait, and what for, without a full stop.
    public static func waiting(_ phones: Int, starts: Int) -> String {
        [
            phones > 0 ? "\(counted(phones)) \(phones == 1 ? "waits" : "wait")" : nil,
            starts > 0 ? "the card is not started on \(counted(starts))" : nil,
        ].compactMap(\.self).joined(separator: ", and ")
    }

    fileprivate func count(of sort: Sort) -> Int { sort == .cards ? count : starts }

    private static func counted(_ phones: Int) -> String {
        phones == 1 ? "1 phone" : "\(phones.orMore) phones"
    }
}

extension [DeferredPhones] {
    /// For support agents.
    func sentences(of sort: DeferredPhones.Sort) -> [String] {
        let isPartial = isPartial
        let concerned = filter { $0.count(of: sort) > 0 }
        let sentences = concerned.named.map { deferred in
            let count = deferred.count(of: sort)
            let phones = isPartial ? "\(count) or more phones" : count.counted("phone")
            let what =
                switch sort {
                case .cards: "\(phones) \(count == 1 && !isPartial ? "waits" : "wait"), since "
                case .starts: "The card is not started on \(phones), since "
                }
            return what + deferred.suspension.explanation(for: deferred.app.app) + "."
        }
        guard concerned.unnamedCount > 0 else { return sentences }
        let more = concerned.unnamedCount.counted("more app")
        return sentences + [
            sort == .cards
                ? "Phones wait for \(more)." : "The card is not started on phones of \(more)."
        ]
    }
}
