import Foundation
import IsletActivities

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
    /// The last that ActivityKit said, up to the first by which the card is over.
    var state = CardState.active
    /// ActivityKit did not have it when the app was launched.
    var isGone: Bool?
    var changedAt: Date

    var registered: Secret?
    var registeredAs: AppProfile?
    /// When Islet last took its token, with which it sends the newest state. Nil also in what an
    /// earlier build of the app kept.
    var answeredAt: Date?
    var reported = CardState.active
    var closedBy: String?
    /// Islet has said of the token that another one has its place. It is registered once more.
    var wasReplaced: Bool?
    /// What Islet refused for good. The same is not tried again before the next launch.
    var refusals: Set<Step>?
    /// How often what was known of it was given up, so that a late answer brings nothing back.
    var generation: Int?
    /// Islet was asked for the activity's channel, and closes the token with its answer, which may
    /// be lost.
    var mayListen: Bool?
    /// Islet has closed its token, since the phone was to start one that listens. There is nothing
    /// of it to close any more, unless its token is reported again.
    var isReplaced: Bool?
    /// By which the app went when the person of then signed out; nil for the present one.
    var installation: String?

    enum Step: Codable, Hashable, Sendable {
        case register(Secret, AppProfile)
        case rotate(from: Secret, to: Secret)
        /// Under the token it has, for the phone may have a fresh card of the activity already; one
        /// that listens has the installation's name alone.
        case report(CardState, Secret?)
    }

    /// Nobody knows how a card that is gone has ended. It counts as ended: a dismissed one could
    /// never come back. One that is planned is there for Islet, which sends to it once it begins
    /// though the app may not run then.
    var nowState: CardState {
        if isGone == true, !state.isOver { return .ended }
        return state == .pending ? .active : state
    }
    var isOver: Bool { nowState.isOver }
    /// It is there and has a token to be sent to.
    var isServed: Bool { !isOver && token != nil }

    /// It ended before Islet had its token, as far as anybody knows. What Islet has by the
    /// installation's name is an older card's.
    var wasNeverHeardOf: Bool { reported == .ended && token != nil && registered == nil }

    /// Both are cards that one person has of one activity, or one of the two.
    func isBeside(_ other: KeptCard) -> Bool {
        activity.hasBytes(of: other.activity) && installation.hasBytes(of: other.installation)
    }

    /// ActivityKit says so. Whatever was sent before the card began, the phone has passed over: its
    /// token is registered once more, and an answer that is under way does not count. One that is
    /// taken back before needs neither.
    mutating func become(_ state: CardState) {
        guard !self.state.isOver else { return }
        if self.state == .pending, state != .pending, !state.isOver {
            registeredAs = nil
            generation = (generation ?? 0) &+ 1
        }
        self.state = state
    }

    /// ActivityKit's newest token, the same one again or another. Another one may count although
    /// the one before did not any more.
    mutating func get(_ token: Secret) {
        guard !state.isOver else { return }
        if token != self.token {
            if closedBy == Self.replaced { tryAgain() }
            wasReplaced = nil
        }
        (self.token, isReplaced) = (token, nil)
    }

    /// What Islet says of the token that the card has now. An older token's request may have come
    /// late, so one that was replaced is registered once more before that counts.
    mutating func close(by reason: String?, _ step: Step) {
        let reason = reason ?? "closed"
        let isOfToken =
            switch step {
            case .register(let token, _), .rotate(_, let token): token == self.token
            case .report(_, let token): token == self.token
            }
        guard reason == Self.replaced, isOfToken, isServed, wasReplaced != true else {
            closedBy = reason
            return
        }
        tryAgain()
    }

    /// The token is registered once more, although another one had its place.
    mutating func tryAgain() {
        (registered, registeredAs, closedBy) = (nil, nil, nil)
        wasReplaced = true
    }

    /// It waits for that.
    var waitsToTryAgain: Bool {
        isServed && wasReplaced == true && registered == nil && closedBy == nil
    }

    static let replaced = "replaced"

    /// Takes over what was kept of it before, unless its token was reported since.
    mutating func continues(_ earlier: KeptCard) {
        // The card was over already, so newer reports of it do not count.
        if earlier.state.isOver { (state, token) = (earlier.state, nil) }
        // A newer token may be registered by a name that nobody has.
        guard token == nil else { return }
        token = earlier.token
        (registered, registeredAs) = (earlier.registered, earlier.registeredAs)
        answeredAt = earlier.answeredAt
        (reported, closedBy) = (earlier.reported, earlier.closedBy)
        (mayListen, isReplaced) = (earlier.mayListen, earlier.isReplaced)
        wasReplaced = earlier.wasReplaced
        installation = earlier.installation
    }

    /// The next thing to do, nil when Islet knows all.
    func next(_ profile: AppProfile) -> Step? {
        if closedBy != nil { return nil }
        if let change = tokenChange(profile), !isRefused(change) { return change }
        let isKnown = registered != nil || token == nil || isOver
        guard isKnown, reported != nowState else { return nil }
        // Unless it was registered, Islet does not know the token, and has nothing to close. That
        // it was swiped away is to be remembered nevertheless, by the installation's name.
        let name = registered ?? (nowState == .dismissed ? nil : token)
        let report = Step.report(nowState, name)
        return isRefused(report) ? nil : report
    }

    private func isRefused(_ step: Step) -> Bool { refusals?.contains(step) == true }

    /// Nothing that Islet heard of its token counts any more.
    mutating func forgetRegistration() {
        (registered, registeredAs, refusals, closedBy) = (nil, nil, nil, nil)
        (mayListen, wasReplaced) = (nil, nil)
        generation = (generation ?? 0) &+ 1
    }

    private func tokenChange(_ profile: AppProfile) -> Step? {
        guard let token else { return nil }
        // Who hears that a card is gone need not hear of its tokens, but Islet may have heard of
        // the last one already and the answer was lost.
        if isOver, reported == nowState { return nil }
        guard let registered else { return isOver ? nil : .register(token, profile) }
        if registered != token { return .rotate(from: registered, to: token) }
        return isOver || registeredAs == profile ? nil : .register(token, profile)
    }
}
