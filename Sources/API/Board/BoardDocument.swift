import Domain
public import EventStore
public import JSON
import Projections

/// The JSON forms of what the board shows.
public enum BoardDocument {
    static func row(
        _ snapshot: Snapshot, at now: Moment, _ progress: DeliveryProgress? = nil
    ) -> JSON {
        let lines = self.lines(of: snapshot)
        let row: JSON = [
            "id": .string(snapshot.activityID.rawValue),
            "kind": .string(snapshot.kind),
            "phase": .string(snapshot.phase.rawValue),
            "version": .integer(snapshot.version),
            "position": .integer(snapshot.position),
            "updatedAt": .string(snapshot.updatedAt.rfc3339),
            "title": .string(lines.first ?? snapshot.activityID.rawValue),
            "line": .optional(lines.dropFirst().first),
            "isLate": .bool(snapshot.facts.isLate(snapshot.phase, at: now)),
            "fault": .optional(snapshot.blockage),
        ]
        return progress.map { row.adding(deliveryProgress($0, of: snapshot.kind)) } ?? row
    }

    static func lines(of snapshot: Snapshot) -> [String] {
        let shown = try? ActivityCatalog.standard.presentation(of: snapshot)
        return shown?.lockScreenTexts ?? []
    }

    static func deliveryProgress(_ progress: DeliveryProgress, of kind: String) -> JSON {
        [
            "said": progress.said.map { said($0, of: kind) } ?? .null,
            "delivery": [
                "phones": .integer(progress.phones),
                "upToDate": .integer(progress.upToDate),
                "waiting": .integer(progress.waiting),
                "channels": .integer(progress.channels),
                "goneBy": .optional(progress.goneBy),
                "isPartial": .bool(progress.isPartial),
                "acceptedVersion": .optionalInteger(progress.acceptedVersion),
                "acceptedAt": .optional(progress.acceptedAt?.rfc3339),
            ],
        ]
    }

    private static func said(_ said: DeliveryProgress.Said, of kind: String) -> JSON {
        // A rule that is no more has no sentence.
        let rule = ActivityCatalog.standard.rule(named: said.rule, of: kind)
        return [
            "version": .integer(said.version), "verdict": .string(said.verdict.rawValue),
            "rule": .string(said.rule), "why": .optional(rule?.why),
            "decidedAt": .string(said.decidedAt.rfc3339),
            "title": .optional(said.title), "isPending": .bool(said.isPending),
        ]
    }

    /// One that follows an activity, or did.
    public static func phone(_ phone: PhoneRow) -> JSON {
        [
            "id": .integer(phone.id), "bundleId": .string(phone.bundleID),
            "environment": .string(phone.environment),
            "locale": .optional(phone.locale), "isFrequent": .bool(phone.isFrequent),
            "registeredAt": .string(phone.registeredAt.rfc3339),
            "sentVersion": .integer(phone.sentVersion), "attempts": .integer(phone.attempts),
            "lastFailure": .optional(phone.lastFailure),
            "owedAt": .optional(phone.owedAt?.rfc3339),
            "deadAt": .optional(phone.deadAt?.rfc3339), "isUnfit": .bool(phone.isUnfit),
            "closedAt": .optional(phone.closedAt?.rfc3339),
            "closedBy": .optional(phone.closedBy),
        ]
    }
}
