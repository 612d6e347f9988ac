import Domain
import JSON
import Projections

/// How often an activity's phones are pushed, and at which priority: budgets and windows.
///
/// Apple publishes no budget; the figures are the tenant's policy. Priority 10 counts against it,
/// priority 5 does not, and apps with frequent updates have more of it, so each sort
/// of phone has a bucket, and a third one is for the pace of priority 5.
/// Source: ActivityKit, "Starting and updating Live Activities with ActivityKit push
/// notifications".
struct Pace: Hashable, Codable, Sendable {
    private var standard = TokenBucket()
    private var frequent = TokenBucket()
    private var quiet = TokenBucket()
    private var lastPush: Int64?
    /// When a push is to go out that waits for its time.
    private var scheduled: Int64?
    /// True if phones with frequent updates get it at priority 10, else nil. States that earlier
    /// programs stored have nil too: they took the token at once.
    private var waitsForFrequent: Bool?

    /// A push that the dispatch machine wants.
    struct Wanted {
        /// Priority 10, if the budget allows it.
        var isImmediate: Bool
        /// May take what is kept in reserve, and waits for nothing.
        var isCritical: Bool
        /// An alert does not wait for a window.
        var hasAlert: Bool
    }

    mutating func order(_ wanted: Wanted, at now: Moment, under figures: PaceFigures) -> PushOrder {
        payForScheduled(at: now, figures)
        let before = level(at: now, figures)
        var order = PushOrder()
        if wanted.isImmediate {
            let reserve = wanted.isCritical ? 0 : figures.budgetReserve
            order.isImmediate = standard.take(at: now, keeping: reserve, figures.standard)
            order.isImmediateForFrequent = frequent.has(
                at: now, keeping: reserve, figures.frequent)
            if !order.isImmediate { order.treatment = .lowered }
        }
        if order.isImmediate || wanted.isCritical {
            pushed(order, at: now, figures)
        } else {
            wait(&order, wanted, at: now, figures)
        }
        order.budget = BudgetChange(before: before, after: level(at: now, figures))
        return order
    }

    /// A push of priority 5: at once when the last one is long enough ago, else with the one that
    /// waits already, else as the first to wait. The time is found by the policy of now: what waits
    /// by one that was stricter goes along sooner.
    private mutating func wait(
        _ order: inout PushOrder, _ wanted: Wanted, at now: Moment, _ figures: PaceFigures
    ) {
        let window = wanted.hasAlert ? 0 : figures.coalesceSeconds
        let open = lastPush.map { Moment(microseconds: $0).adding(seconds: window) } ?? now
        let due = max(open, quiet.next(from: now, figures.quiet))
        guard due > now else {
            _ = quiet.take(at: now, keeping: 0, figures.quiet)
            return pushed(order, at: now, figures)
        }
        let sendAfter = scheduled.map { min(Moment(microseconds: $0), due) } ?? due
        scheduled = sendAfter.microseconds
        if order.isImmediateForFrequent { waitsForFrequent = true }
        order.sendAfter = sendAfter
        order.treatment = sendAfter.seconds(since: now) > figures.mergeSeconds ? .held : .merged
    }

    /// A push that waited has gone out since. It is paid for now and not before: another may have
    /// taken along what it was for.
    private mutating func payForScheduled(at now: Moment, _ figures: PaceFigures) {
        guard let scheduled, scheduled <= now.microseconds else { return }
        let due = Moment(microseconds: scheduled)
        _ = quiet.take(at: due, keeping: 0, figures.quiet)
        pushed(PushOrder(), at: due, figures)
    }

    /// What waited goes with it. However much that is, phones with frequent updates get one push.
    private mutating func pushed(_ order: PushOrder, at now: Moment, _ figures: PaceFigures) {
        if order.isImmediateForFrequent || waitsForFrequent == true {
            _ = frequent.take(at: now, keeping: 0, figures.frequent)
        }
        lastPush = now.microseconds
        scheduled = nil
        waitsForFrequent = nil
    }

    private func level(at now: Moment, _ figures: PaceFigures) -> BudgetChange.Level {
        BudgetChange.Level(
            standard: standard.tokens(at: now, figures.standard),
            frequent: frequent.tokens(at: now, figures.frequent),
            quiet: quiet.tokens(at: now, figures.quiet))
    }
}

extension Pace: CanonicalValue {
    func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("frequent", frequent)
            members.member("lastPush", lastPush)
            members.member("quiet", quiet)
            members.member("scheduled", scheduled)
            members.member("standard", standard)
            members.member("waitsForFrequent", waitsForFrequent)
        }
    }
}
