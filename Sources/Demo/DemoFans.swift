import Domain
import Projections
import ServerClient
import Simulator
import Terminal

/// People who follow a team. Their apps are not running when a match of it is announced; a push
/// starts their cards, which then listen to one channel.
enum DemoFans {
    static let activity = "harbour-derby"
    static let topic = "team:harbour-city"
    /// Beside the two phones that everything else is about.
    static let names = (1...12).map { "Fan \($0)" }

    /// The screen speaks of one fan; the others see the same.
    static func isShown(_ phone: String) -> Bool {
        phone == names[0] || !names.contains(phone)
    }

    /// Before iOS 18 a card cannot listen to a channel: its app has to fetch a push token.
    static func system(of phone: String) -> IOSVersion {
        phone == "Phone B" ? IOSVersion(17, 2) : IOSVersion(18, 0)
    }

    static func installation(on phone: String) -> String { "demo app on \(phone)" }
}

extension DemoPlayer {
    /// What happens before a match: apps have given their push-to-start tokens, the merchant says
    /// whose phones the match is to appear on, and asks for a channel.
    func inviteFans() async throws(CommandFailure) {
        let bundleID = simulator.configuration.bundleID
        try await patiently(
            try await client.putChannel(activity: DemoFans.activity, bundleID: bundleID))
        for name in DemoCast.phones + DemoFans.names {
            let token: PushToken
            do throws(SimulatorError) {
                token = try simulator.startToken(for: MatchKind.name, on: try phone(name))
            } catch { throw .failed("\(name) has no push-to-start token: \(error)") }
            try await patiently(
                try await client.putStartToken(
                    of: DemoFans.installation(on: name), kind: MatchKind.name,
                    pushToken: token.hex, bundleID: bundleID, topic: DemoFans.topic,
                    osMajor: DemoFans.system(of: name).major))
        }
        try await patiently(
            try await client.putAudience(activity: DemoFans.activity, topic: DemoFans.topic))
        screen.step(
            "\(DemoCast.phones.count + DemoFans.names.count) phones follow \(DemoFans.topic); "
                + "the cards of \(DemoFans.activity) are to appear on them by push")
    }

    /// Apps that a start by push has woken up register the update token that they got.
    func followStarts(_ events: AsyncStream<PhoneEvent>) async {
        for await event in events {
            guard event.entry.outcome == .obtainedToken, let token = event.updateToken else {
                continue
            }
            try? await registerStarted(token, event.entry.activity.rawValue, on: event.phoneName)
        }
    }

    private func registerStarted(
        _ token: PushToken, _ activity: String, on phone: String
    ) async throws(CommandFailure) {
        let app = try await patiently(try await client.app(of: activity))
        try await register(token, of: activity, on: phone, by: app)
        screen.step("The app on \(phone) woke up and registered the card of \(activity)")
    }
}
