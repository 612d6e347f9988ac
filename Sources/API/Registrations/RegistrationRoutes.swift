import DeliveryRules
import Domain
import EventStore
import HTTP
import JSON

/// What a phone asks about one activity, itself with a ticket or through its app's backend.
///
/// Push tokens come in bodies only, since addresses are logged on the way, and go nowhere.
struct RegistrationRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        let path = "/v1/activities/{id}/registrations"
        return [
            Route(.post, path, .registrationsWrite, isTicketed: true, register),
            Route(.post, "\(path)/rotation", .registrationsWrite, isTicketed: true, rotate),
            Route(.post, "\(path)/report", .registrationsWrite, isTicketed: true, report),
            Route(.post, "\(path)/removal", .registrationsWrite, isTicketed: true, remove),
        ]
    }

    /// A phone may be quicker than the first event, so an unknown activity is no error.
    private func register(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        var body = try await call.fields(.invalidRegistration, caller)
        let wish = try body.cardWish()
        try caller.chargeOrRefuse(registrationOf: wish.token.hex)
        let id = try call.activityID()
        let answer = try await change(.register(wish), id, caller, doing: "registering a phone")
        let isKnown = try await environment.asked(
            "registering a phone", try await store.projections.snapshot(caller.tenant, id) != nil)
        var document = try outcome(of: answer, id)
        document["activityKnown"] = .bool(isKnown)
        document["note"] = .string(note(answer, wish, caller, isKnown: isKnown))
        let isNew = answer == .registered
        let response = Response.json(isNew ? 201 : 200, document)
        return isNew ? response.located(at: id.path) : response
    }

    /// What happens next.
    private func note(
        _ answer: CardChange.Answer, _ wish: CardWish, _ caller: Caller, isKnown: Bool
    ) -> String {
        if case .closed = answer { return "Nothing is sent to this card any more." }
        let app = TenantApp(
            tenant: caller.tenant, bundleID: wish.bundleID, environment: wish.environment)
        guard environment.hasKey(app) else {
            return "The phone is kept; nothing is sent for \(wish.bundleID) in "
                + "\(wish.environment.rawValue) until the app has a key that can be used "
                + "(islet apps add)."
        }
        return isKnown
            ? "The phone is sent the activity's present state."
            : "No event has named this activity yet; the phone is kept and sent the first state."
    }

    private func rotate(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        var body = try await call.fields(.invalidRegistration, caller)
        let (from, to) = try body.rotation()
        try caller.chargeOrRefuse(registrationOf: to.hex)
        return try await answer(
            .rotate(from: from, to: to), call, caller, doing: "rotating a push token")
    }

    private func report(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        var body = try await call.fields(.invalidRegistration, caller)
        let (name, state) = try body.report()
        // What is remembered of an installation counts, whether it was heard of before or not.
        let remembered: String? =
            if case .installation(let name, bundleID: .some) = name { name } else { nil }
        try caller.chargeOrRefuse(registrationOf: remembered)
        return try await answer(.report(name, state), call, caller, doing: "noting a report")
    }

    private func remove(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        var body = try await call.fields(.invalidRegistration, caller)
        let token = try body.removal()
        try caller.chargeOrRefuse(registrationOf: nil)
        return try await answer(.remove(token), call, caller, doing: "removing a phone")
    }

    private func answer(
        _ request: CardRequest, _ call: Call, _ caller: Caller, doing: String
    ) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let answer = try await change(request, id, caller, doing: doing)
        return .json(200, try outcome(of: answer, id))
    }

    private func change(
        _ request: CardRequest, _ id: ActivityID, _ caller: Caller, doing: String
    ) async throws(ProblemDocument) -> CardChange.Answer {
        try await environment.asked(
            doing,
            try await store.registrations.change(caller.tenant, id, request, CardMachine.handle)
                .change.answer)
    }

    private func outcome(
        of answer: CardChange.Answer, _ id: ActivityID
    ) throws(ProblemDocument) -> JSON {
        let name: String
        var closing: Closing?
        switch answer {
        case .registered: name = "registered"
        case .known: name = "already-known"
        case .rotated: name = "rotated"
        case .alreadyRotated: name = "already-rotated"
        case .noted: name = "noted"
        case .removed: name = "removed"
        case .listening: name = "listening"
        case .closed(let reason): (name, closing) = ("closed", reason)
        case .conflict:
            throw ProblemDocument(
                .rotationConflict,
                "`from` is no longer the phone's token, or `to` is another phone's.")
        case .tooMany:
            throw ProblemDocument(
                .tooManyRegistrations,
                "The phone has had \(DeliveryRules.Limits.phoneTokensMax) push tokens for this "
                    + "activity, as many as one may.")
        case .unknown:
            throw ProblemDocument(
                .unknownRegistration, "Nothing is registered for this activity by that name.")
        }
        var document: JSON = ["activity": .string(id.rawValue), "outcome": .string(name)]
        if let closing { document["closedBy"] = .string(closing.rawValue) }
        return document
    }
}
