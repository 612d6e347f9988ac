import Domain
public import EventStore
import Foundation
import JSON
import Projections
import PushDispatch

/// Takes a person's data from an activity: from its events, and from all that was made of them.
/// Pure.
///
/// What was made of the events is made again of those without the data, so that no text can be
/// forgotten, and so that a verification of the log finds what it expects.
public enum Erasing {
    public static func rewrite(
        _ content: ErasureContent
    ) -> Result<ErasureOutcome, ErasureRefusal> {
        if content.isRebuilding { return .failure(.isRebuilding) }
        if content.snapshot?.fault != nil { return .failure(.isBlocked) }
        if content.events.contains(where: { $0.position > content.checkpoint }) {
            return .failure(.isBehind)
        }
        var outcome = ErasureOutcome()
        outcome.destroysKey = content.hasKey
        var marks = Marks(content.events)
        let events = content.events.map { marks.erased($0) }
        outcome.events = zip(content.events, events).filter { $0 != $1 }.map { $1 }
        outcome.valueCount = marks.count
        guard !outcome.events.isEmpty else { return .success(outcome) }
        let isFolded = { (event: RecordedEvent) in !content.unfolded.contains(event.position) }
        do {
            let book = try ActivityCatalog.standard.book(content.policies.all)
            let before = try Course(content.events.filter(isFolded), book)
            let after = try Course(events.filter(isFolded), book)
            guard after.snapshot?.version == content.snapshot?.version else {
                return .failure(.isUnfoldable)
            }
            outcome.snapshot = snapshot(content.snapshot, before, after)
            outcome.decisions = content.decisions.compactMap {
                let rewritten = rewritten($0, before, after)
                return rewritten == $0 ? nil : rewritten
            }
            outcome.formerWords = before.words.subtracting(after.words).sorted {
                ByteKey($0) < ByteKey($1)
            }
            return .success(outcome)
        } catch { return .failure(.isUnfoldable) }
    }

    private static func snapshot(
        _ stored: Snapshot?, _ before: Course, _ after: Course
    ) -> Snapshot? {
        guard let stored, var snapshot = after.snapshot else { return nil }
        if stored.dispatch != before.snapshot?.dispatch {
            // Other rules have decided: what phones were sent stays, without words that wait.
            var machine = try? JSONParser.parse(Array(stored.dispatch), isStrict: false)
            machine?["backlog"] = nil
            if let machine { snapshot.dispatch = Data(machine.bytes) }
        }
        return snapshot
    }

    /// A decision as it is with the data gone. Of one that is not as the log gives it, since other
    /// rules have made it, no text stays that cannot be made again.
    private static func rewritten(
        _ stored: Decision, _ before: Course, _ after: Course
    ) -> Decision {
        guard let was = before.decisions[stored.version], let made = after.decisions[stored.version]
        else { return scrubbed(stored) }
        if stored == was, made.verdict == was.verdict { return made }
        var decision = scrubbed(stored)
        decision.contentState = made.contentState
        if stored.reason == was.reason { decision.reason = made.reason }
        if stored.alert == was.alert { decision.alert = made.alert }
        if stored.news == was.news { decision.news = made.news }
        return decision
    }

    private static func scrubbed(_ stored: Decision) -> Decision {
        var decision = stored
        // What catching up says is the same for everybody.
        if ![CatchUp.historyRule, CatchUp.newestRule].contains(stored.rule) {
            decision.reason = "Why was erased with a person's data."
        }
        decision.alert = stored.alert.map { _ in Alert(title: "erased", body: "erased") }
        decision.news = nil
        decision.contentState = Data("{}".utf8)
        return decision
    }
}

/// An activity folded and decided about from its first event on.
private struct Course {
    var snapshot: Snapshot?
    var decisions: [Int64: Decision] = [:]
    /// That it could be found by at any time.
    var words: Set<String> = []

    init(_ events: [RecordedEvent], _ book: PolicyBook) throws(FoldError) {
        for event in events {
            let step = try ActivityStep.apply(event, to: snapshot, under: book)
            snapshot = step.snapshot
            decisions[step.decision.version] = step.decision
            words.formUnion(step.snapshot.facts.words.words)
        }
    }
}

/// What stands in the place of an activity's erased values: the same for equal ones.
private struct Marks {
    private static let personal = PersonalData(ActivityCatalog.standard.eventTypes)
    private var texts: [JSON: String] = [:]
    /// Of the last one that was given out.
    private var number = 0
    /// Values that were erased.
    private(set) var count = 0

    /// Goes on after those that an earlier erasure gave out.
    init(_ events: [RecordedEvent]) {
        for event in events {
            _ = Self.personal.replacing(
                in: event.event.data, of: event.event.type,
                schemaVersion: event.event.schemaVersion
            ) { value in
                if PersonalData.isErased(value), let text = value.text,
                    let known = Int(text.dropFirst(PersonalData.erasedPrefix.count)),
                    known < Limits.erasedMarksMax
                {
                    number = max(number, known)
                }
                return value
            }
        }
    }

    mutating func erased(_ recorded: RecordedEvent) -> RecordedEvent {
        let event = recorded.event
        let data = Self.personal.replacing(
            in: event.data, of: event.type, schemaVersion: event.schemaVersion
        ) { value in
            if PersonalData.isErased(value) { return value }
            count += 1
            if let text = texts[value] { return .string(text) }
            number += 1
            let text = "\(PersonalData.erasedPrefix)\(number)"
            texts[value] = text
            return .string(text)
        }
        guard let data else { return recorded }
        var erased = recorded
        erased.event.data = data
        return erased
    }
}
