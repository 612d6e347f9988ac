/// What happened to one phone in a fan-out.
public struct PhoneResult: Sendable {
    /// What an answer means for the registration.
    public enum Effect: Hashable, Sendable {
        /// The version is that of the newest decision whose push this was.
        case accepted(version: Int64)
        /// Try again, with whatever is newest then.
        case retry(at: Moment, reason: String)
        /// The token is dead; no further pushes. Unless the phone registered after `since`, when
        /// APNs learned it: then it is tried again at `retryAt`.
        case dead(reason: String, since: Moment?, retryAt: Moment)
        /// APNs does not know the token in its environment, or not as the app's: no further pushes
        /// until the phone registers again, or an operator has it tried again.
        case unfit(reason: String)
        /// The push cannot succeed, or was tried for too long. Later changes are still sent.
        case givenUp(reason: String)
    }

    /// Of which registration.
    public var registrationID: Int64
    /// That of the page. When the phone has registered again since, the result is void: the phone
    /// stays owed what it asked for.
    public var tokenVersion: Int
    /// What it means for the registration.
    public var effect: Effect
    /// It was owed nothing and now has exactly the version that the fan-out completes, or an
    /// earlier push had covered everything. Then nothing is written about the phone.
    public var needsNoWrite: Bool
    /// The fan-out sent it nothing: a push of the fan-out before had said all of it already.
    public var wasCoveredByEarlierPush: Bool

    public init(
        registrationID: Int64, tokenVersion: Int, effect: Effect, needsNoWrite: Bool = false,
        wasCoveredByEarlierPush: Bool = false
    ) {
        self.registrationID = registrationID
        self.tokenVersion = tokenVersion
        self.effect = effect
        self.needsNoWrite = needsNoWrite
        self.wasCoveredByEarlierPush = wasCoveredByEarlierPush
    }

    /// APNs accepted a push of the fan-out, this time or before.
    public var isAccepted: Bool {
        if case .accepted = effect { true } else { false }
    }

    /// APNs accepted a push of this fan-out for the phone.
    public var wasPushed: Bool { isAccepted && !wasCoveredByEarlierPush }

    /// Nothing is sent for its app just now. The phone has missed something, and has not failed.
    public var waitsForApp: Bool {
        guard case .retry(_, let reason) = effect else { return false }
        return AppSuspension(rawValue: reason) != nil
    }
}
