/// Every problem a caller can meet. The raw value is the last part of the `type` URI: a format that
/// never changes once released. `GET /problems/{name}` explains each.
enum Problem: String, CaseIterable, Sendable {
    case malformedRequest = "malformed-request"
    case malformedJSON = "malformed-json"
    case invalidParameter = "invalid-parameter"
    case missingKey = "missing-key"
    case invalidKey = "invalid-key"
    case signedOut = "signed-out"
    case crossSite = "cross-site"
    case expiredKey = "expired-key"
    case invalidTicket = "invalid-ticket"
    case expiredTicket = "expired-ticket"
    case missingScope = "missing-scope"
    case ticketTooNarrow = "ticket-too-narrow"
    case unknownRoute = "unknown-route"
    case unknownActivity = "unknown-activity"
    case unknownSchema = "unknown-schema"
    case unknownRegistration = "unknown-registration"
    case unknownKind = "unknown-kind"
    case unknownVersion = "unknown-version"
    case unknownAudience = "unknown-audience"
    case unknownWebhook = "unknown-webhook"
    case unknownDeadLetter = "unknown-dead-letter"
    case unknownKey = "unknown-key"
    case unknownTenant = "unknown-tenant"
    case unknownParkedEvent = "unknown-parked-event"
    case methodNotAllowed = "method-not-allowed"
    case requestTimeout = "request-timeout"
    case logRestored = "log-restored"
    case versionConflict = "version-conflict"
    case contentConflict = "content-conflict"
    case eventConflicts = "event-conflicts"
    case rotationConflict = "rotation-conflict"
    case tooManyRegistrations = "too-many-registrations"
    case policyConflict = "policy-conflict"
    case channelConflict = "channel-conflict"
    case webhookConflict = "webhook-conflict"
    case deadLetterConflict = "dead-letter-conflict"
    case keyConflict = "key-conflict"
    case bodyTooLarge = "body-too-large"
    case tooManyEvents = "too-many-events"
    case lineTooLong = "line-too-long"
    case targetTooLong = "target-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case unsupportedExpectation = "unsupported-expectation"
    case invalidAttribute = "invalid-attribute"
    case unknownEventType = "unknown-event-type"
    case unknownSchemaVersion = "unknown-schema-version"
    case invalidEventData = "invalid-event-data"
    case invalidEvents = "invalid-events"
    case invalidRegistration = "invalid-registration"
    case invalidAudience = "invalid-audience"
    case invalidTicketRequest = "invalid-ticket-request"
    case invalidPolicy = "invalid-policy"
    case invalidWebhook = "invalid-webhook"
    case invalidKeyRequest = "invalid-key-request"
    case invalidTenant = "invalid-tenant"
    case rateLimited = "rate-limited"
    case quotaExceeded = "quota-exceeded"
    case headersTooLarge = "headers-too-large"
    case internalError = "internal-error"
    case unsupportedTransferEncoding = "unsupported-transfer-encoding"
    case unsupportedVersion = "unsupported-http-version"
    case storeUnavailable = "store-unavailable"
    case outcomeUnknown = "outcome-unknown"
    case overloaded = "overloaded"
    case projectionBehind = "projection-behind"
    case logHeld = "log-held"

    /// Relative to the host that answered, so that it survives a change of host name.
    var type: String { "/problems/\(rawValue)" }

    var status: Int {
        switch self {
        case .malformedRequest, .malformedJSON, .invalidParameter: 400
        case .missingKey, .invalidKey, .signedOut, .expiredKey, .invalidTicket, .expiredTicket: 401
        case .missingScope, .ticketTooNarrow, .crossSite: 403
        case .unknownRoute, .unknownActivity, .unknownSchema, .unknownRegistration,
            .unknownKind, .unknownVersion, .unknownAudience, .unknownWebhook,
            .unknownDeadLetter, .unknownKey, .unknownTenant, .unknownParkedEvent:
            404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .versionConflict, .contentConflict, .eventConflicts, .rotationConflict,
            .tooManyRegistrations, .policyConflict, .channelConflict, .webhookConflict,
            .deadLetterConflict, .keyConflict:
            409
        case .logRestored: 410
        case .bodyTooLarge, .tooManyEvents, .lineTooLong: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .unsupportedExpectation: 417
        case .invalidAttribute, .unknownEventType, .unknownSchemaVersion, .invalidEventData,
            .invalidEvents, .invalidRegistration, .invalidAudience, .invalidTicketRequest,
            .invalidPolicy, .invalidWebhook, .invalidKeyRequest, .invalidTenant:
            422
        case .rateLimited: 429
        case .headersTooLarge: 431
        case .internalError: 500
        case .unsupportedTransferEncoding: 501
        case .storeUnavailable, .outcomeUnknown, .overloaded, .projectionBehind, .logHeld: 503
        case .unsupportedVersion: 505
        case .quotaExceeded: 507
        }
    }

    var title: String {
        switch self {
        case .malformedRequest: "The request is not valid HTTP"
        case .malformedJSON: "The body is not valid JSON"
        case .invalidParameter: "A parameter of the path or query is not valid"
        case .missingKey: "No API key was sent"
        case .invalidKey: "The API key is not valid"
        case .signedOut: "The sign-in has ended"
        case .crossSite: "The request does not come from the dashboard"
        case .expiredKey: "The API key has expired"
        case .invalidTicket: "The ticket is not valid"
        case .expiredTicket: "The ticket has expired"
        case .missingScope: "The API key lacks a scope"
        case .ticketTooNarrow: "The ticket does not allow this request"
        case .unknownRoute: "There is nothing at this path"
        case .unknownActivity: "There is no such activity"
        case .unknownSchema: "There is no such schema"
        case .unknownVersion: "There is no such version"
        case .unknownRegistration: "No such phone is registered"
        case .methodNotAllowed: "The path does not answer to this method"
        case .requestTimeout: "The request did not arrive in time"
        case .logRestored: "The log was restored"
        case .versionConflict: "The activity has a newer version"
        case .contentConflict: "The event id is taken by another event"
        case .eventConflicts: "Several events conflict with the log"
        case .rotationConflict: "The phone has another token by now"
        case .tooManyRegistrations: "There are too many registrations"
        case .bodyTooLarge: "The body is too large"
        case .tooManyEvents: "The batch has too many events"
        case .lineTooLong: "A line of the stream is too long"
        case .targetTooLong: "The path and query are too long"
        case .unsupportedMediaType: "The body's media type is not understood"
        case .unsupportedExpectation: "The expectation cannot be met"
        case .invalidAttribute: "An attribute of the event is not valid"
        case .unknownEventType: "The event's type is unknown"
        case .unknownSchemaVersion: "The event's schema version is unknown"
        case .invalidEventData: "The event's data do not fit its type"
        case .invalidEvents: "The events have several kinds of problems"
        case .invalidRegistration: "The registration is not valid"
        case .invalidAudience: "The audience is not valid"
        case .unknownAudience: "The activity has no audience"
        case .invalidTicketRequest: "The ticket's lifetime is not valid"
        case .invalidPolicy: "The policy is not valid"
        case .policyConflict: "The policy has a newer version"
        case .channelConflict: "The channel cannot be made or changed"
        case .unknownWebhook: "There is no such webhook"
        case .unknownDeadLetter: "There is no such dead letter"
        case .unknownKey: "There is no such key"
        case .unknownTenant: "There is no such tenant"
        case .unknownParkedEvent: "No such event is parked"
        case .deadLetterConflict: "The dead letter must not be sent again"
        case .keyConflict: "The key is the one that asks"
        case .webhookConflict: "The webhook cannot be made or used"
        case .invalidWebhook: "The webhook is not valid"
        case .invalidKeyRequest: "The key that is asked for is not valid"
        case .invalidTenant: "The tenant's name or limits are not valid"
        case .unknownKind: "There is no such kind of activity"
        case .rateLimited: "The tenant sends too much at a time"
        case .quotaExceeded: "The tenant's quota of stored events is used up"
        case .headersTooLarge: "The header fields are too large"
        case .internalError: "Islet failed"
        case .unsupportedTransferEncoding: "The transfer encoding is not understood"
        case .unsupportedVersion: "The version of HTTP is not understood"
        case .storeUnavailable: "The event store cannot be reached"
        case .outcomeUnknown: "It is not known yet whether the request was carried out"
        case .overloaded: "The server is overloaded"
        case .projectionBehind: "The position that was waited for is not folded yet"
        case .logHeld: "The log was restored and is not accepted yet"
        }
    }
}
