import Domain
import Foundation
import Testing

@testable import islet

private let app = AppInEnvironment(bundleID: "com.example", environment: .sandbox)

private func channel(
    _ number: Int64, _ state: Channel.State, _ name: String?, of owner: AppInEnvironment = app
) -> Channel {
    Channel(
        id: number, tenant: TenantID(rawValue: 1), activityID: ActivityID(rawValue: "m-\(number)"),
        app: owner, state: state, channelID: name, wantedAt: Moment(unixSeconds: 1_800_000_000))
}

struct `The inventory of channels` {
    @Test func `tells what both know from what only one does`() {
        let inventory = ChannelInventory(
            app,
            known: [
                channel(1, .open, "a="), channel(2, .open, "b="), channel(3, .wanted, nil),
            ], listed: ["a=", "c=", "d="])
        #expect(inventory.rows.map(\.finding) == [.known, .lost, .wanted, .orphaned, .orphaned])
        #expect(inventory.orphans == ["c=", "d="])
        #expect(inventory.listed == 3)
        #expect(!inventory.isMakingOne)
    }

    @Test func `names apps and channels as the API does`() throws {
        let inventory = ChannelInventory(app, known: [channel(1, .open, "a=")], listed: nil)
        let row = try #require(inventory.rows.first)
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(row))
        let members = try #require(json as? [String: Any])
        #expect(
            members.keys.sorted() == [
                "activity", "bundleId", "channelId", "environment", "finding", "since",
                "storagePolicy", "tenant",
            ])
    }

    @Test func `takes another app's channel for no reason to keep one`() {
        let other = AppInEnvironment(bundleID: "com.example", environment: .production)
        let inventory = ChannelInventory(
            app, known: [channel(1, .open, "a=", of: other)], listed: ["a="])
        #expect(inventory.orphans == ["a="])
    }

    @Test func `finds nothing orphaned or lost when APNs was not asked`() {
        let inventory = ChannelInventory(app, known: [channel(1, .open, "a=")], listed: nil)
        #expect(inventory.rows.map(\.finding) == [.unchecked])
        #expect(inventory.orphans.isEmpty)
        #expect(inventory.listed == nil)
    }

    @Test func `says what to do where APNs refuses the key for channels, once for each reason`() {
        var refused = [channel(1, .wanted, nil), channel(2, .wanted, nil), channel(3, .open, "c=")]
        for (index, reason) in ["TopicMismatch", "TopicMismatch", "TooManyRequests"].enumerated() {
            refused[index].lastFailure = reason
        }
        // No answer of APNs about the key.
        for reason in ["status 429", "key-refused", "connection reset"] {
            var other = channel(4, .wanted, nil)
            other.lastFailure = reason
            refused.append(other)
        }
        let inventory = ChannelInventory(app, known: refused, listed: nil)
        #expect(inventory.rows.prefix(3).map(\.lastFailure) == refused.prefix(3).map(\.lastFailure))
        #expect(inventory.remedies.count == 1)
        #expect(inventory.remedies[0].hasPrefix("TopicMismatch: "))
        #expect(inventory.remedies[0].contains("covers the bundle id itself"))
    }

    @Test func `says when one is being made, which may look orphaned`() {
        let inventory = ChannelInventory(
            app, known: [channel(1, .creating, nil)], listed: ["new="])
        #expect(inventory.isMakingOne)
    }
}
