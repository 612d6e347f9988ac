import HTTP

/// The `apns-…` headers of one push, checked one by one as Apple's table words them.
struct PushHeaders {
    static let liveActivitySuffix = ".push-type.liveactivity"
    /// Every push type Apple lists; only the first fits the tokens of Live Activities.
    private static let pushTypes: Set<String> = [
        "liveactivity", "alert", "background", "controls", "complication", "fileprovider",
        "location", "mdm", "pushtotalk", "voip", "widgets",
    ]

    var pushType: String
    var priority: Int
    var expiration: Int64?
    var topic: String

    init(_ headers: Headers) throws(Refused) {
        if let id = headers["apns-id"], !Self.isCanonicalUUID(id) { throw Refused(.badMessageID) }
        // Apple has no reason of its own for a missing type; nothing in its table is closer.
        guard let pushType = headers["apns-push-type"], Self.pushTypes.contains(pushType) else {
            throw Refused(.invalidPushType)
        }
        self.pushType = pushType
        priority = try Self.priority(headers["apns-priority"])
        expiration = try Self.expiration(headers["apns-expiration"])
        if let id = headers["apns-collapse-id"], id.utf8.count > Limits.collapseIDBytesMax {
            throw Refused(.badCollapseID)
        }
        topic = try Self.topic(headers["apns-topic"])
    }

    /// The topic without the suffix of its push type.
    var bundleID: Substring {
        topic.hasSuffix(Self.liveActivitySuffix)
            ? topic.dropLast(Self.liveActivitySuffix.count) : topic[...]
    }

    /// True when type and topic together address Live Activities.
    var addressesLiveActivities: Bool {
        pushType == "liveactivity" && topic.hasSuffix(Self.liveActivitySuffix)
    }

    static func hasRepeats(_ headers: Headers) -> Bool {
        let fields = headers.fields
        // There are few of them: comparing takes less than noting.
        return fields.indices.contains { index in
            let name = fields[index].name
            return fields[..<index].contains { $0.name == name }
                && (name == "authorization" || name.hasPrefix("apns-"))
        }
    }

    /// 8-4-4-4-12 hexadecimal digits in lower case.
    static func isCanonicalUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: (48...57).contains(byte) || (97...102).contains(byte)
            }
        }
    }

    /// A missing priority counts as 10, and against the phone's budget.
    static func priority(_ value: String?) throws(Refused) -> Int {
        switch value {
        case nil, "10": 10
        case "5": 5
        case "1": 1
        case .some: throw Refused(.badPriority)
        }
    }

    static func expiration(_ value: String?) throws(Refused) -> Int64? {
        guard let value else { return nil }
        guard !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }),
            let seconds = Int64(value)
        else { throw Refused(.badExpirationDate) }
        return seconds
    }

    private static func topic(_ value: String?) throws(Refused) -> String {
        guard let value, !value.isEmpty else { throw Refused(.missingTopic) }
        let isBundleID = value.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        }
        guard isBundleID, value.utf8.count <= Limits.topicBytesMax else {
            throw Refused(.badTopic)
        }
        return value
    }
}
