package enum Limits {
    /// What the server takes in one request.
    package static let batchEventsMax = 1000
    /// Below the server's 1 MiB, which counts the brackets and commas too.
    package static let batchBytesMax = 1_000_000
    /// An answer that is larger was written by somebody else.
    package static let answerBytesMax = 4 << 20
    /// A phone has a handful of cards; more than these were left behind.
    package static let cardsMax = 64
    /// One for each kind of activity; no app has so many.
    package static let startTokensMax = 16
    /// A card lives for eight hours and stays on the Lock Screen for four more at most.
    package static let cardSecondsMax = 24 * 3600.0
    /// Results for its cards that the app has not read yet; older news is forgotten.
    package static let newsMax = 64
    /// Of one step, before the keeper waits: each ticket that is refused costs one more.
    package static let ticketsPerStepMax = 2
    /// Longer than any server asks for; an answer that asks for more is not believed.
    package static let pauseSecondsMax = 300.0
    /// How often a card is registered once more at most, so that the phone gets what it missed: an
    /// app that is opened all the time leaves half of the 20 uses in 20 minutes that a ticket has.
    package static let renewalSeconds = 120.0
    /// When a card is registered again in whose place Islet has another token: an older one's
    /// request may have come late, and has come by then.
    package static let replacedSeconds = 60.0
    /// How long the backend is believed to have a push-to-start token that it took.
    package static let startTokenSeconds = 24 * 3600.0
    /// How long a card may be missing after a launch before it counts as ended.
    package static let goneSeconds = 10.0
    /// A server answers within 10 seconds, also where it waits for a fold. The app's own backend is
    /// given as much.
    package static let requestSeconds = 20.0
    /// At a time, beside cards that Islet has never had. iOS opens four connections to a server at
    /// most, where several requests cannot share one.
    package static let queuesMax = 3
}
