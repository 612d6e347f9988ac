import DeliveryRules
import Domain
public import EventStore
import Foundation
import JSON
import Projections

/// Takes a person's data from an activity: from its events, and from all that was made of them.
/// Pure.
///
/// What was made of the events is made again of those without the data, so that no text can be
/// forgotten, and so that a verification of the log finds what it expects.
public enum Erasing {
    public static func rewrite(
        _ content: ErasureContent
    ) -> Result<ErasureChanges, ErasureRefusal> {
        if content.isRebuilding { return .failure(.isRebuilding) }
        if content.snapshot?.blockage != nil { return .failure(.isBlocked) }
        if content.events.contains(where: { $0.position > content.checkpoint }) {
            return .failure(.isBehind)
        }
        var changes = ErasureChanges()
        changes.destroysKey = content.hasKey
        var marks = Marks(content.events)
        let events = content.events.map { marks.erased($0) }
        changes.events = zip(content.events, events).filter { $0 != $1 }.map { $1 }
        (changes.valueCount, changes.eventCount) = (marks.count, marks.eventCount)
        let isFolded = { (event: RecordedEvent) in !content.unfolded.contains(event.position) }
        do {
            let book = try ActivityCatalog.standard.book(content.policies.all)
            let before = try Course(content.events.filter(isFolded), book)
            guard !changes.events.isEmpty else {
                makeAgain(content.snapshot, before, &changes)
                return .success(changes)
            }
            let after = try Course(events.filter(isFolded), book)
            guard after.snapshot?.version == content.snapshot?.version else {
                return .failure(.isUnfoldable)
            }
            changes.snapshot = snapshot(content.snapshot, before, after)
            changes.decisions = content.decisions.compactMap {
                let rewritten = rewritten($0, before, after)
                return rewritten == $0 ? nil : rewritten
            }
            changes.formerWords = before.words.subtracting(after.words).sorted {
                ByteKey($0) < ByteKey($1)
            }
            return .success(changes)
        } catch {
            return changes.events.isEmpty ? .success(changes) : .failure(.isUnfoldable)
        }
    }

    /// Takes from the state what its events do not say any more: a rebuild may have read them
    /// before an erasure, and brought the state of then back after it. What another fold has
    /// written may differ for that reason alone.
    private static func makeAgain(
        _ stored: Snapshot?, _ course: Course, _ changes: inout ErasureChanges
    ) {
        guard let stored, let made = course.snapshot, made.version == stored.version,
            made.foldVersion == stored.foldVersion,
            made.state != stored.state || !made.showsTheSame(as: stored)
        else { return }
        changes.snapshot = snapshot(stored, course, course)
        let words = Set(stored.facts.words.words).subtracting(course.words)
        changes.formerWords = words.sorted { ByteKey($0) < ByteKey($1) }
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
        var decision = scrubbed(stored)
        decision.contentState = made.contentState
        guard made.withoutTexts == was.withoutTexts else {
            decision.rulesVersion = unknownRules
            return decision
        }
        if stored == was { return made }
        if stored.reason == was.reason { decision.reason = made.reason }
        if stored.alert == was.alert { decision.alert = made.alert }
        if stored.alertContext == was.alertContext { decision.alertContext = made.alertContext }
        return decision
    }

    /// Marks a decision that no rules give without the data: two names that look alike are one
    /// driver to a policy, and marks never look alike. What was done stays in the ledger, and a
    /// verification does not expect to find it in the log.
    private static let unknownRules = 0

    private static func scrubbed(_ stored: Decision) -> Decision {
        var decision = stored
        // What is said of history is the same for everybody.
        if ![UnparkedHistory.historyRule, UnparkedHistory.newestRule].contains(stored.rule) {
            decision.reason = "Why was erased with a person's data."
        }
        decision.alert = stored.alert.map { _ in Alert(title: "erased", body: "erased") }
        decision.alertContext = nil
        decision.contentState = Data("{}".utf8)
        return decision
    }
}

extension Decision {
    /// What it does, whatever it says and shows.
    fileprivate var withoutTexts: Decision {
        var decision = self
        decision.reason = ""
        decision.contentState = Data()
        decision.alert = alert.map { _ in Alert(title: "", body: "") }
        let carried = alertContext?.carried ?? []
        decision.alertContext?.carried = carried.map { kept in
            KeptBackAlert(
                version: kept.version, alert: Alert(title: "", body: ""),
                alertContext: kept.alertContext)
        }
        let amendments = alertContext?.amendments ?? []
        decision.alertContext?.amendments = amendments.map { amendment in
            AlertContext.Amendment(
                subject: amendment.subject, alert: Alert(title: "", body: ""),
                extent: amendment.extent)
        }
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

/// What stands in place of an activity's erased values: the same for equal ones, in the order
/// of the values' bytes.
///
/// Reports of one moment are settled by their bytes, so the order of the marks decides what a fold
/// gives. Marks of an earlier erasure are values like any others: they are numbered again with what
/// was reported since.
private struct Marks {
    private static let personal = PersonalData(ActivityCatalog.standard.eventTypes)
    /// What a kind says where nobody is named says nothing of a person, and a card does not change
    /// when it is reported.
    private static let placeholders = Set(
        ActivityCatalog.standard.kinds.flatMap { $0.placeholders }.map { JSON.string($0).bytes })
    /// By the bytes of the value's JSON, as folds compare it: texts that look alike are two.
    private var texts: [[UInt8]: String] = [:]
    /// Values that were erased.
    private(set) var count = 0
    /// Events in which they were.
    private(set) var eventCount = 0

    init(_ events: [RecordedEvent]) {
        var values: Set<[UInt8]> = []
        var hasData = false
        for event in events {
            _ = Self.replacing(in: event.event) { value, bytes in
                values.insert(bytes)
                hasData = hasData || !PersonalData.isErased(value)
                return value
            }
        }
        // Else an erasure that is done again would change something.
        guard hasData else { return }
        let digits = String(values.count).utf8.count
        let inOrder = values.sorted { $0.lexicographicallyPrecedes($1) }
        for (place, value) in inOrder.enumerated() {
            let number = String(place + 1)
            let zeros = String(repeating: "0", count: digits - number.utf8.count)
            texts[value] = PersonalData.erasedPrefix + zeros + number
        }
    }

    mutating func erased(_ recorded: RecordedEvent) -> RecordedEvent {
        var erasedHere = 0
        let data = Self.replacing(in: recorded.event) { value, bytes in
            guard let text = texts[bytes] else { return value }
            if !PersonalData.isErased(value) { erasedHere += 1 }
            return .string(text)
        }
        count += erasedHere
        if erasedHere > 0 { eventCount += 1 }
        guard let data else { return recorded }
        var erased = recorded
        erased.event.data = data
        return erased
    }

    private static func replacing(
        in event: NewEvent, _ replace: (JSON, [UInt8]) -> JSON
    ) -> Data? {
        personal.replacing(
            in: event.data, of: event.type, schemaVersion: event.schemaVersion
        ) { value in
            let bytes = value.bytes
            return placeholders.contains(bytes) ? value : replace(value, bytes)
        }
    }
}
