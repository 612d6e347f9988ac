import Encodings
import TLS
public import Domain

/// What an export consists of: the contents of `manifest.json`.
///
/// Each segment has the SHA-256 of its file, and a chain value that covers everything before it. A
/// note of the last chain value is enough to recognise the whole export.
public struct Manifest: Codable, Hashable, Sendable {
    public static let format = "islet-events"
    public static let formatVersion = 1

    public struct Segment: Codable, Hashable, Sendable {
        /// Name of the file beside the manifest.
        public var file: String
        public var events: Int
        public var firstPosition: Int64
        public var lastPosition: Int64
        public var bytes: Int
        /// 64 hexadecimal digits.
        public var sha256: String
        /// SHA-256 of the chain value before and of this segment's other members.
        public var chain = ""
    }

    /// Which log it was exported from. The name does not say it: a tenant that was removed and made
    /// again under the same name has another log.
    public struct Origin: Codable, Hashable, Sendable {
        public var tenant: TenantID
        public var createdAt: Moment
    }

    public var format = Self.format
    public var formatVersion = Self.formatVersion
    /// Name of the tenant that was exported.
    public var tenant: String
    /// Nil in older exports, and where nobody knows.
    public var origin: Origin?
    public var selection: Selection
    /// Position up to which the log was exported, fixed when the export began.
    public var through: Int64
    public private(set) var segments: [Segment] = []
    /// Of all segments.
    public private(set) var events = 0
    /// 0 when there is no event.
    public private(set) var firstPosition: Int64 = 0
    public private(set) var lastPosition: Int64 = 0
    /// False until the last segment is there.
    public var isComplete = false

    /// The last chain value, which stands for the whole export.
    public var chain: String { segments.last?.chain ?? Chain.start(of: self) }

    /// Adds a finished file, chained to those before it.
    mutating func append(_ segment: Segment) {
        var segment = segment
        segment.chain = Chain.value(after: chain, segment)
        segments.append(segment)
        total()
    }

    /// Forgets the segment at this index and all after it.
    mutating func cut(at index: Int) {
        segments.removeSubrange(index...)
        isComplete = false
        total()
    }

    mutating func total() {
        events = segments.reduce(0) { $0 + $1.events }
        firstPosition = segments.first?.firstPosition ?? 0
        lastPosition = segments.last?.lastPosition ?? 0
    }
}

/// Which events an export has; what the command line asked for.
public struct Selection: Codable, Hashable, Sendable {
    /// Only later positions.
    public var after: Int64
    /// A position or a moment as it was given; nil for the end of the log.
    public var until: String?
    /// Only this activity's events.
    @ByBytes public var activity: String?
    /// Whether names and free texts are pseudonyms; nil when they are not.
    public var isRedacted: Bool?
    /// Whether personal values are sealed; nil when they are not.
    public var isSealed: Bool?

    public init(
        after: Int64 = 0, until: String? = nil, activity: String? = nil, isRedacted: Bool = false,
        isSealed: Bool = false
    ) {
        self.after = after
        self.until = until
        self.activity = activity
        self.isRedacted = isRedacted ? true : nil
        self.isSealed = isSealed ? true : nil
    }
}

/// Chain values: SHA-256 over lines of text, so that `sha256sum` can check them.
enum Chain {
    /// What the first segment is chained to.
    static func start(of manifest: Manifest) -> String {
        digest(
            [
                "\(manifest.format) \(manifest.formatVersion)", manifest.tenant,
                "\(manifest.selection.after)", manifest.selection.until ?? "",
                manifest.selection.activity ?? "", "\(manifest.through)",
            ] + (manifest.selection.isRedacted == true ? ["redacted"] : [])
                + (manifest.selection.isSealed == true ? ["sealed"] : []))
    }

    static func value(after previous: String, _ segment: Manifest.Segment) -> String {
        digest([
            previous, segment.file, "\(segment.events)", "\(segment.firstPosition)",
            "\(segment.lastPosition)", "\(segment.bytes)", segment.sha256,
        ])
    }

    private static func digest(_ lines: [String]) -> String {
        Hexadecimal.encode(SHA256.hash(Array(lines.map { $0 + "\n" }.joined().utf8)))
    }
}
