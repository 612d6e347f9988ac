import Foundation
public import IsletActivities

extension CardKeeper {
    /// How a card that is about to be started is to be kept up to date.
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
        let body = try Server.body(
            Body(
                bundleId: profile.bundleID, environment: profile.environment,
                installation: keep.installation, osMajor: profile.osMajor))
        let answer = try await withTicket(activity) { server, ticket throws(ClientError) in
            try await server.ask(
                .init(
                    method: "POST", path: ["v1", "activities", activity, "channel"], body: body),
                ticket, as: Answer.self)
        }
        switch (answer.use, answer.channelId) {
        case ("channel", let channel?):
            // From now on Islet sends nothing to a push token that this phone had for it.
            keep.listens(to: activity)
            save()
            return .channel(channel)
        case ("nothing", _): return .nothing
        // A server that knows more ways than this client has tokens all the same.
        default: return .pushToken
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
