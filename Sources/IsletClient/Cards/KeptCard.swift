import Foundation

/// One card: what the phone says of it, and what Islet has heard of that.
///
/// What is to be done follows from the difference, so three tokens that came while the phone was
/// away are one rotation, and nothing is done twice after a restart.
struct KeptCard: Codable, Hashable, Sendable {
    /// Its name in ActivityKit.
    let id: String
    let activity: String
    /// The newest that ActivityKit gave; nil for a card that listens to a channel.
    var token: Secret?
    var state = CardState.active
    var changedAt: Date

    var registered: Secret?
    var registeredAs: AppProfile?
    var reported = CardState.active
    var closedBy: String?
    /// What Islet refused for good. The same is not tried again.
    var refused: Step?

    enum Step: Codable, Hashable, Sendable {
        case register(Secret, AppProfile)
        case rotate(from: Secret, to: Secret)
        /// Under the token it has, for the phone may have a fresh card of the activity already; one
        /// that listens has the installation's name alone.
        case report(CardState, Secret?)
    }

    /// The next thing to do, nil when Islet knows all.
    func next(_ profile: AppProfile) -> Step? {
        let step = wanted(profile)
        return step == refused ? nil : step
    }

    private func wanted(_ profile: AppProfile) -> Step? {
        if closedBy != nil { return nil }
        // Who hears that a card is gone need not hear of its tokens.
        if state.isOver { return reported == state ? nil : .report(state, registered) }
        if let token {
            guard let registered else { return .register(token, profile) }
            if registered != token { return .rotate(from: registered, to: token) }
            if registeredAs != profile { return .register(token, profile) }
        }
        let isKnown = registered != nil || token == nil
        return isKnown && reported != state ? .report(state, registered) : nil
    }
}
