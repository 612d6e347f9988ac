import DeliveryRules
import Domain
import EventStore
import HTTP
import JSON

struct WebhookRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        let path = "/v1/webhooks/{webhookId}"
        return [
            Route(.get, "/v1/webhooks", .admin, list),
            Route(.post, "/v1/webhooks", .admin, create),
            Route(.get, path, .admin, show),
            Route(.put, path, .admin, put),
            Route(.delete, path, .admin, remove),
            Route(.post, path + "/secret", .admin, rotate),
            Route(.post, path + "/test", .admin, test),
            Route(.get, path + "/attempts", .admin, attempts)
                .acceptingQuery("limit"),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let found = try await webhooks(caller, nil)
        return .json(
            200, ["webhooks": .array(found.map { WebhookDocument.webhook($0.0, $0.1) })])
    }

    private func create(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let setup = try setup()
        var body = try await call.fields(.invalidWebhook, caller)
        let wish = try body.webhookWish(setup)
        let webhook = Webhook(
            tenant: caller.tenant, id: setup.makeID(), url: wish.url, kinds: wish.kinds,
            phases: wish.phases, createdAt: environment.now())
        let secret = setup.makeSecret(caller.tenant, webhook.id)
        let isAdded: Bool
        do {
            isAdded = try await store.webhooks.add(webhook, secret.sealed)
            if isAdded, !wish.isEnabled {
                _ = try await store.webhooks.edit(
                    caller.tenant, webhook.id, WebhookEdit(isEnabled: false))
            }
        } catch { throw environment.problem(for: error, doing: "adding a webhook") }
        guard isAdded else {
            throw ProblemDocument(
                .webhookConflict, "The tenant has as many webhooks as it may have.")
        }
        let (added, figures) = try await found(caller, webhook.id)
        return Response.json(201, WebhookDocument.webhook(added, figures, secret: secret.shown))
            .located(at: "/v1/webhooks/\(PercentEncoding.encoded(webhook.id))")
    }

    private func show(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (webhook, figures) = try await found(caller, try id(of: call))
        return .json(200, WebhookDocument.webhook(webhook, figures))
    }

    private func put(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        var body = try await call.fields(.invalidWebhook, caller)
        let setup = try setup()
        let wish = try body.webhookWish(setup)
        let edit = WebhookEdit(
            url: wish.url, kinds: wish.kinds, phases: wish.phases, isEnabled: wish.isEnabled)
        let id = try id(of: call)
        // Senders that find nothing but such secrets take their file for a wrong one.
        if wish.isEnabled, try await found(caller, id).0.stop != nil {
            guard setup.canSign(try await secrets(caller, id)) else { throw Self.sealed }
        }
        let isThere = try await environment.asked(
            "changing a webhook", try await store.webhooks.edit(caller.tenant, id, edit))
        guard isThere else { throw Self.unknown }
        return try await show(call, caller)
    }

    private func remove(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try id(of: call)
        let isRemoved = try await environment.asked(
            "removing a webhook", try await store.webhooks.remove(caller.tenant, id))
        guard isRemoved else { throw Self.unknown }
        return Response(status: 204)
    }

    private func rotate(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let setup = try setup()
        let overlap = try await overlapSeconds(call, caller)
        let secret = setup.makeSecret(caller.tenant, try id(of: call))
        let isThere = try await environment.asked(
            "rotating a webhook's secret", try await store.webhooks.rotate(secret.sealed, overlap))
        guard isThere else { throw Self.unknown }
        return .json(200, ["secret": .string(secret.shown)])
    }

    /// How long the secret before goes on signing.
    private func overlapSeconds(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Double {
        let seconds = try await call.bodyNumber(
            "overlapSeconds", in: 0...Limits.secretOverlapSecondsMax, .invalidWebhook, caller)
        return seconds.map(Double.init) ?? Limits.secretOverlapSecondsDefault
    }

    /// Messages that did not arrive. Of their bodies only the members' names are shown: what stands
    /// in them is the tenant's customers'.
    private func attempts(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let limit = try call.limit()
        let (webhook, _) = try await found(caller, try id(of: call))
        let attempts = try await environment.asked(
            "reading attempts", try await store.operators.attempts(caller.tenant, webhook.id, limit)
        )
        return .json(200, ["attempts": .array(attempts.map(WebhookDocument.attempt))])
    }

    /// What came of it is the answer, whatever it was: the route has done what it is for. If it
    /// arrived, what waits for the webhook need not wait for the end of a pause.
    private func test(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let setup = try setup()
        let (webhook, _) = try await found(caller, try id(of: call))
        let secrets = try await secrets(caller, webhook.id)
        guard let answer = await setup.test(webhook, secrets) else { throw Self.sealed }
        if answer.isDelivered, webhook.health.failingSince != nil {
            try await environment.asked(
                "ending a webhook's pause",
                try await store.webhooks.resume(caller.tenant, webhook.id))
        }
        return .json(200, WebhookDocument.test(answer))
    }

    private func secrets(
        _ caller: Caller, _ id: String
    ) async throws(ProblemDocument) -> [WebhookSecret] {
        try await environment.asked(
            "reading a webhook's secret", try await store.webhooks.secrets((caller.tenant, id)))
    }

    private func webhooks(
        _ caller: Caller, _ id: String?
    ) async throws(ProblemDocument) -> [(Webhook, WebhookFigures)] {
        try await environment.asked(
            "reading webhooks", try await store.webhooks.all(caller.tenant, id))
    }

    private func found(
        _ caller: Caller, _ id: String
    ) async throws(ProblemDocument) -> (Webhook, WebhookFigures) {
        guard let found = try await webhooks(caller, id).first else { throw Self.unknown }
        return found
    }

    private func setup() throws(ProblemDocument) -> WebhookSetup {
        if let setup = environment.webhooks { return setup }
        throw ProblemDocument(
            .webhookConflict,
            "This server was started without --master-key-file, which webhooks' secrets are sealed "
                + "with.")
    }

    private func id(of call: Call) throws(ProblemDocument) -> String {
        let id = call.path["webhookId"] ?? ""
        // No name is stored that a database could not keep.
        guard AttributeText.refusal(of: id) == nil else { throw Self.unknown }
        return id
    }

    private static let sealed = ProblemDocument(
        .webhookConflict,
        "No line of --master-key-file opens the webhook's secret: rotate it with overlapSeconds 0.")

    private static let unknown = ProblemDocument(
        .unknownWebhook, "This tenant has no webhook with that id.")
}
