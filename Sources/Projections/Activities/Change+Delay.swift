public import Domain

/// An expected arrival.
public struct Estimate: Codable, Hashable, Sendable {
    /// When it is to come.
    public var deliveryAt: Moment
    /// The source's, when it moved.
    public var reason: String?
}

/// A state that knows by how much something comes later than people count on.
public protocol DelayedState {
    /// The arrival that people count on.
    var countedOn: Moment? { get }
    /// The newest of all.
    var estimate: Latest<Estimate>? { get }
    /// The worst that cards have shown.
    var worstEstimate: Moment? { get }
}

extension DelayedState {
    /// By the newest estimate; 0 when in time.
    public var delaySeconds: Double { secondsLate(estimate?.value.deliveryAt) }

    /// By the worst one that cards have shown; 0 when it always was in time.
    public var worstDelaySeconds: Double { secondsLate(worstEstimate) }

    private func secondsLate(_ arrival: Moment?) -> Double {
        guard let arrival, let countedOn else { return 0 }
        return max(0, arrival.seconds(since: countedOn))
    }
}

extension Change where Kind.State: DelayedState {
    /// A delay as a text has it.
    func minutes(_ delay: Double) -> Int { Int((delay / 60).rounded()) }

    /// - Parameter step: each full one is news.
    func extent(_ delay: Double, _ step: Threshold) -> AlertContext.Extent {
        AlertContext.Extent(seconds: delay, stepSeconds: policy[step])
    }

    /// A delay that nobody has heard of yet is said as it is now, or not at all. One that came and
    /// went before anybody heard of it is said when it comes back.
    /// - Parameters:
    ///   - subject: of the alerts about it.
    ///   - rule: whose alerts they are.
    ///   - step: each full one is news.
    ///   - isChanged: asked only of something that comes later.
    ///   - mayTell: false where it is no news any more.
    ///   - words: the text for the delay as it is now.
    public func amendDelay(
        _ assessment: inout Assessment, _ subject: String, of rule: Rule, _ step: Threshold,
        isChanged: @autoclosure () -> Bool, mayTell: Bool = true, _ words: (Double) -> Words
    ) {
        let delay = after.delaySeconds
        guard minutes(delay) > 0 else {
            if minutes(before.delaySeconds) > 0 {
                assessment.alertContext.withdrawnSubjects.append(subject)
            }
            return
        }
        guard isChanged() else { return }
        var amendment = Assessment.Amendment(subject, words(delay))
        if mayTell, policy.significance(of: rule) == .alert {
            amendment.telling = Assessment.Telling(
                rule: rule.name, weight: Kind.weight(of: rule), extent: extent(delay, step))
        }
        let worst = extent(max(before.worstDelaySeconds, after.worstDelaySeconds), step)
        amendment.isBelowAlerting = !worst.exceeds(heardSeconds: 0)
        assessment.amendments = [amendment]
    }
}
