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
        var members: [JSON.Member] = [.init(name: "activity", value: .string(id.rawValue))]
        switch way {
        case .channel(let channel):
            members += [
                .init(name: "use", value: "channel"),
                .init(name: "channelId", value: .optional(channel.channelID)),
                .init(name: "storagePolicy", value: .string(channel.storage.rawValue)),
            ]
        case .pushToken:
            members += [
                .init(name: "use", value: "pushToken"), .init(name: "channelId", value: .null),
            ]
        case .nothing(let closing):
            members += [
                .init(name: "use", value: "nothing"), .init(name: "channelId", value: .null),
                .init(name: "closedBy", value: .string(closing.rawValue)),
            ]
        }
        return .json(200, .object(members))
    }
}
