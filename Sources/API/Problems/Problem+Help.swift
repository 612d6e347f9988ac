extension Problem {
    /// What the caller can do about it, in one or two sentences.
    var remedy: String {
        switch self {
        case .malformedRequest:
            "Send a request as RFC 9112 describes; most HTTP libraries do so by themselves."
        case .malformedJSON:
            "Send one JSON text in UTF-8, as RFC 8259 describes. The detail names the place."
        case .invalidParameter: "Correct the parameter that the detail names and send it again."
        case .missingKey:
            "Send the header `Authorization: Bearer <key>`. `islet keys create` makes a key."
        case .invalidKey:
            "Check that the key is complete and not revoked; `islet keys create` makes a new one."
        case .signedOut: "Sign in again with an API key."
        case .crossSite:
            "Send `X-CSRF-Token` with what `GET /v1/me` says in `csrfToken`, from a page of the "
                + "same host."
        case .expiredKey: "Use a newer key; `islet keys create` makes one."
        case .invalidTicket:
            "Use the ticket exactly as it was given. If it was, have the app's backend make a "
                + "new one."
        case .expiredTicket:
            "Have the app's backend make a new one with `POST /v1/activities/{id}/tickets`."
        case .missingScope: "Use a key that has the scope which the detail names."
        case .unknownRoute: "See /openapi.json for every path."
        case .unknownActivity:
            "Check the id and the key's tenant. After an accepted event, ask again in a moment."
        case .ticketTooNarrow:
            "Use a ticket for this very activity; to read it, one that was made with a key that "
                + "has `activities:read`. Everything else takes an API key, which belongs in no "
                + "app."
        case .unknownVersion:
            "Leave `version` out for the newest. Versions are 1, 2, 3 … without gaps."
        case .unknownSchema: "See /v1/schemas for every type and its versions."
        case .unknownRegistration:
            "Check the activity's id and the token, or register the phone: that is harmless."
        case .methodNotAllowed: "Use a method that the `Allow` header lists."
        case .requestTimeout: "Send the request again, in one go."
        case .logRestored:
            "Forget what you have after position `kept`, all of it when that is 0, and go on with "
                + "the path `next`."
        case .versionConflict:
            "Read the activity, decide whether the event still holds, and send it again with the "
                + "version you saw."
        case .contentConflict: "Give every fact an id of its own. The earlier event stays as it is."
        case .tooManyRegistrations:
            "Have the app's backend make a ticket for each phone, and register only what "
                + "ActivityKit gives. `--ticket-registrations-max` and "
                + "`--activity-registrations-max` allow more."
        case .rotationConflict:
            "Register the token that the phone has now, with its `installation`."
        case .eventConflicts:
            "Treat each error as its own type says, then send the events again. With "
                + "`?partial=true` those that conflict with nothing are recorded."
        case .bodyTooLarge:
            "Send a body that is no longer than the detail says. Of events, send fewer in one "
                + "request, or any number as application/x-ndjson without Content-Encoding."
        case .tooManyEvents:
            "Split the batch and send its parts one after the other, or send the events as "
                + "application/x-ndjson."
        case .lineTooLong: "Send one event a line, each ended by a line feed."
        case .targetTooLong: "Send a shorter path and query."
        case .unsupportedMediaType:
            "Set `Content-Type` to what the detail names, in UTF-8, packed with gzip or not at all."
        case .unsupportedExpectation: "Leave the `Expect` header out, or send `100-continue`."
        case .invalidAttribute: "Correct each attribute that the errors name and send it again."
        case .unknownEventType:
            "Use a type that /v1/schemas lists, written exactly as it stands there."
        case .unknownSchemaVersion:
            "Leave `schemaversion` out for version 1, or name a version that this type has."
        case .invalidEventData: "Correct each field that the errors name and send it again."
        case .invalidEvents:
            "Treat each error as its own type says, then send the events again. With "
                + "`?partial=true` those without an error are recorded."
        case .invalidRegistration:
            "Correct each member that the errors name. Push tokens are sent as ActivityKit gave "
                + "them, in hexadecimal."
        case .invalidAudience:
            "Correct each member that the errors name. A topic is what people follow, such as "
                + "`team:ARG`."
        case .unknownAudience:
            "Put one with `PUT /v1/activities/{id}/audience`, or check the activity's id."
        case .invalidTicketRequest: "Correct each member that the errors name."
        case .invalidPolicy:
            "Correct each member that the errors name. `GET /v1/policies/{kind}` lists thresholds "
                + "with their ranges, rules and texts."
        case .policyConflict:
            "Read the policy, decide whether yours still holds, and send it with the version that "
                + "you saw."
        case .channelConflict:
            "Use the channel that there is, whose storage policy cannot be changed. An activity "
                + "that has ended needs none."
        case .unknownWebhook: "Check the id and the key's tenant; `GET /v1/webhooks` lists them."
        case .webhookConflict:
            "Remove a webhook that is not needed, or ask Islet's operator to start it with "
                + "--master-key-file; the detail says which."
        case .unknownKey: "`GET /v1/keys` lists the tenant's keys by their ids."
        case .unknownTenant: "`GET /v1/tenants` lists the tenants by their names."
        case .unknownParkedEvent:
            "`GET /v1/parked-events` lists those that wait. One that was folded or skipped is "
                + "parked no more."
        case .invalidKeyRequest, .invalidTenant: "Correct each member that the errors name."
        case .unknownDeadLetter:
            "Check the id and the key's tenant; `GET /v1/dead-letters` lists those that are "
                + "still open."
        case .parkedEventConflict:
            "Fold the activity once more, or skip the event that the detail names: what waits "
                + "behind it is folded with it."
        case .keyConflict:
            "Revoke a key that is not needed before you make another one. A key that asks is "
                + "revoked with another one that has the scope `admin`, or with `islet keys "
                + "revoke`."
        case .deadLetterConflict:
            "Dismiss it. A phone that has no card gets one by itself once its app puts another "
                + "push-to-start token."
        case .invalidWebhook:
            "Correct each member that the errors name. The URL must be one that the whole "
                + "Internet can reach by HTTPS."
        case .unknownKind: "Use a kind that /v1/policies lists, written exactly as it stands there."
        case .rateLimited:
            "Wait as long as `Retry-After` says and send the same request again; that is harmless. "
                + "`islet tenants limits` shows and changes what a tenant may do. A ticket is for "
                + "one phone; one for many needs a higher `--ticket-requests-per-second` and "
                + "`--ticket-registrations-max`."
        case .quotaExceeded:
            "Nothing more is recorded, and waiting does not help. A repeat is refused too, also of "
                + "what was recorded the first time. Ask Islet's operator to raise the tenant's "
                + "quota: of events with `islet tenants limits`, of policies with "
                + "`--stored-policy-bytes-max`, of registrations with "
                + "`--stored-registrations-max`."
        case .headersTooLarge: "Send fewer or shorter header fields."
        case .internalError:
            "It is not the request's fault. Sending it again is harmless; tell Islet's operator."
        case .unsupportedTransferEncoding: "Send the body with `Content-Length`, or chunked."
        case .unsupportedVersion: "Use HTTP/1.1."
        case .projectionBehind:
            "The events are recorded. Wait as long as `Retry-After` says and read again, or read "
                + "without `wait` what there is."
        case .logHeld:
            "Wait as long as `Retry-After` says and send the same request again. Islet's "
                + "operator accepts the restored log with `islet restore accept`."
        case .tenantMoving:
            "Wait as long as `Retry-After` says and send the same request again, with the same "
                + "ids. It takes seconds."
        case .tenantMoved:
            "Send the same request to the cell that `cell` names. Islet's operator knows its "
                + "address, and has this one tell it with `islet cells set <cell> --url`."
        case .tenantRedirected:
            "Send the same request, with its key, to the address in `Location`, and everything "
                + "after it to that host."
        case .outcomeUnknown:
            "Wait as long as `Retry-After` says and send the same request again, with the same "
                + "ids: what was recorded before is recognised and not recorded twice."
        case .storeUnavailable, .overloaded:
            "Wait as long as `Retry-After` says and send the same request again; that is harmless."
        }
    }
}
