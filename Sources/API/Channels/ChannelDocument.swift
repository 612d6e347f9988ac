import Domain
import EventStore
import HTTP
import JSON

enum ChannelDocument {
    enum Way {
        case channel(Channel)
        case pushToken
        case nothing(Closing)
    }

    static func channel(_ channel: Channel, _ followers: ChannelFollowers) -> JSON {
        [
            "activity": .string(channel.activityID.rawValue),
            "bundleId": .string(channel.app.bundleID),
            "environment": .string(channel.app.environment.rawValue),
            "state": .string(channel.state.rawValue),
            "channelId": .optional(channel.channelID),
            "storagePolicy": .string(channel.storage.rawValue),
            "sentVersion": .integer(channel.sentVersion),
            "lastFailure": .optional(channel.lastFailure),
            "wantedAt": .string(channel.wantedAt.rfc3339),
            "openedAt": .optional(channel.openedAt?.rfc3339),
            "followersByToken": .integer(followers.served),
            "followersMoved": .integer(followers.moved),
            "listeners": .integer(followers.listening),
        ]
    }

    static func listening(_ id: ActivityID, use way: Way) -> Response {
        let activity = JSON.string(id.rawValue)
        let document: JSON =
            switch way {
            case .channel(let channel):
                [
                    "activity": activity, "use": "channel",
                    "channelId": .optional(channel.channelID),
                    "storagePolicy": .string(channel.storage.rawValue),
                ]
            case .pushToken: ["activity": activity, "use": "pushToken", "channelId": .null]
            case .nothing(let closing):
                [
                    "activity": activity, "use": "nothing", "channelId": .null,
                    "closedBy": .string(closing.rawValue),
                ]
            }
        return .json(200, document)
    }
}
