import Foundation
public import IsletActivities

extension CardKeeper {
    /// How a card that is about to be started is to be kept up to date. Islet sends nothing more to
    /// a card with a token that the phone has of the activity if the answer is a channel: end that
    /// one when the other is there, or tell its token again if none is started, for any reason.
    /// Throws `cancelled` if the person signs out meanwhile: start no card then.
    public func following(_ activity: String) async throws(ClientError) -> Following {
        struct Body: Encodable {
            var bundleId: String
            var environment: PushEnvironment
            var installation: String
            var osMajor: Int
        }
        struct Answer: Decodable {
            var use: String
            var channelId: String?
        }
        // First of all: by what was kept the phone may have another name.
        if isUnread { changed() }
        let (installation, signOuts) = (keep.installation, self.signOuts)
        let body = try Server.body(
            Body(
                bundleId: profile.bundleID, environment: profile.environment,
                installation: installation, osMajor: profile.osMajor))
        keep.asksToListen(to: activity)
        save()
        let answer: Answer
        do throws(ClientError) {
            asking[installation, default: 0] += 1
            defer { asking[installation, default: 0] -= 1 }
            answer = try await withTicket(activity) { server, ticket throws(ClientError) in
                try await server.ask(
                    .init(
                        method: "POST", path: ["v1", "activities", activity, "channel"],
                        body: body), ticket, as: Answer.self)
            }
        } catch {
            keep.hasAsked(for: activity, isDone: error.mayBeDone)
            if error.mayBeDone { takeBack(activity, installation) }
            changed()
            throw error
        }
        guard installation.hasBytes(of: keep.installation) else {
            takeBack(activity, installation)
            changed()
            guard signOuts == self.signOuts else { throw .cancelled }
            // What was kept could be read meanwhile: the phone asks by its own name.
            return try await following(activity)
        }
        switch (answer.use, answer.channelId) {
        case ("channel", let channel?):
            // From now on Islet sends nothing to a push token that this phone had for it.
            keep.listens(to: activity)
            save()
            return .channel(channel)
        case (let use, _):
            keep.hasAsked(for: activity, isDone: false)
            save()
            // A server that knows more ways than this client has tokens, too.
            return use == "nothing" ? .nothing : .pushToken
        }
    }

    /// What the card is to show now; nil for an activity that nothing was reported of. It takes a
    /// ticket of a key with `activities:read`.
    public func card<Attributes: CardAttributes>(
        of activity: String, as type: Attributes.Type
    ) async throws(ClientError) -> ShownCard<Attributes>? {
        try await withTicket(activity) { server, ticket throws(ClientError) in
            try await server.card(of: activity, as: type, ticket)
        }
    }
}
