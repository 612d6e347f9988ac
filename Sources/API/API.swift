public import EventStore
public import HTTP

/// The HTTP face of Islet: events in, activities and their ledger out, phones registered.
public enum API {
    /// What an HTTP server needs to serve every path.
    public struct Service: Sendable {
        /// Says by a request's head whether its body is taken: whether there is such a path, and
        /// whether the key or ticket may do that. The server's `admission` hook.
        public let admission: Admitter
        public let handler: Handler
        /// Whether the store answers, which readiness asks first.
        public let storeCheck: HealthCheck
    }

    /// One handler for every path; `docs/reference/http-api.md` and `/openapi.json` describe them.
    /// - Precondition: the module's resource bundle lies beside the program.
    public static func service(store: EventStore, environment: APIEnvironment) -> Service {
        let router = Router(
            routes: routes(store: store, environment: environment),
            authenticator: Authenticator(store: store, environment: environment))
        let finisher = AnswerFinisher(cors: environment.cors)
        return Service(
            admission: { request in
                await finisher.admission(request) { await router.admit($0) }
            },
            handler: { request in
                await finisher.answer(request) { await router.respond(to: $0) }
            },
            storeCheck: HealthRoutes(store: store, environment: environment).storeCheck)
    }

    static func routes(store: EventStore, environment: APIEnvironment) -> [Route] {
        let hub = ChangeHub(store, [.folded], environment.limits)
        let logHub = ChangeHub(store, [.appended], environment.limits)
        let calls = ReservedShares(capacity: Limits.openCallsMax)
        let gate = ReadGate(store: store, environment: environment, hub: hub, calls: calls)
        return EventRoutes(store: store, environment: environment).routes
            + LogRoutes(store: store, environment: environment, hub: logHub, calls: calls).routes
            + ActivityRoutes(store: store, environment: environment, gate: gate).routes
            + WhyRoutes(store: store, environment: environment).routes
            + StateRoutes(store: store, environment: environment).routes
            + OverviewRoutes(store: store, environment: environment, gate: gate).routes
            + BoardRoutes(store: store, environment: environment, gate: gate).routes
            + AttentionRoutes(store: store, environment: environment).routes
            + MeRoutes().routes
            + SignInRoutes(store: store, environment: environment).routes
            + KeyRoutes(store: store, environment: environment).routes
            + AppRoutes(store: store, environment: environment).routes
            + TenantRoutes(store: store, environment: environment).routes
            + AuditRoutes(store: store, environment: environment).routes
            + ParkedEventRoutes(store: store, environment: environment).routes
            + NodeRoutes(store: store, environment: environment).routes
            + SeriesRoutes(store: store, environment: environment).routes
            + WhatIfRoutes(store: store, environment: environment).routes
            + PhoneRoutes(store: store, environment: environment).routes
            + RegistrationRoutes(store: store, environment: environment).routes
            + StartTokenRoutes(store: store, environment: environment).routes
            + AudienceRoutes(store: store, environment: environment).routes
            + ChannelRoutes(store: store, environment: environment).routes
            + TicketRoutes(store: store, environment: environment).routes
            + PolicyRoutes(store: store, environment: environment).routes
            + WebhookRoutes(store: store, environment: environment).routes
            + DeadLetterRoutes(store: store, environment: environment).routes
            + StreamRoutes(store: store, environment: environment, hub: hub, calls: calls).routes
            + HealthRoutes(store: store, environment: environment).routes
            + SchemaRoutes().routes
            + SiteRoutes().routes
    }
}

extension API {
    /// The problem document for what the HTTP server refuses by itself; its `rejection` hook.
    /// - Parameter request: as much of it as was read.
    @Sendable public static func rejection(
        _ rejection: Rejection, of request: Request
    ) -> Response {
        var document = ProblemDocument(problem(for: rejection.reason), rejection.detail)
        if document.problem.status == 503 {
            document.headers = APILimits.standard.retryAfter
        }
        let id = RequestID.of(request)
        var response = RequestID.$current.withValue(id) { document.response }
        response.headers.append(RequestID.field, id)
        response.forbidSniffing()
        return response
    }

    private static func problem(for reason: Rejection.Reason) -> Problem {
        switch reason {
        case .malformed: .malformedRequest
        case .headTimeout, .bodyTimeout: .requestTimeout
        case .targetTooLong: .targetTooLong
        case .headTooLarge: .headersTooLarge
        case .bodyTooLarge: .bodyTooLarge
        case .expectationUnknown: .unsupportedExpectation
        case .transferCodingUnknown: .unsupportedTransferEncoding
        case .versionUnknown: .unsupportedVersion
        case .tooManyConnections, .noRoomForBody, .noRoomForAnswer: .overloaded
        case .noRoomForOutcome: .outcomeUnknown
        }
    }
}

extension API {
    /// Which requests are given up when nobody may wait for their answer; the HTTP server's
    /// `endsWithClient` hook.
    @Sendable public static func endsWithClient(_ request: Request) -> Bool {
        request.method == "POST"
            && WhatIfRoutes.path.match(PathTemplate.split(request.path)) != nil
    }

    /// Which requests want their body as it comes; the HTTP server's `streamsBody` hook.
    @Sendable public static func streamsBody(_ request: Request) -> Bool {
        guard request.method == "POST", let type = request.headers["content-type"],
            // Nearly all events come like this, and are to cost nothing here.
            !type.hasPrefix("application/json"), !type.hasPrefix("application/cloudevents")
        else { return false }
        return request.path == EventRoutes.intakePath && ContentCoding.isIdentity(request)
            && (try? CloudEventFormat(of: request)) == .lines
    }
}
