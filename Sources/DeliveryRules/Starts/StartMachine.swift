public import APNs
public import Domain
public import Projections

/// The rules of starting a card remotely. A start that may have reached the phone is never sent
/// again: two starts are two cards. Each function has an answer for every state.
///
/// For example, a phone follows an audience topic of an order, and `Starter` comes to it:
/// 1. It is night: `next` makes the start `held` until the quiet hours are over.
/// 2. They are over: `next` takes one from the phone's budget and makes it `trying`. `Starter`
///    records that before it sends the push, and it is due again in case this node dies.
/// 3. APNs answers 503: `answered` makes it `waiting`, to be tried again some seconds later.
/// 4. It is tried again, and no answer comes: it may have arrived. `answered` makes it `unknown`,
///    which is final. Had APNs accepted it, it would be `started`.
///
/// If the node dies after step 2, the sender that claims the activity next makes it `unknown`.
public enum StartMachine {
    /// No card of the activity is started just now.
    public struct Hold: Hashable, Sendable {
        /// What may be over before its time: the activity begins, or its end is taken back.
        public static let reasons = [ending, quietHours]
        static let (ending, quietHours) = ("ending", "quiet-hours")

        /// Why, in a few words.
        public var reason: String
        /// When its starts are looked at again.
        public var until: Moment

        public init(reason: String, until: Moment) {
            self.reason = reason
            self.until = until
        }
    }

    /// What APNs' answer makes of a start that was tried.
    public struct AnsweredStart: Hashable, Sendable {
        /// The start as it is to be stored.
        public var start: CardStart
        /// The token is dead, or not one of its app and environment: nothing is started with it any
        /// more.
        public var isTokenDead = false
        /// The push was kept back for its app and never left: what it took from the phone's budget
        /// is given back.
        public var isUnsent = false
    }

    /// What becomes of a start that has not been sent, now that the sender looks at it.
    ///
    /// - Parameters:
    ///   - isWanted: the phone has a living token and follows one of the audience's topics.
    ///   - hasCard: a card of the activity is or was registered for the same installation.
    ///   - refusal: why no push can carry the card; nil when one can.
    ///   - hold: why nothing is started of its activity just now; nil when something is.
    ///   - suspension: why nothing is sent for its app just now; nil when something is.
    ///   - budget: the phone's; one is taken from it when the answer is `trying`.
    /// - Returns: the start as it is now: `trying` means that it is to be sent once that is
    ///   recorded. Nil when nobody wants it any more, so that it may be wanted again.
    public static func next(
        _ start: CardStart, isWanted: Bool, hasCard: Bool, refusal: String? = nil,
        hold: Hold? = nil, suspension: String? = nil, budget: inout StartBudget, at now: Moment,
        under policy: Policy
    ) -> CardStart? {
        switch start.state {
        case .trying, .started, .refused, .unknown, .needless: return start
        case .waiting, .held: break
        }
        let isHeld = start.reason.map(Hold.reasons.contains) ?? false
        let isDue = start.dueAt.map { dueAt in
            // What it is held for may be over before its time, or end sooner.
            dueAt <= now || isHeld && hold.map { $0.until < dueAt } ?? true
        }
        guard isDue ?? true else { return start }
        guard isWanted else { return nil }
        var next = start
        if hasCard {
            (next.state, next.dueAt, next.reason) = (.needless, nil, "has-card")
        } else if let refusal {
            (next.state, next.dueAt, next.reason) = (.refused, nil, refusal)
        } else if let hold {
            (next.state, next.dueAt, next.reason) = (.held, hold.until, hold.reason)
        } else if let suspension {
            (next.state, next.reason) = (.waiting, suspension)
            next.dueAt = now.adding(seconds: Limits.heldStartSeconds)
        } else if budget.take(at: now, under: policy) {
            (next.state, next.reason) = (.trying, nil)
            next.attempts += 1
            next.firstTriedAt = start.attempts > 0 ? start.firstTriedAt ?? now : now
            // Looked at again in case this node does not live to tell.
            next.dueAt = now.adding(seconds: Limits.startLookSeconds)
        } else {
            (next.state, next.reason) = (.held, "budget")
            next.dueAt = budget.next(from: now, under: policy)
        }
        return next
    }

    /// The result of its push. Means something to a start that is `trying` only.
    ///
    /// - Parameter tokenPutAt: when the app last put the token that was used: APNs may have found a
    ///   token dead before that.
    public static func answered(
        _ start: CardStart, _ result: PushResult, tokenPutAt: Moment, at now: Moment,
        under rules: GiveUpRules.Bounds = GiveUpRules().starts
    ) -> AnsweredStart {
        guard start.state == .trying else { return AnsweredStart(start: start) }
        switch result {
        // Not charged, and surely not started.
        case .deferred:
            var unsent = start
            (unsent.state, unsent.dueAt, unsent.reason) = (.waiting, now, nil)
            unsent.attempts -= 1
            // Its time begins with the first push that leaves.
            if unsent.attempts == 0 { unsent.firstTriedAt = nil }
            return AnsweredStart(start: unsent, isUnsent: true)
        case .notAnswered(let reason, let mayHaveBeenDelivered):
            return AnsweredStart(
                start: mayHaveBeenDelivered
                    ? final(start, .unknown, reason) : again(start, reason, at: now, rules))
        case .answered(let response):
            return judged(start, response, tokenPutAt: tokenPutAt, at: now, rules)
        }
    }

    private static func judged(
        _ start: CardStart, _ response: PushResponse, tokenPutAt: Moment, at now: Moment,
        _ rules: GiveUpRules.Bounds
    ) -> AnsweredStart {
        let reason = response.failure
        switch response.verdict {
        case .accepted: return AnsweredStart(start: final(start, .started, nil))
        case .retryLater, .connectionUnfit, .credentialsRefused:
            return AnsweredStart(start: again(start, reason, at: now, rules))
        case .tokenDead(let since):
            if let since, tokenPutAt.microseconds / 1000 > since {
                return AnsweredStart(start: again(start, reason, at: now, rules))
            }
            return AnsweredStart(start: final(start, .refused, reason), isTokenDead: true)
        // Nothing more goes to it until the app puts it again.
        case .tokenUnfit:
            return AnsweredStart(start: final(start, .refused, reason), isTokenDead: true)
        case .requestRefused, .channelGone, .limitReached, .featureDisabled:
            return AnsweredStart(start: final(start, .refused, reason))
        }
    }

    /// Later and later, a few times, and only while a card that appears is still no surprise.
    private static func again(
        _ start: CardStart, _ reason: String, at now: Moment, _ rules: GiveUpRules.Bounds
    ) -> CardStart {
        let age = start.firstTriedAt.map { now.seconds(since: $0) } ?? 0
        guard start.attempts < rules.attemptsMax, age < rules.ageSecondsMax else {
            return final(start, .refused, reason)
        }
        var next = start
        var delay = Limits.startRetrySecondsMin
        for _ in 1..<max(start.attempts, 1) { delay *= 3 }
        (next.state, next.reason) = (.waiting, reason)
        next.dueAt = now.adding(seconds: delay)
        return next
    }

    private static func final(
        _ start: CardStart, _ state: StartState, _ reason: String?
    ) -> CardStart {
        var next = start
        (next.state, next.dueAt, next.reason) = (state, nil, reason)
        return next
    }
}
