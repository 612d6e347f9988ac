import Domain
import EventStore
import HTTP

/// What became of the events of a request, as its sender is told.
enum EventAnswer {
    /// For events that all stand in the log.
    static func accepted(_ entries: [EventEntry], _ outcomes: [AppendOutcome]) -> Response {
        var isAllNew = true
        let rows = zip(entries, outcomes).map { entry, outcome -> JSON in
            guard let event = entry.event, let row = row(event, outcome, entry.unknownFields)
            else { preconditionFailure("an append without conflicts accepts every event") }
            if case .alreadyKnown = outcome { isAllNew = false }
            return row
        }
        return .json(isAllNew ? 201 : 200, ["events": .array(rows)])
    }

    /// For events of which each stands for itself.
    /// - Parameter outcomes: one for each entry without faults.
    static func partial(_ entries: [EventEntry], _ outcomes: [AppendOutcome]) -> Response {
        var isAllNew = true
        var isAllAccepted = true
        var rest = outcomes.makeIterator()
        let rows = entries.map { entry -> JSON in
            guard let event = entry.event, let outcome = rest.next() else {
                isAllAccepted = false
                return refused(entry.name.id, entry.name.source, "refused", entry.faults)
            }
            if case .recorded = outcome {} else { isAllNew = false }
            if let row = row(event, outcome, entry.unknownFields) { return row }
            isAllAccepted = false
            let conflict = conflict(outcome, of: event, at: entry.root)
            return refused(event.id, event.source, "conflict", conflict.map { [$0] } ?? [])
        }
        let status = isAllAccepted ? (isAllNew && !rows.isEmpty ? 201 : 200) : 207
        return .json(status, ["events": .array(rows)])
    }

    /// Nil for an event that conflicts.
    private static func row(
        _ event: NewEvent, _ outcome: AppendOutcome, _ unknownFields: Int
    ) -> JSON? {
        let (word, position, version): (String, Int64, Int64)
        switch outcome {
        case .recorded(let at, let number): (word, position, version) = ("recorded", at, number)
        case .alreadyKnown(let at, let number):
            (word, position, version) = ("already-known", at, number)
        case .contentConflict, .versionConflict, .notRecorded: return nil
        }
        var members: [JSON.Member] = [
            .init(name: "id", value: .string(event.id)),
            .init(name: "source", value: .string(event.source)),
            .init(name: "outcome", value: .string(word)),
            .init(name: "position", value: .integer(position)),
            .init(name: "version", value: .integer(version)),
        ]
        if unknownFields > 0 {
            members.append(.init(name: "unknownFields", value: .integer(unknownFields)))
        }
        return .object(members)
    }

    private static func refused(
        _ id: String?, _ source: String?, _ outcome: String, _ faults: [ProblemDocument.Fault]
    ) -> JSON {
        [
            "id": .optional(id), "source": .optional(source), "outcome": .string(outcome),
            "problems": .array(faults.map(\.json)),
        ]
    }

    /// Every conflict of a batch that was not recorded.
    static func conflicts(
        _ entries: [EventEntry], _ outcomes: [AppendOutcome]
    ) -> [ProblemDocument.Fault] {
        zip(entries, outcomes).enumerated().compactMap { index, pair in
            guard let event = pair.0.event else { return nil }
            if pair.1 == .contentConflict(position: 0) {
                return twinConflict(event, pair.0.root, before: index, in: entries)
            }
            return conflict(pair.1, of: event, at: pair.0.root)
        }
    }

    /// Nil for an outcome that is no conflict.
    static func conflict(
        _ outcome: AppendOutcome, of event: NewEvent, at root: String
    ) -> ProblemDocument.Fault? {
        switch outcome {
        case .recorded, .alreadyKnown, .notRecorded: return nil
        case .contentConflict(let position):
            return .init(
                problem: .contentConflict, pointer: root + "/id",
                detail: "Position \(position) of the log has this `id` and `source` with other "
                    + "content.",
                figures: ["position": position])
        case .versionConflict(let actual):
            var figures = ["actualVersion": actual]
            figures["expectedVersion"] = event.expectedVersion
            return .init(
                problem: .versionConflict, pointer: root + "/expectedversion",
                detail: "The activity is at version \(actual).", figures: figures)
        }
    }

    /// The other event is not in the log but in the same batch.
    private static func twinConflict(
        _ event: NewEvent, _ root: String, before index: Int, in entries: [EventEntry]
    ) -> ProblemDocument.Fault {
        let twin = entries[..<index].firstIndex {
            $0.event?.id == event.id && $0.event?.source == event.source
        }
        return .init(
            problem: .contentConflict, pointer: root + "/id",
            detail: "Event \(twin ?? 0) of this batch, counted from 0, has the same `id` and "
                + "`source` with other content.",
            figures: ["earlierIndex": Int64(twin ?? 0)])
    }
}
