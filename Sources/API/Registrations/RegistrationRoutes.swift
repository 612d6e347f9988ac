import Domain
import EventStore
import HTTP

/// A phone asks to be kept up to date about one activity.
struct RegistrationRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [.post("/v1/activities/{id}/registrations", scope: .registrationsWrite, register)]
    }

    /// A phone may be quicker than the first event, so an unknown activity is no fault.
    @Sendable
    private func register(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let wish = try read(call.request, caller.allowance)
        let isNew: Bool
        let isKnown: Bool
        do {
            isNew = try await store.registrations.register(
                caller.tenant, id, wish.token, wish.environment, wish.bundleID
            ).isNew
            isKnown = try await store.projections.snapshot(caller.tenant, id) != nil
        } catch { throw environment.problem(for: error, doing: "registering a phone") }
        let note =
            isKnown
            ? "The phone is sent the activity's present state."
            : "No event has named this activity yet; the phone is kept and sent the first state."
        return .json(
            isNew ? 201 : 200,
            [
                "activity": .string(id.rawValue),
                "outcome": isNew ? "registered" : "already-known",
                "activityKnown": .bool(isKnown),
                "note": .string(note),
            ])
    }

    private typealias Wish = (token: PushToken, environment: APNsEnvironment, bundleID: String)

    private func read(
        _ request: Request, _ allowance: Allowance
    ) throws(ProblemDocument) -> Wish {
        let media = request.headers["content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard media == "application/json" else {
            throw ProblemDocument(
                .unsupportedMediaType, "A registration is sent as application/json.")
        }
        try allowance.check(body: request)
        let body: JSON
        do { body = try JSONParser.parse(request.body) } catch {
            throw ProblemDocument(error, in: request.body)
        }
        guard case .object = body else {
            throw ProblemDocument(
                .invalidRegistration, pointer: "", "The body must be an object, not \(body.kind).")
        }
        return try wish(body)
    }

    private func wish(_ body: JSON) throws(ProblemDocument) -> Wish {
        var faults: [ProblemDocument.Fault] = []
        func refuse(_ name: String, _ detail: String) {
            faults.append(
                .init(
                    problem: .invalidRegistration, pointer: "/\(name)",
                    detail: body[name] == nil ? "`\(name)` is missing." : "`\(name)` \(detail)."))
        }
        let token = body["pushToken"]?.text.flatMap { PushToken(hex: $0) }
        if token == nil { refuse("pushToken", "must have 16 to 512 hexadecimal digits, in pairs") }
        let world = body["environment"]?.text.flatMap { APNsEnvironment(rawValue: $0) }
        if world == nil { refuse("environment", #"must be "sandbox" or "production""#) }
        let bundleID = body["bundleId"]?.text.flatMap { isBundleID($0) ? $0 : nil }
        if bundleID == nil {
            refuse(
                "bundleId",
                "must have 1 to \(Limits.bundleIDBytesMax) letters, digits, hyphens and dots, "
                    + "without a push-type suffix")
        }
        guard let token, let world, let bundleID else {
            throw ProblemDocument(faults, umbrella: .invalidRegistration)
        }
        return (token, world, bundleID)
    }

    /// The suffix that names the push type belongs to the topic, which the sender builds.
    private func isBundleID(_ text: String) -> Bool {
        (1...Limits.bundleIDBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            } && !text.contains(".push-type.")
    }
}
