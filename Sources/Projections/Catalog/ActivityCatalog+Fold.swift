import Domain
import Foundation

/// The fold of a report, and what holds for every kind's assessment of it.
extension ActivityCatalog {
    func fold<K: ActivityKind>(
        _ kind: K.Type, _ recorded: RecordedEvent, into snapshot: Snapshot?
    ) throws(FoldError) -> FoldedChange {
        let event: K.Event
        do {
            event = try kind.event(
                type: recorded.event.type, schemaVersion: recorded.event.schemaVersion,
                data: recorded.event.data)
        } catch { throw .refused(error) }
        var memory = FoldMemory(
            facts: kind.initial, lifetime: Lifetime(appearedAt: recorded.recordedAt))
        if let snapshot { memory = try FoldMemory(snapshot) }
        let before = memory.facts
        let hadEnded = memory.lifetime.end != nil
        kind.evolve(&memory.facts, with: event, occurredAt: recorded.event.occurredAt)
        let contentState = WireCoder.encode(kind.contentState(of: memory.facts))
        let isVisible = contentState != snapshot?.contentState
        let phase = hadEnded ? .ended : kind.phase(of: memory.facts)
        let change = Change<K>(
            before: before, after: memory.facts, event: event,
            occurredAt: recorded.event.occurredAt, recordedAt: recorded.recordedAt,
            isVisible: isVisible)
        let assessment = kind.assess(change).forced(
            hadEnded: hadEnded, hasEnded: phase == .ended, isVisible: isVisible)
        memory.lifetime.report(
            phase: phase, plannedStart: kind.plannedStart(of: memory.facts),
            assessment: assessment, recordedAt: recorded.recordedAt)
        var folded = Snapshot(
            activityID: recorded.event.activityID, kind: kind.name, version: recorded.version,
            position: recorded.position, phase: phase, state: WireCoder.encode(memory),
            attributes: WireCoder.encode(kind.attributes(of: memory.facts)),
            contentState: contentState, updatedAt: recorded.recordedAt)
        if let snapshot { folded.dispatch = snapshot.dispatch }
        folded.dueAt = memory.lifetime.nextDue?.at
        return FoldedChange(
            snapshot: folded, isVisible: isVisible, assessment: assessment,
            due: memory.lifetime.nextDue.map { DueEvent($0, of: folded) })
    }
}

extension Assessment {
    /// Two rules come before every kind's own: after the end nobody is told anything, and what the
    /// phone shows already is no news, unless it is the end.
    fileprivate func forced(hadEnded: Bool, hasEnded: Bool, isVisible: Bool) -> Assessment {
        var forced = self
        if hadEnded {
            forced.rule = "afterEnd"
            forced.reason = "The card has ended; only the record is corrected."
            forced.staleAt = nil
            forced.ending = nil
        } else if !isVisible && !hasEnded {
            forced.rule = "unchanged"
            forced.reason = "The phone already shows this."
        } else {
            return self
        }
        forced.significance = .none
        return forced
    }
}
