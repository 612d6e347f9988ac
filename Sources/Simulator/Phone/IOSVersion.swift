/// Version of iOS on a phone, for example 17.2.
public struct IOSVersion: RawRepresentable, Hashable, Comparable, Codable, Sendable,
    CustomStringConvertible
{
    public var major: Int
    public var minor: Int

    /// The first with Live Activities. Source: as below.
    public static let withActivities = IOSVersion(16, 1)
    /// The first that knows stale dates, and whose person may allow frequent updates. Source: as
    /// below.
    public static let withFrequentUpdates = IOSVersion(16, 2)
    /// The first with push-to-start tokens. Source: Apple, "Starting and updating Live Activities
    /// with ActivityKit push notifications".
    public static let withStartTokens = IOSVersion(17, 2)
    /// The first that listens to channels and knows `input-push-token` and `input-push-channel`.
    /// Source: as above.
    public static let withChannels = IOSVersion(18, 0)

    /// The first whose apps can plan activities that begin by themselves. Source: Apple,
    /// `Activity.request(attributes:content:pushType:style:alertConfiguration:start:)`.
    public static let withScheduling = IOSVersion(26, 0)

    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// - Parameter rawValue: `18` or `17.2`.
    public init?(rawValue: String) {
        let parts = rawValue.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt16($0) }
        guard (1...2).contains(parts.count), numbers.count == parts.count else { return nil }
        self.init(Int(numbers[0]), numbers.count == 2 ? Int(numbers[1]) : 0)
    }

    public var rawValue: String { "\(major).\(minor)" }
    public var description: String { rawValue }

    public static func < (left: IOSVersion, right: IOSVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
