import Domain
import Foundation
import JSON

/// `POST /phones`, each of the `phones` of a scenario, and without name and traits
/// `POST /phones/{id}/activities`.
struct PhoneRequest: Decodable {
    var name: String?
    var environment: APNsEnvironment?
    var iosVersion: String?
    var appKilled: Bool?
    var kind: String?
    var activity: String?
    var attributes: JSON?
    var contentState: JSON?
    /// Id of the channel that the card is to listen to; nil for a card with a push token.
    var channel: String?
    var frequentUpdates: Bool?
    /// Of the kind, in an older build of the app.
    var olderState: Older?
    /// For an activity that begins later by itself.
    var startsInSeconds: Double?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, environment, iosVersion, appKilled, frequentUpdates, olderState, kind, activity
        case attributes, contentState, channel, startsInSeconds
    }

    struct Older: Decodable {
        /// Of which kind; nil for that of the activity.
        var kind: String?
        var required: Set<String>?
        var cases: [String: Set<String>]?
    }

    func traits() throws(ControlProblem) -> PhoneTraits {
        var traits = PhoneTraits(
            environment: environment, isAppKilled: appKilled ?? false,
            allowsFrequentUpdates: frequentUpdates ?? false)
        if let iosVersion {
            guard let version = IOSVersion(rawValue: iosVersion) else {
                throw .invalid("iosVersion is not a version such as 17.2")
            }
            traits.system = version
        }
        if let olderState {
            guard let kind = olderState.kind ?? kind else {
                throw .invalid("olderState.kind is missing")
            }
            traits.older[kind] = OlderState(
                required: olderState.required ?? [], cases: olderState.cases ?? [:])
        }
        return traits
    }

    /// - Returns: nil when the app is to start nothing.
    func start(now: Moment) throws(ControlProblem) -> ActivityStart? {
        guard kind != nil || activity != nil || channel != nil else { return nil }
        guard let kind else { throw .invalid("kind is missing") }
        guard let activity else { throw .invalid("activity is missing") }
        guard (1...Limits.nameBytesMax).contains(activity.utf8.count) else {
            throw .invalid("activity must have 1 to \(Limits.nameBytesMax) bytes")
        }
        return ActivityStart(
            kind: kind, activity: ActivityID(rawValue: activity),
            attributes: attributes.map { WireCoder.encode($0) },
            contentState: contentState.map { WireCoder.encode($0) },
            startsAt: try startsAt(now))
    }
}

extension PhoneRequest {
    private func startsAt(_ now: Moment) throws(ControlProblem) -> Moment? {
        guard let startsInSeconds else { return nil }
        guard (0...Limits.faultSecondsMax).contains(startsInSeconds) else {
            throw .invalid("startsInSeconds must be from 0 to \(Int(Limits.faultSecondsMax))")
        }
        return now.adding(seconds: startsInSeconds)
    }

    /// A new phone of that sort in the simulator.
    func add(to simulator: Simulator) throws(ControlProblem) -> RegisteredPhone {
        let start = try start(now: simulator.phoneTime())
        let traits = try traits()
        let name = name ?? ""
        guard (1...Limits.nameBytesMax).contains(name.utf8.count) else {
            throw .invalid("name must have 1 to \(Limits.nameBytesMax) bytes")
        }
        do {
            guard let start else {
                return RegisteredPhone(id: try simulator.addPhone(named: name, with: traits))
            }
            let (id, token) = try simulator.addPhone(
                named: name, with: traits, starting: start, channel: channel)
            return RegisteredPhone(id: id, pushToken: token?.hex)
        } catch { throw ControlProblem(error) }
    }
}

/// A phone and the token that its app would send to its server.
struct RegisteredPhone: Encodable {
    var id: PhoneID
    var pushToken: String?
}
