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
        let members: [JSON.Member] = [
            .init(name: "id", value: .string(snapshot.activityID.rawValue)),
            .init(name: "kind", value: .string(snapshot.kind)),
            .init(name: "phase", value: .string(snapshot.phase.rawValue)),
            .init(name: "version", value: .integer(snapshot.version)),
            .init(name: "position", value: .integer(snapshot.position)),
            .init(name: "updatedAt", value: .string(snapshot.updatedAt.rfc3339)),
            .init(name: "title", value: .string(lines.first ?? snapshot.activityID.rawValue)),
            .init(name: "line", value: .optional(lines.dropFirst().first)),
            .init(
                name: "isLate",
                value: .bool(snapshot.facts.isLate(snapshot.phase, at: now))),
            .init(name: "fault", value: .optional(snapshot.fault)),
        ]
        guard let progress else { return .object(members) }
        return .object(members + Self.deliveryProgress(progress, of: snapshot.kind))
    }

    static func lines(of snapshot: Snapshot) -> [String] {
        let shown = try? ActivityCatalog.standard.presentation(of: snapshot)
        return shown?.lockScreenTexts ?? []
    }

    static func deliveryProgress(_ progress: DeliveryProgress, of kind: String) -> [JSON.Member] {
        [
            .init(name: "said", value: progress.said.map { said($0, of: kind) } ?? .null),
            .init(
                name: "delivery",
                value: [
                    "phones": .integer(progress.phones),
                    "upToDate": .integer(progress.upToDate),
                    "waiting": .integer(progress.waiting),
                    "channels": .integer(progress.channels),
                    "goneBy": .optional(progress.goneBy),
                    "isPartial": .bool(progress.isPartial),
                    "acceptedVersion": progress.acceptedVersion.map { .integer($0) } ?? .null,
                    "acceptedAt": .optional(progress.acceptedAt?.rfc3339),
                ]),
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
