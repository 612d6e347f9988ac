import Domain
import Projections
import PushDispatch

/// One activity under the policy that it had and under the one that is tried: decided about twice,
/// and folded once where both policies judge alike.
final class BothPolicies {
    enum Standing {
        case underWay
        /// Under both policies; nothing comes any more.
        case ended
        /// An event cannot be folded, and so nothing that comes after it.
        case leftOut
    }

    let id: ActivityID
    let kind: String
    private let policies: PolicyPair
    private let fold: AssessingFold
    /// Under the policy that is tried; nil where `fold` says the same.
    private let triedFold: AssessingFold?
    private var machine = DispatchMachine()
    private var triedMachine = DispatchMachine()
    /// Of both machines. Noted, as it is asked for each event and changes with few.
    private var passesOverUntil = DispatchMachine().passesOverUntil
    private(set) var tally: AlertTally
    private(set) var isCounted = false

    /// An activity before its first event, which is then taken as every other.
    /// - Parameter alertsListed: how many alerts of each side are listed.
    /// - Throws: `FoldError` when that event belongs to no kind.
    init(
        before first: EventInPlace, _ kind: String, _ policies: PolicyPair, alertsListed: Int = 0
    ) throws(FoldError) {
        id = first.activityID
        self.kind = kind
        self.policies = policies
        tally = AlertTally(listedMax: alertsListed)
        let isTranslated = policies.isTranslated(ofKind: kind)
        fold = try AssessingFold(before: first, isTranslated: isTranslated)
        triedFold =
            policies.judgesAlike(ofKind: kind)
            ? nil : try AssessingFold(before: first, isTranslated: isTranslated)
    }

    /// - Throws: `FoldError` when the event, an activity's first, belongs to no kind.
    static func kind(of event: EventInPlace) throws(FoldError) -> String {
        let type = event.typeName
        guard let kind = ActivityCatalog.standard.kind(ofEventType: type)?.name else {
            throw .unknownKind(type)
        }
        return kind
    }

    /// Takes the activity's next event.
    func take(_ event: EventInPlace) -> Standing {
        do throws(FoldError) { try judge(event) } catch {
            // What another kind reports is parked alone.
            if case .kindMismatch = error { return .underWay }
            return .leftOut
        }
        return machine.hasEnded && triedMachine.hasEnded ? .ended : .underWay
    }

    /// What is not assessed is held back as unchanged, which no figure counts.
    private func judge(_ event: EventInPlace) throws(FoldError) {
        let isTerse = event.recordedAt < passesOverUntil
        var mine: Decision?
        var theirs: Decision?
        if var change = try fold.fold(event, under: policies.own, isTerse: isTerse) {
            mine = machine.changed(change)
            if triedFold == nil {
                // In place: a copy takes as long as deciding about it.
                change.policy = policies.tried.policy(ofKind: kind, at: event.position)
                theirs = triedMachine.changed(change)
            }
        }
        if let change = try triedFold?.fold(event, under: policies.tried, isTerse: isTerse) {
            theirs = triedMachine.changed(change)
        }
        passesOverUntil = min(machine.passesOverUntil, triedMachine.passesOverUntil)
        guard event.position >= policies.since else { return }
        isCounted = true
        tally.note(mine, theirs)
    }
}
