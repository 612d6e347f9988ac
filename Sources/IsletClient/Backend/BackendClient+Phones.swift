public import Foundation
public import IsletActivities

/// What lets an app speak for itself about one activity.
public struct Ticket: Hashable, Codable, Sendable {
    public let ticket: Secret
    public let expiresAt: Date
}

/// What APNs keeps of a channel's broadcasts for phones that are away.
public enum ChannelStorage: String, Codable, Sendable {
    case nothing = "none"
    case newest
}

extension BackendClient {
    /// What answers no more than that it is done.
    private func tell(
        _ method: String, _ path: [String], _ body: Data? = nil
    ) async throws(ClientError) {
        struct Done: Decodable {}
        _ = try await ask(.init(method: method, path: path, body: body), as: Done.self)
    }

    /// One for each phone, when the person orders or asks.
    /// - Parameter lifetime: from a minute to twelve hours.
    public func ticket(
        for activity: String, lifetime: Duration = .seconds(4 * 3600)
    ) async throws(ClientError) -> Ticket {
        let body = try Server.body(["ttlSeconds": lifetime.components.seconds])
        return try await ask(
            .init(method: "POST", path: ["v1", "activities", activity, "tickets"], body: body),
            as: Ticket.self)
    }

    /// Hands on what the app's `CardKeeper` handed over. One without topics is removed.
    public func put(_ token: StartToken) async throws(ClientError) {
        guard !token.topics.isEmpty else {
            do throws(ClientError) {
                try await removeStartToken(of: token.installation, kind: token.kind)
            } catch {
                // There is none, which is what was wanted.
                if error.problem != .unknownRegistration { throw error }
            }
            return
        }
        try await tell(
            "PUT", ["v1", "start-tokens", token.installation, token.kind], Server.body(token))
    }

    public func removeStartToken(
        of installation: String, kind: String
    ) async throws(ClientError) {
        try await tell("DELETE", ["v1", "start-tokens", installation, kind])
    }

    /// Says on whose phones the activity is to appear by itself.
    /// - Parameter topics: such as `team:ARG`.
    public func putAudience(
        of activity: String, topics: [String], notBefore: Date? = nil
    ) async throws(ClientError) {
        struct Body: Encodable {
            var topics: [String]
            var notBefore: Date?
        }
        try await tell(
            "PUT", ["v1", "activities", activity, "audience"],
            Server.body(Body(topics: topics, notBefore: notBefore)))
    }

    /// Has APNs make a channel for the activity; it is open a moment later.
    /// - Parameter storage: what APNs keeps for phones that are away. It cannot be changed
    ///   afterwards; with nil it stays as it is, and a new channel keeps nothing.
    public func putChannel(
        of activity: String, bundleID: String, environment: PushEnvironment,
        storage: ChannelStorage? = nil
    ) async throws(ClientError) {
        struct Body: Encodable {
            var environment: PushEnvironment
            var storagePolicy: ChannelStorage?
        }
        try await tell(
            "PUT", ["v1", "activities", activity, "channels", bundleID],
            Server.body(Body(environment: environment, storagePolicy: storage)))
    }

    /// What the card shows now; nil for an activity that nothing was reported of.
    /// - Parameter position: a receipt's, for an answer that knows of what was just reported.
    public func card<Attributes: CardAttributes>(
        of activity: String, as type: Attributes.Type, upTo position: Int64? = nil
    ) async throws(ClientError) -> ShownCard<Attributes>? {
        try await retrying { () throws(ClientError) in
            try await server.card(of: activity, as: type, upTo: position, key)
        }
    }
}
