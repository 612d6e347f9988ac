public import Foundation
public import IsletActivities

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a card of an activity shows just now.
public struct ShownCard<Attributes: CardAttributes>: Sendable {
    /// With the activity's id, ready for a card.
    public internal(set) var attributes: Attributes
    public let contentState: Attributes.ContentState
    public let version: Int64
    /// When its newest event was recorded, by the server's clock; nil if the answer does not say.
    /// Nothing older is to be shown after it.
    public let updatedAt: Date?
    /// What to update a card with, as `timestamp`: just before the server was asked, by its own
    /// clock; nil if the answer does not say. Whatever it sends to the card later is newer. By a
    /// phone's clock that is ahead, iOS would ignore all that until then.
    public internal(set) var asOf: Date?
    /// When the phone should mark it as outdated, unless something is reported before.
    public let staleAt: Date?
    public let hasEnded: Bool

    /// The stale date for a card that is started now: nil when that date has passed, for iOS never
    /// shows a card that is stale when it starts. A card that is there already may be marked as
    /// outdated at once: update it with `staleAt` as it is.
    public func staleDate(at start: Date) -> Date? {
        staleAt.flatMap { $0 > start ? $0 : nil }
    }
}

extension ShownCard: Decodable {
    private enum CodingKeys: String, CodingKey {
        case attributes, contentState, version, updatedAt, staleAt, phase
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        attributes = try members.decode(Attributes.self, forKey: .attributes)
        contentState = try members.decode(Attributes.ContentState.self, forKey: .contentState)
        version = try members.decode(Int64.self, forKey: .version)
        updatedAt = try members.decodeIfPresent(String.self, forKey: .updatedAt)
            .flatMap(RFC3339.date)
        staleAt = try members.decodeIfPresent(String.self, forKey: .staleAt)
            .flatMap(RFC3339.date)
        hasEnded = try members.decode(String.self, forKey: .phase) == "ended"
    }
}

extension Server {
    /// - Parameter position: of the log, which the answer has to know.
    /// - Returns: nil for an activity that nothing was reported of.
    func card<Attributes: CardAttributes>(
        of activity: String, as type: Attributes.Type, upTo position: Int64? = nil, _ bearer: Secret
    ) async throws(ClientError) -> ShownCard<Attributes>? {
        let body: Data
        let response: HTTPURLResponse
        let start = ContinuousClock.now
        do throws(ClientError) {
            var question = Question(method: "GET", path: ["v1", "activities", activity])
            if let position { question.query = [URLQueryItem(name: "wait", value: "\(position)")] }
            (body, response) = try await ask(question, bearer)
        } catch {
            if error.problem == .unknownActivity { return nil }
            throw error
        }
        // The stock decoder, as on the phone: a date in a state is seconds since 2001.
        do {
            var card = try JSONDecoder().decode(ShownCard<Attributes>.self, from: body)
            card.attributes.activityID = activity
            // Both this time and a push's timestamp have whole seconds.
            let seconds: TimeInterval = 1 + (ContinuousClock.now - start) / .seconds(1)
            card.asOf = response.answeredAt?.addingTimeInterval(-seconds)
            return card
        } catch { throw .unreadable(status: response.statusCode) }
    }
}
