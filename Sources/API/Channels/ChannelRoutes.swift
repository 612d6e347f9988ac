import DeliveryRules
import Domain
import EventStore
import HTTP
import JSON

/// Broadcast channels of an activity: asked for up front, looked at, and listened to.
struct ChannelRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        let path = "/v1/activities/{id}/channels/{bundleId}"
        return [
            Route(.get, "/v1/channels", .activitiesRead, list)
                .acceptingQuery("after", "limit"),
            Route(.put, path, .registrationsWrite, want),
            Route(.get, path, .activitiesRead, show),
            Route(
                .post, "/v1/activities/{id}/channel", .registrationsWrite, isTicketed: true,
                listen),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let after = try call.number("after", in: Limits.positions) ?? 0
        let limit = try call.limit()
        let found = try await environment.asked(
            "reading channels", try await store.operators.channels(caller.tenant, after, limit + 1))
        let (page, last) = found.page(of: limit)
        return .page(
            ["channels": .array(try await documents(page, caller))],
            next: last.map { "/v1/channels?after=\($0.id)&limit=\(limit)" })
    }

    /// The activity need not be known yet: a match is planned before it is reported.
    private func want(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (id, bundleID) = (try call.activityID(), try bundleID(of: call))
        var body = try await call.fields(.invalidRegistration, caller)
        let (apnsEnvironment, storage) = try body.channelWish()
        try caller.requireRoomForRegistration()
        guard try await !hasEnded(id, caller) else {
            throw ProblemDocument(.channelConflict, "The activity has ended.")
        }
        let app = AppInEnvironment(bundleID: bundleID, environment: apnsEnvironment)
        let found = try await environment.asked(
            "asking for a channel",
            try await store.channels.want(caller.tenant, id, app, storage ?? .none))
        if let storage, storage != found.channel.storage {
            throw ProblemDocument(
                .channelConflict, pointer: "/storagePolicy",
                "`storagePolicy` of the channel that there is cannot be changed.")
        }
        return .json(found.isNew ? 201 : 200, try await document(found.channel, caller))
    }

    private func show(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (id, bundleID) = (try call.activityID(), try bundleID(of: call))
        let channels = try await environment.asked(
            "reading channels", try await store.channels.find(caller.tenant, id, bundleID))
        return .reading(call, ["channels": .array(try await documents(channels[...], caller))])
    }

    /// No channel is no error: the app has another way, and nothing to try again.
    private func listen(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        var body = try await call.fields(.invalidRegistration, caller)
        let listener = try body.listener()
        try caller.chargeOrRefuse(registrationOf: listener.installation)
        let channel = try await channel(for: listener, id, caller)
        // What a person has dismissed stays away, with a token as with a channel.
        let rules = channel == nil ? CardMachine.recall : CardMachine.handle
        let answer = try await environment.asked(
            "opening a channel to a phone",
            try await store.registrations.change(
                caller.tenant, id, .listen(installation: listener.installation, with: listener.app),
                rules
            ).change.answer)
        let closing: Closing? = if case .closed(let reason) = answer { reason } else { nil }
        return .json(200, ChannelDocument.listening(id, to: channel, closing))
    }

    /// Nil when the phone cannot listen to any.
    private func channel(
        for listener: ChannelListener, _ id: ActivityID, _ caller: Caller
    ) async throws(ProblemDocument) -> Channel? {
        guard listener.osMajor >= Limits.channelSystemMajorMin,
            let channel = try await open(id, listener.app, caller),
            try await !hasEnded(id, caller)
        else { return nil }
        return channel
    }

    private func open(
        _ id: ActivityID, _ app: AppInEnvironment, _ caller: Caller
    ) async throws(ProblemDocument) -> Channel? {
        try await environment.asked(
            "reading channels",
            try await store.channels.find(caller.tenant, id, app.bundleID)
        ).first { $0.app == app && $0.state == .open }
    }

    private func hasEnded(
        _ id: ActivityID, _ caller: Caller
    ) async throws(ProblemDocument) -> Bool {
        try await environment.asked(
            "reading an activity", try await store.projections.snapshot(caller.tenant, id)
        )?.phase == .ended
    }

    private func documents(
        _ channels: ArraySlice<Channel>, _ caller: Caller
    ) async throws(ProblemDocument) -> [JSON] {
        var documents: [JSON] = []
        for channel in channels { documents.append(try await document(channel, caller)) }
        return documents
    }

    private func document(
        _ channel: Channel, _ caller: Caller
    ) async throws(ProblemDocument) -> JSON {
        let followers = try await environment.asked(
            "counting followers",
            try await store.channels.followers(caller.tenant, channel.activityID, channel.app))
        return ChannelDocument.channel(channel, followers)
    }

    private func bundleID(of call: Call) throws(ProblemDocument) -> String {
        let text = call.path["bundleId"] ?? ""
        guard RegistrationRules.isBundleID(text) else {
            throw ProblemDocument(
                .invalidParameter, "`bundleId` in the path \(RegistrationRules.bundleID).")
        }
        return text
    }
}
