import Domain
import Encodings
import EventStore
import HTTP
import JSON

enum EventAnswer {
    private struct Acceptance {
        var isNew: Bool
        var position: Int64
        var version: Int64

        var word: String { isNew ? "recorded" : "already-known" }

        init?(_ result: AppendResult) {
            switch result {
            case .recorded(let position, let version):
                (isNew, self.position, self.version) = (true, position, version)
            case .alreadyKnown(let position, let version):
                (isNew, self.position, self.version) = (false, position, version)
            case .contentConflict, .batchConflict, .versionConflict, .notRecorded: return nil
            }
        }
    }

    /// The answer for events: a row for each. It is written without a tree, as there may be a
    /// thousand.
    /// - Parameters:
    ///   - results: one for each entry without errors.
    ///   - log: where they stand.
    static func rows(
        _ entries: [EventEntry], _ results: [AppendResult], in log: LogStatus
    ) -> Response {
        var isAllNew = !entries.isEmpty
        var isAllAccepted = true
        var rest = results.makeIterator()
        var body: [UInt8] = []
        body.reserveCapacity(16 + entries.count * 128)
        body.append(#"{"events":["#)
        for index in entries.indices {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            guard let event = entries[index].event, let result = rest.next() else {
                isAllAccepted = false
                let (id, source) = entries[index].identifiers
                refused(id, source, "refused", entries[index].errors).append(to: &body)
                continue
            }
            if let acceptance = Acceptance(result) {
                isAllNew = isAllNew && acceptance.isNew
                append(event, acceptance, entries[index].unknownFields, to: &body)
            } else {
                isAllAccepted = false
                let conflict = conflict(result, of: event, at: entries[index].root)
                refused(event.id, event.source, "conflict", conflict.map { [$0] } ?? [])
                    .append(to: &body)
            }
        }
        body.append("]}")
        let response = Response(
            status: isAllAccepted ? (isAllNew ? 201 : 200) : 207,
            headers: ["content-type": "application/json"], body: .bytes(body))
        return response.located(at: results.first, count: results.count, in: log)
    }

    private static func append(
        _ event: NewEvent, _ acceptance: Acceptance, _ unknownFields: Int, to body: inout [UInt8]
    ) {
        body.append(#"{"id":"#)
        CanonicalText.append(event.id, to: &body)
        body.append(#","source":"#)
        CanonicalText.append(event.source, to: &body)
        body.append(#","outcome":"#)
        CanonicalText.append(acceptance.word, to: &body)
        body.append(#","position":"#)
        CanonicalText.append(acceptance.position, to: &body)
        body.append(#","version":"#)
        CanonicalText.append(acceptance.version, to: &body)
        if unknownFields > 0 {
            body.append(#","unknownFields":"#)
            CanonicalText.append(Int64(unknownFields), to: &body)
        }
        body.append(UInt8(ascii: "}"))
    }

    private static func refused(
        _ id: String?, _ source: String?, _ result: String, _ errors: [ProblemDocument.InputError]
    ) -> JSON {
        [
            "id": .optional(id), "source": .optional(source), "outcome": .string(result),
            "problems": .array(errors.map(\.json)),
        ]
    }

    /// Every conflict of a batch that was not recorded.
    static func conflicts(
        _ entries: [EventEntry], _ results: [AppendResult]
    ) -> [ProblemDocument.InputError] {
        guard results.contains(where: { Acceptance($0) == nil }) else { return [] }
        // Where each idempotency key is for the first time.
        let firstIndices = Dictionary(
            entries.enumerated().compactMap { index, entry in
                entry.event.map { (idempotencyKey($0), index) }
            }, uniquingKeysWith: { first, _ in first })
        // How many versions of each activity the batch would have made.
        var rolledBack: [ActivityID: Int64] = [:]
        var rolledBackKeys: Set<[UInt8]> = []
        return results.indices.compactMap { index in
            guard let event = entries[index].event else { return nil }
            let root = entries[index].root
            switch results[index] {
            case .recorded, .alreadyKnown: return nil
            case .notRecorded:
                // One that is there twice would have been recorded once.
                if rolledBackKeys.insert(idempotencyKey(event)).inserted {
                    rolledBack[event.activityID, default: 0] += 1
                }
                return nil
            case .batchConflict:
                return batchConflict(root, firstIndices[idempotencyKey(event)] ?? 0)
            case .contentConflict, .versionConflict:
                let ahead = rolledBack[event.activityID] ?? 0
                return conflict(results[index], of: event, at: root, ahead: ahead)
            }
        }
    }

    /// - Parameter ahead: versions that events before it in a batch would have made, of which none
    ///   was recorded.
    static func conflict(
        _ result: AppendResult, of event: NewEvent, at root: String, ahead: Int64 = 0
    ) -> ProblemDocument.InputError? {
        switch result {
        // `conflicts` reports what is in a batch twice, because it knows the whole batch.
        case .recorded, .alreadyKnown, .notRecorded, .batchConflict: return nil
        case .contentConflict(let position):
            return .init(
                problem: .contentConflict, pointer: root + "/id",
                detail: "Position \(position) of the log has this `id` and `source` with other "
                    + "content.",
                figures: ["position": position])
        case .versionConflict(let actual):
            var figures = ["actualVersion": actual - ahead]
            figures["expectedVersion"] = event.expectedVersion
            let beyond =
                ahead > 0 ? ", and the events before this one would bring it to \(actual)" : ""
            return .init(
                problem: .versionConflict, pointer: root + "/expectedversion",
                detail: "The activity is at version \(actual - ahead)\(beyond).",
                figures: figures)
        }
    }

    /// The other event is not in the log but in the same batch.
    private static func batchConflict(
        _ root: String, _ earlier: Int
    ) -> ProblemDocument.InputError {
        .init(
            problem: .contentConflict, pointer: root + "/id",
            detail: "Event \(earlier) of this batch, counted from 0, has the same `id` and "
                + "`source` with other content.",
            figures: ["earlierIndex": Int64(earlier)])
    }

    private static func idempotencyKey(_ event: NewEvent) -> [UInt8] {
        Array(event.source.utf8) + [0] + Array(event.id.utf8)
    }
}

extension Response {
    /// Adds where new events are in the log: one after the other, from `first` on.
    func located(at first: AppendResult?, count: Int, in log: LogStatus) -> Response {
        guard status == 201, case .recorded(let position, _) = first else { return self }
        let limit = min(count, Limits.pageRowsMax)
        // An interpolation would be made in several pieces, and every answer has one.
        var place = EventRoutes.intakePath
        place += "?after="
        place += log.cursor(position - 1)
        place += "&limit="
        place += String(limit)
        return located(at: place)
    }
}
