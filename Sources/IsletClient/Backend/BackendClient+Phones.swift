public import Foundation
public import IsletActivities

/// What lets an app speak for itself about one activity.
public struct Ticket: Hashable, Decodable, Sendable {
    public let ticket: Secret
    public let expiresAt: Date
}

extension BackendClient {
    private struct Done: Decodable {}

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

    /// Hands on what the app's `CardKeeper` handed over.
    public func put(_ token: StartToken) async throws(ClientError) {
        _ = try await ask(
            .init(
                method: "PUT", path: ["v1", "start-tokens", token.installation, token.kind],
                body: try Server.body(token.body)), as: Done.self)
    }

    public func removeStartToken(
        of installation: String, kind: String
    ) async throws(ClientError) {
        _ = try await ask(
            .init(method: "DELETE", path: ["v1", "start-tokens", installation, kind]),
            as: Done.self)
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
        _ = try await ask(
            .init(
                method: "PUT", path: ["v1", "activities", activity, "audience"],
                body: try Server.body(Body(topics: topics, notBefore: notBefore))),
            as: Done.self)
    }

    /// Has APNs make a channel for the activity; it is open a moment later.
    public func putChannel(
        of activity: String, bundleID: String, environment: PushEnvironment
    ) async throws(ClientError) {
        _ = try await ask(
            .init(
                method: "PUT", path: ["v1", "activities", activity, "channels", bundleID],
                body: try Server.body(["environment": environment.rawValue])), as: Done.self)
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
