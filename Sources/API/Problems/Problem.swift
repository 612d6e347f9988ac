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
    case parkedEventConflict = "parked-event-conflict"
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
    case tenantMoving = "tenant-moving"
    case tenantMoved = "tenant-moved"
    case tenantRedirected = "tenant-redirected"

    /// Relative to the host that answered, so that it survives a change of host name.
    var type: String { "/problems/\(rawValue)" }

    var status: Int { meaning.status }

    var title: String { meaning.title }

    private var meaning: (status: Int, title: String) {
        switch self {
        case .malformedRequest: (400, "The request is not valid HTTP")
        case .malformedJSON: (400, "The body is not valid JSON")
        case .invalidParameter: (400, "A parameter of the path or query is not valid")
        case .missingKey: (401, "No API key was sent")
        case .invalidKey: (401, "The API key is not valid")
        case .signedOut: (401, "The sign-in has ended")
        case .crossSite: (403, "The request does not come from the dashboard")
        case .expiredKey: (401, "The API key has expired")
        case .invalidTicket: (401, "The ticket is not valid")
        case .expiredTicket: (401, "The ticket has expired")
        case .missingScope: (403, "The API key lacks a scope")
        case .ticketTooNarrow: (403, "The ticket does not allow this request")
        case .unknownRoute: (404, "There is nothing at this path")
        case .unknownActivity: (404, "There is no such activity")
        case .unknownSchema: (404, "There is no such schema")
        case .unknownRegistration: (404, "No such phone is registered")
        case .unknownKind: (404, "There is no such kind of activity")
        case .unknownVersion: (404, "There is no such version")
        case .unknownAudience: (404, "The activity has no audience")
        case .unknownWebhook: (404, "There is no such webhook")
        case .unknownDeadLetter: (404, "There is no such dead letter")
        case .unknownKey: (404, "There is no such key")
        case .unknownTenant: (404, "There is no such tenant")
        case .unknownParkedEvent: (404, "No such event is parked")
        case .methodNotAllowed: (405, "The path does not answer to this method")
        case .requestTimeout: (408, "The request did not arrive in time")
        case .logRestored: (410, "The log was restored")
        case .versionConflict: (409, "The activity is at another version")
        case .contentConflict: (409, "The event id is taken by another event")
        case .eventConflicts: (409, "Several events conflict with the log")
        case .rotationConflict: (409, "The phone has another token by now")
        case .tooManyRegistrations: (409, "There are too many registrations")
        case .policyConflict: (409, "The policy is at another version")
        case .channelConflict: (409, "The channel cannot be made or changed")
        case .webhookConflict: (409, "The webhook cannot be made or used")
        case .deadLetterConflict: (409, "The dead letter must not be sent again")
        case .parkedEventConflict: (409, "The parked event waits behind another one")
        case .keyConflict: (409, "The key cannot be made or revoked")
        case .bodyTooLarge: (413, "The body is too large")
        case .tooManyEvents: (413, "The batch has too many events")
        case .lineTooLong: (413, "A line of the stream is too long")
        case .targetTooLong: (414, "The path and query are too long")
        case .unsupportedMediaType: (415, "The body's media type is not understood")
        case .unsupportedExpectation: (417, "The expectation cannot be met")
        case .invalidAttribute: (422, "An attribute of the event is not valid")
        case .unknownEventType: (422, "The event's type is unknown")
        case .unknownSchemaVersion: (422, "The event's schema version is unknown")
        case .invalidEventData: (422, "The event's data do not fit its type")
        case .invalidEvents: (422, "The events have several kinds of problems")
        case .invalidRegistration: (422, "The registration is not valid")
        case .invalidAudience: (422, "The audience is not valid")
        case .invalidTicketRequest: (422, "The ticket's lifetime is not valid")
        case .invalidPolicy: (422, "The policy is not valid")
        case .invalidWebhook: (422, "The webhook is not valid")
        case .invalidKeyRequest: (422, "The key that is asked for is not valid")
        case .invalidTenant: (422, "The tenant's name or limits are not valid")
        case .rateLimited: (429, "Too much is sent at a time")
        case .quotaExceeded: (507, "The tenant's quota is used up")
        case .headersTooLarge: (431, "The header fields are too large")
        case .internalError: (500, "Islet failed")
        case .unsupportedTransferEncoding: (501, "The transfer encoding is not understood")
        case .unsupportedVersion: (505, "The version of HTTP is not understood")
        case .storeUnavailable: (503, "The event store cannot be reached")
        case .outcomeUnknown: (503, "It is not known yet whether the request was carried out")
        case .overloaded: (503, "The server is overloaded")
        case .projectionBehind: (503, "The position that was waited for is not folded yet")
        case .logHeld: (503, "The log was restored and is not accepted yet")
        case .tenantMoving: (503, "The tenant is moving to another cell")
        case .tenantMoved: (421, "The tenant is in another cell")
        case .tenantRedirected: (307, "The tenant is in another cell, whose address is known")
        }
    }
}
