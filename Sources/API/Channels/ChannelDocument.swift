import Domain
import EventStore
import JSON

enum ChannelDocument {
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

    /// What a phone's card is to listen to: without a channel to its push token, and to nothing if
    /// it is closed.
    static func listening(_ id: ActivityID, to channel: Channel?, _ closing: Closing?) -> JSON {
        let channel = closing == nil ? channel : nil
        let use = closing != nil ? "nothing" : channel != nil ? "channel" : "pushToken"
        var document: JSON = [
            "activity": .string(id.rawValue), "use": .string(use),
            "channelId": .optional(channel?.channelID),
        ]
        document["storagePolicy"] = channel.map { .string($0.storage.rawValue) }
        document["closedBy"] = closing.map { .string($0.rawValue) }
        return document
    }
}
