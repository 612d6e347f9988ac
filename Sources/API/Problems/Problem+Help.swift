extension Problem {
    /// What the caller can do about it, in one or two sentences.
    var remedy: String {
        switch self {
        case .malformedRequest:
            "Send a request as RFC 9112 describes; most HTTP libraries do so by themselves."
        case .malformedJSON:
            "Send one JSON text in UTF-8, as RFC 8259 describes. The detail names the place."
        case .invalidParameter: "Correct the parameter that the pointer names and send it again."
        case .missingKey:
            "Send the header `Authorization: Bearer <key>`. `islet keys create` makes a key."
        case .invalidKey:
            "Check that the key is complete and not revoked; `islet keys create` makes a new one."
        case .expiredKey: "Use a newer key; `islet keys create` makes one."
        case .missingScope: "Use a key that has the scope which the detail names."
        case .unknownRoute: "See /openapi.json for every path."
        case .unknownActivity:
            "Check the id and the key's tenant. After an accepted event, ask again in a moment."
        case .methodNotAllowed: "Use a method that the `Allow` header lists."
        case .requestTimeout: "Send the request again, in one go."
        case .versionConflict:
            "Read the activity, decide whether the event still holds, and send it again with the "
                + "version you saw."
        case .contentConflict: "Give every fact an id of its own. The earlier event stays as it is."
        case .eventConflicts:
            "Nothing was recorded. Treat each error as its own type says, then send the batch "
                + "again."
        case .bodyTooLarge: "Send fewer events in one request."
        case .tooManyEvents: "Split the batch and send its parts one after the other."
        case .targetTooLong: "Send a shorter path and query."
        case .unsupportedMediaType:
            "Set `Content-Type` to application/cloudevents+json, "
                + "application/cloudevents-batch+json or application/json, in UTF-8 and without "
                + "a content encoding."
        case .unsupportedExpectation: "Leave the `Expect` header out, or send `100-continue`."
        case .invalidAttribute: "Correct each attribute that the errors name; nothing was recorded."
        case .unknownEventType:
            "Use a type of docs/reference/events.md, written exactly as it stands there."
        case .unknownSchemaVersion:
            "Leave `schemaversion` out for version 1, or name a version that this type has."
        case .invalidEventData: "Correct each field that the errors name; nothing was recorded."
        case .invalidEvents:
            "Nothing was recorded. Treat each error as its own type says, then send the events "
                + "again."
        case .invalidRegistration:
            "Send `pushToken` as ActivityKit gave it in hexadecimal, `environment` as sandbox or "
                + "production, and the app's `bundleId`."
        case .rateLimited:
            "Wait as long as `Retry-After` says and send the same request again; nothing was "
                + "recorded. `islet tenants limits` shows and changes what a tenant may do."
        case .headersTooLarge: "Send fewer or shorter header fields."
        case .internalError:
            "It is not the request's fault. Sending it again is harmless; tell whoever runs Islet."
        case .unsupportedTransferEncoding: "Send the body with `Content-Length`, or chunked."
        case .unsupportedVersion: "Use HTTP/1.1 or HTTP/2."
        case .storeUnavailable, .overloaded:
            "Wait as long as `Retry-After` says and send the same request again; that is harmless."
        }
    }
}
