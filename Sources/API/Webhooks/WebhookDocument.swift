import DeliveryRules
public import Domain
public import EventStore
public import JSON

/// The JSON forms of webhooks, and of how sending to them goes.
public enum WebhookDocument {
    /// - Parameter secret: only in the answer to who has just made it.
    public static func webhook(
        _ webhook: Webhook, _ figures: WebhookFigures, secret: String? = nil
    ) -> JSON {
        let health = webhook.health
        var document: JSON = [
            "id": .string(webhook.id),
            "url": .string(webhook.url),
            "kinds": .array(webhook.kinds.map(JSON.string)),
            "phases": .array(webhook.phases.map { .string($0.rawValue) }),
            "enabled": .bool(webhook.stop == nil),
            "disabledBy": .optional(webhook.stop?.rawValue),
            "disabledAt": .optional(webhook.stoppedAt?.rfc3339),
            "createdAt": .string(webhook.createdAt.rfc3339),
            "delivered": .integer(figures.delivered),
            "failed": .integer(figures.failed),
            "waiting": .integer(figures.waiting),
            "givenUp": .integer(figures.givenUp),
            "behind": .integer(figures.behind),
            "deliveredAt": .optional(figures.deliveredAt?.rfc3339),
            "failingSince": .optional(health.failingSince?.rfc3339),
            "pausedUntil": .optional(health.pausedUntil?.rfc3339),
            "lastFailure": .optional(health.lastFailure),
        ]
        document["secret"] = secret.map(JSON.string)
        return document
    }

    static func attempt(_ attempt: WebhookAttempt) -> JSON {
        let message = attempt.message
        return [
            "id": .integer(attempt.id),
            "activity": .string(message.activityID.rawValue),
            "kind": .optional(attempt.kind),
            "fromVersion": .integer(message.after + 1),
            "version": .integer(message.version), "attempts": .integer(message.attempts),
            "firstTriedAt": .string(message.firstTriedAt.rfc3339),
            "triedAt": .string(attempt.triedAt.rfc3339),
            "retryAt": .optional(attempt.retryAt?.rfc3339),
            "givenUpAt": .optional(attempt.givenUpAt?.rfc3339),
            "failure": .string(attempt.lastFailure),
            "body": [
                "type": .string("…"), "timestamp": .string("…"),
                "data": [
                    "activity": .string(message.activityID.rawValue),
                    "version": .integer(message.version), "attributes": .string("…"),
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
