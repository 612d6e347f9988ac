// Just what the sample, the documentation and IsletClient use of ActivityKit, in Apple's words, so
// that the compiler reads them on any machine. Nothing of it runs. `Activity` is not `Sendable`
// here, which is the stricter reading.
public import Foundation

public protocol ActivityAttributes: Codable {
    associatedtype ContentState: Codable, Hashable, Sendable
}

// Foundation's own on Apple's platforms.
extension ProcessInfo {
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) { fatalError() }
}

public struct ActivityContent<State: Codable & Hashable & Sendable>: Sendable {
    public var state: State
    public var staleDate: Date?
    public var relevanceScore: Double
    public init(state: State, staleDate: Date?, relevanceScore: Double = 0) { fatalError() }
}

public enum ActivityState: Codable, Sendable {
    case pending, active, ended, dismissed, stale
}

public struct PushType: Sendable {
    public static var token: PushType { fatalError() }
    public static func channel(_ channelID: String) -> PushType { fatalError() }
}

public struct ActivityUIDismissalPolicy: Sendable {
    public static var immediate: ActivityUIDismissalPolicy { fatalError() }
    public static var `default`: ActivityUIDismissalPolicy { fatalError() }
}

public struct AlertConfiguration: Sendable {}

public struct ActivityAuthorizationInfo: Sendable {
    public init() {}
    public var areActivitiesEnabled: Bool { fatalError() }
    public var frequentPushesEnabled: Bool { fatalError() }
    public var frequentPushEnablementUpdates: AsyncStream<Bool> { fatalError() }
}

public enum ActivityAuthorizationError: Error {
    case denied, targetMaximumExceeded, globalMaximumExceeded, attributesTooLarge
}

public class Activity<Attributes: ActivityAttributes> {
    public typealias ContentState = Attributes.ContentState
    public typealias PushTokenUpdates = AsyncStream<Data>
    public typealias ActivityStateUpdates = AsyncStream<ActivityState>
    public typealias ActivityUpdates = AsyncStream<Activity<Attributes>>

    init() {}

    public var id: String { fatalError() }
    public var attributes: Attributes { fatalError() }
    public var content: ActivityContent<ContentState> { fatalError() }
    public var activityState: ActivityState { fatalError() }
    public var pushToken: Data? { fatalError() }
    public var pushTokenUpdates: PushTokenUpdates { fatalError() }
    public var activityStateUpdates: ActivityStateUpdates { fatalError() }
    public static var activities: [Activity<Attributes>] { fatalError() }
    public static var activityUpdates: ActivityUpdates { fatalError() }
    public static var pushToStartToken: Data? { fatalError() }
    public static var pushToStartTokenUpdates: AsyncStream<Data> { fatalError() }

    public static func request(
        attributes: Attributes, content: ActivityContent<ContentState>, pushType: PushType? = nil
    ) throws -> Activity<Attributes> { fatalError() }

    public func update(
        _ content: ActivityContent<ContentState>, alertConfiguration: AlertConfiguration? = nil,
        timestamp: Date
    ) async { fatalError() }

    public func end(
        _ content: ActivityContent<ContentState>?,
        dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async { fatalError() }
}
