import Domain
import EventStore
import JSON
import PushDispatch

enum WebhookDocument {
    /// - Parameter secret: only in the answer to who has just made it.
    static func webhook(
        _ webhook: Webhook, _ figures: WebhookFigures, secret: String? = nil
    ) -> JSON {
        let health = webhook.health
        let members: [JSON.Member] = [
            .init(name: "id", value: .string(webhook.id)),
            .init(name: "url", value: .string(webhook.url)),
            .init(name: "kinds", value: .array(webhook.kinds.map(JSON.string))),
            .init(name: "phases", value: .array(webhook.phases.map { .string($0.rawValue) })),
            .init(name: "enabled", value: .bool(webhook.stop == nil)),
            .init(name: "disabledBy", value: .optional(webhook.stop?.rawValue)),
            .init(name: "disabledAt", value: .optional(webhook.stoppedAt?.rfc3339)),
            .init(name: "createdAt", value: .string(webhook.createdAt.rfc3339)),
            .init(name: "delivered", value: .integer(figures.delivered)),
            .init(name: "failed", value: .integer(figures.failed)),
            .init(name: "waiting", value: .integer(figures.waiting)),
            .init(name: "givenUp", value: .integer(figures.givenUp)),
            .init(name: "behind", value: .integer(figures.behind)),
            .init(name: "deliveredAt", value: .optional(figures.deliveredAt?.rfc3339)),
            .init(name: "failingSince", value: .optional(health.failingSince?.rfc3339)),
            .init(name: "pausedUntil", value: .optional(health.pausedUntil?.rfc3339)),
            .init(name: "lastFailure", value: .optional(health.lastFailure)),
        ]
        return .object(
            members + (secret.map { [.init(name: "secret", value: .string($0))] } ?? []))
    }

    static func attempt(_ attempt: WebhookAttempt) -> JSON {
        [
            "id": .integer(attempt.id),
            "activity": .string(attempt.activityID.rawValue),
            "kind": .optional(attempt.kind),
            "fromVersion": .integer(attempt.afterVersion + 1),
            "version": .integer(attempt.version), "attempts": .integer(attempt.attempts),
            "firstTriedAt": .string(attempt.firstTriedAt.rfc3339),
            "triedAt": .string(attempt.triedAt.rfc3339),
            "retryAt": .optional(attempt.retryAt?.rfc3339),
            "givenUpAt": .optional(attempt.givenUpAt?.rfc3339),
            "failure": .string(attempt.lastFailure),
            "body": [
                "type": .string("…"), "timestamp": .string("…"),
                "data": [
                    "activity": .string(attempt.activityID.rawValue),
                    "version": .integer(attempt.version), "attributes": .string("…"),
                    "contentState": .string("…"), "alerts": .string("…"),
                ],
            ],
        ]
    }

    static func test(_ answer: WebhookAnswer) -> JSON {
        var status: JSON = .null
        if case .answered(let number, _) = answer { status = .integer(number) }
        return [
            "delivered": .bool(answer.isDelivered), "status": status,
            "reason": .optional(answer.isDelivered ? nil : answer.reason),
        ]
    }
}
