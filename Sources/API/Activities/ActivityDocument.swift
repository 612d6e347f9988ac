public import Explaining
import Foundation
import Projections
public import Domain
public import EventStore
public import JSON

/// The JSON forms of what the store keeps about activities.
public enum ActivityDocument {
    static func activity(_ snapshot: Snapshot) -> JSON {
        activity(snapshot, presentation: presentation(snapshot))
    }

    /// An activity and the decision about its version, which most times show the same.
    static func change(_ snapshot: Snapshot, _ decision: LedgerRow?) -> JSON {
        let shown = presentation(snapshot)
        return [
            "activity": activity(snapshot, presentation: shown),
            "decision": decision.map { row in
                let isShown = row.decision.contentState == snapshot.contentState
                return self.decision(row, of: snapshot, isShown ? shown : nil)
            } ?? .null,
        ]
    }

    private static func activity(_ snapshot: Snapshot, presentation: JSON) -> JSON {
        [
            "id": .string(snapshot.activityID.rawValue),
            "kind": .string(snapshot.kind),
            "phase": .string(snapshot.phase.rawValue),
            "version": .integer(snapshot.version),
            "position": .integer(snapshot.position),
            "updatedAt": moment(snapshot.updatedAt),
            "attributes": .encoded(snapshot.attributes),
            "contentState": .encoded(snapshot.contentState),
            "presentation": presentation,
            "facts": facts(snapshot.facts),
            "fault": .optional(snapshot.blockage),
        ]
    }

    /// For one activity alone: with the fold's own state and when the card goes stale.
    static func whole(_ snapshot: Snapshot) -> JSON {
        let lifetime = try? ActivityCatalog.standard.lifetime(of: snapshot)
        return activity(snapshot).adding([
            "state": .encoded(snapshot.state), "staleAt": moment(lifetime?.staleAt),
            "isStale": .bool(lifetime?.isStale ?? false),
        ])
    }

    private static func facts(_ facts: ActivityFacts) -> JSON {
        [
            "promisedAt": moment(facts.promisedAt),
            "expectedAt": moment(facts.expectedAt),
            "actualAt": moment(facts.actualAt),
            "startsAt": moment(facts.startsAt),
            "competition": .optional(facts.competition),
        ]
    }

    /// A decision with what led to it.
    /// - Parameters:
    ///   - before: the content state of the decision before; nil for the first.
    ///   - event: the one that was decided about.
    ///   - later: what later pushes brought to phones that its own did not reach.
    ///   - text: the result of its text; nil for one that had none.
    static func ledgerRow(
        _ row: LedgerRow, of snapshot: Snapshot?, before: Data?, event: RecordedEvent?,
        later: LaterPushes, text: TextResult?
    ) -> JSON {
        let changes = StateDifference.between(before, row.decision.contentState)
        let sentences = row.outcomeSentences(later: later, text: text ?? TextResult())
        return decision(row, of: snapshot, nil).adding([
            "outcomeText": .string(sentences.joined(separator: " ")),
            "event": event.map(cause) ?? .null, "changes": .array(changes.map(change)),
        ])
    }

    /// A decision with its result.
    /// - Parameter shown: the presentation of the decision's content state, if it is at hand.
    private static func decision(
        _ row: LedgerRow, of snapshot: Snapshot?, _ shown: JSON?
    ) -> JSON {
        // Of the versions before the newest no attributes are kept, and theirs may be others: a
        // match was moved, or an order corrected.
        let newest = snapshot.flatMap { $0.version == row.decision.version ? $0 : nil }
        let shown =
            shown ?? newest.map { presentation($0, showing: row.decision.contentState) } ?? .null
        return decision(row.decision, presentation: shown)
            .adding(["outcome": row.outcome.map(outcome) ?? .null])
    }

    /// A decision without its result.
    public static func decision(_ decision: Decision) -> JSON {
        self.decision(decision, presentation: nil)
    }

    /// - Parameter presentation: of its content state; nil leaves it out.
    private static func decision(_ decision: Decision, presentation: JSON?) -> JSON {
        let members: [(String, JSON?)] = [
            ("version", .integer(decision.version)),
            ("position", .integer(decision.position)),
            ("verdict", .string(decision.verdict.rawValue)),
            ("verdictText", .string(decision.verdict.words)),
            ("significance", decision.significance.map { .string($0.rawValue) }),
            ("rule", .string(decision.rule)),
            ("policyVersion", .integer(decision.policyVersion)),
            ("rulesVersion", .integer(decision.rulesVersion)),
            ("reason", .string(decision.reason)),
            ("order", decision.order.map(order) ?? .null),
            ("alert", decision.alert.map { .encoded(WireCoder.encode($0)) } ?? .null),
            ("news", decision.alertContext.map(alertContext) ?? .null),
            ("contentState", .encoded(decision.contentState)),
            ("bytes", .integer(decision.contentState.count)),
            ("presentation", presentation),
            ("staleAt", moment(decision.staleAt)),
            ("dismissAt", moment(decision.dismissAt)),
            (
                "relevanceScore",
                decision.relevanceScore.map { .encoded(WireCoder.encode($0)) } ?? .null
            ),
            ("decidedAt", moment(decision.decidedAt)),
        ]
        // What rows of before have not is left out.
        return .object(
            members.compactMap { name, value in
                value.map { JSON.Member(name: name, value: $0) }
            })
    }

    /// The CloudEvents form, with what the log added as extension attributes.
    static func event(_ recorded: RecordedEvent) -> JSON {
        .object(
            recorded.attributes + extensions(of: recorded.event)
                + [JSON.Member(name: "data", value: .encoded(recorded.event.data))])
    }

    private static func extensions(of event: NewEvent) -> [JSON.Member] {
        guard let kept = event.extensions,
            case .object(let members) = try? JSONParser.parse(Array(kept))
        else { return [] }
        return members
    }

    /// One member of a state that changed.
    public static func change(_ change: MemberChange) -> JSON {
        [
            "member": .string(change.member), "before": .optional(change.before),
            "after": .optional(change.after),
        ]
    }

    /// The event behind a decision, without its data.
    private static func cause(_ recorded: RecordedEvent) -> JSON {
        [
            "id": .string(recorded.event.id),
            "source": .string(recorded.event.source),
            "type": .string(recorded.event.type),
            "time": moment(recorded.event.occurredAt),
            "recordedat": moment(recorded.recordedAt),
        ]
    }

    private static func order(_ order: PushOrder) -> JSON {
        func level(_ level: BudgetChange.Level?) -> JSON {
            level.map { .encoded(WireCoder.encode($0)) } ?? .null
        }
        var document: JSON = [
            "step": .string(order.treatment.rawValue),
            "priority": .integer(order.isImmediate ? 10 : 5),
            "priorityForFrequentUpdates": .integer(order.isImmediateForFrequent ? 10 : 5),
            "sendAfter": moment(order.sendAfter),
            "budgetBefore": level(order.budget?.before),
            "budgetAfter": level(order.budget?.after),
        ]
        // Hardly any does.
        if order.restarts { document["restarts"] = .bool(true) }
        return document
    }

    private static func alertContext(_ alertContext: AlertContext) -> JSON {
        var document: JSON = [
            "weight": .integer(alertContext.weight),
            "subject": .optional(alertContext.subject),
            "withdraws": .array(alertContext.withdrawnSubjects.map(JSON.string)),
            "isCorrection": .bool(alertContext.isCorrection),
            "silence": .optional(alertContext.silence?.rawValue),
            "carried": .array(
                alertContext.carried.map { carried in
                    [
                        "version": .integer(carried.version),
                        "alert": .encoded(WireCoder.encode(carried.alert)),
                    ]
                }),
            "dropped": .array(alertContext.dropped.map { .integer($0) }),
        ]
        // Hardly any does.
        if !alertContext.amendments.isEmpty {
            document["amends"] = .array(
                alertContext.amendments.map { amendment in
                    [
                        "subject": .string(amendment.subject),
                        "alert": .encoded(WireCoder.encode(amendment.alert)),
                    ]
                })
        }
        return document
    }

    /// What came of a decision.
    public static func outcome(_ outcome: LedgerRow.Outcome) -> JSON {
        [
            "carriedBy": .integer(outcome.carriedBy),
            "timestamp": .optionalInteger(outcome.timestamp),
            "phones": .integer(outcome.phones),
            "accepted": .integer(outcome.accepted),
            "failed": .integer(outcome.failed),
            "channels": [
                "accepted": .integer(outcome.channels.accepted),
                "failed": .integer(outcome.channels.failed),
            ],
            "settledAt": moment(outcome.completedAt),
        ]
    }

    private static func presentation(_ snapshot: Snapshot) -> JSON {
        let presentation = try? ActivityCatalog.standard.presentation(of: snapshot)
        return presentation.map(PresentationDocument.json) ?? .null
    }

    /// `null` when the stored forms do not decode; the activity's `fault` then says more.
    private static func presentation(_ snapshot: Snapshot, showing contentState: Data) -> JSON {
        let presentation = try? ActivityCatalog.standard.presentation(
            kind: snapshot.kind, attributes: snapshot.attributes, contentState: contentState)
        return presentation.map(PresentationDocument.json) ?? .null
    }

    private static func moment(_ moment: Moment?) -> JSON {
        moment.map { .string($0.rfc3339) } ?? .null
    }
}
