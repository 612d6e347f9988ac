import Domain
import EventStore
import Foundation
import JSON
import Pipeline
import Postgres
import PostgresStore
import Projections
import StoreTestSupport
import TestSupport
import Testing

@testable import Archive

/// What `ledger.ndjson` has of an order with a card, and with one that a push has started.
@Suite(.timeLimit(.minutes(5)))
struct `A ledger beside an archive` {
    private static let order = ActivityID(rawValue: "order-7")
    /// Values of the phone. That of `device_id` leads to it while it can be started on.
    private static let phone = ["inst-ann", "de-AT", "build-77", "471100017"]
    /// By sort of record the members that say nothing of a person.
    private static let readable: [String: Set<String>] = [
        "decision": [
            "accepted", "activity_id", "carried_by", "channels_accepted", "channels_failed",
            "decided_at", "dismiss_at", "failed", "policy_version", "position", "push_order",
            "relevance_score", "rule", "rules_version", "send_after", "sent_timestamp",
            "settled_at", "significance", "stale_at", "verdict", "version",
        ],
        "registration": [
            "accepted_at", "activity_id", "attempts", "bundle_id", "caught_up_from",
            "caught_up_to", "closed_at", "closed_by", "dead_at", "environment", "given_up_at",
            "has_successor", "id", "is_proven", "is_unfit", "last_failure", "missed_from",
            "registered_at", "reported", "reported_at", "retry_at", "rotated_from", "sent_version",
            "token_version",
        ],
        "start": [
            "activity_id", "attempts", "changed_at", "claimed_by", "dismissed_at", "due_at",
            "ends_registration", "first_tried_at", "lap", "put_version", "state",
        ],
    ]

    @Test func `tells of phones under the activity's key alone, which an erasure destroys`()
        async throws
    {
        let (database, tenant) = try await story()
        let directory = NSTemporaryDirectory() + "islet-ledger-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let text = try await drop(database, tenant, to: directory)
        #expect(text.contains(#""bundle_id":"com.example""#))
        #expect(text.contains(#""state":"started""#))
        #expect(found(in: text).isEmpty)
        let keys = try await database.store.erasure.keys(
            tenant.id, [Self.order], isMaking: false)
        let key = try #require(SubjectKey(keys[Self.order], of: Self.order))
        let card = try opened("registration", of: text, by: key)
        #expect(card["installation"]?.text == "inst-ann")
        #expect(card["locale"]?.text == "de-AT")
        #expect(card["app_build"]?.text == "build-77")
        #expect(card["os_major"] == .number("18"))
        let start = try opened("start", of: text, by: key)
        #expect(start["device_id"] == .number("471100017"))
        _ = try await database.store.erasure.erase(tenant.id, Self.order, Erasing.rewrite).get()
        let left = try await database.store.erasure.keys(
            tenant.id, [Self.order], isMaking: false)
        #expect(left.isEmpty)
    }

    /// A row has every column of its table, but for the tenant and the push token: a new column is
    /// in the file by itself. If it may say something of a person or of their phone, it belongs to
    /// `CardRecord.phoneMembers`, or to `personalMembers` of `SubjectSeals`; else to `readable`.
    @Test func `has unsealed only what is known to say nothing of a person`() async throws {
        let (database, tenant) = try await story()
        let directory = NSTemporaryDirectory() + "islet-ledger-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let text = try await drop(database, tenant, to: directory)
        var found: [String: Set<String>] = [:]
        for line in text.split(separator: "\n") {
            let record = try JSONParser.parse(Array(line.utf8), isStrict: false)
            let sort = try #require(record["record"]?.text)
            guard case .object(let members)? = record["row"] else {
                Issue.record("a \(sort) has no row")
                continue
            }
            found[sort, default: []].formUnion(members.map { $0.name })
        }
        #expect(Set(found.keys) == Set(Self.readable.keys))
        for (sort, names) in found {
            let known = Self.readable[sort, default: []].union(["sealed"])
            #expect(names.subtracting(known) == [], "may say something of a person: \(sort)")
            #expect(known.subtracting(names) == [], "there is no such member: \(sort)")
        }
    }

    @Test func `has nothing of phones when its activity was erased before`() async throws {
        let (database, tenant) = try await story()
        let directory = NSTemporaryDirectory() + "islet-ledger-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let outcome = try await database.store.erasure.erase(
            tenant.id, Self.order, Erasing.rewrite
        ).get()
        #expect(outcome.valueCount == 1)
        let text = try await drop(database, tenant, to: directory)
        #expect(text.contains("com.example"))
        #expect(found(in: text).isEmpty)
        let keys = try await database.store.erasure.keys(
            tenant.id, [Self.order], isMaking: false)
        let key = try #require(SubjectKey(keys[Self.order], of: Self.order))
        // Neither in clear nor sealed with a key that was made since.
        let card = try row("registration", of: text)
        #expect(card["sealed"] == nil)
        #expect(try opened("start", of: text, by: key)["device_id"] == nil)
    }

    private func story() async throws -> (TestDatabase, Tenant) {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        _ = try await database.store.log.append(
            tenant.id, [.driverAssigned("1", to: Self.order)])
        let projector = Projector(store: database.store) { Issue.record($0) }
        #expect(await projector.drain() == 1)
        return (database, tenant)
    }

    /// As if the order had been sent, and were over for good.
    /// - Returns: what is written down of it.
    private func drop(
        _ database: TestDatabase, _ tenant: Tenant, to directory: String
    ) async throws -> String {
        try await database.alter(
            """
            UPDATE snapshot SET phase = 'ended', due_at = NULL;
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0
            WHERE settled_at IS NULL;
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                installation, locale, app_build, os_major)
            VALUES (\(tenant.id.rawValue), 'order-7', 'secrettoken', 'sandbox', 'com.example',
                'inst-ann', 'de-AT', 'build-77', 18);
            INSERT INTO card_start (tenant, activity_id, device_id, state, put_version)
            VALUES (\(tenant.id.rawValue), 'order-7', 471100017, 'started', 1)
            """)
        _ = try await Archiving.run(
            database.store, tenant, through: 1, in: Layout(directory)
        ) { _ in }
        let dropped = try await Dropping.run(
            database.store, tenant,
            Retention(otherwise: Moment(unixSeconds: 4_000_000_000)), in: Layout(directory),
            open: { Layout($0) }, report: { _ in })
        #expect(dropped == DroppedActivities(activities: 1, events: 1))
        return try String(contentsOfFile: directory + "/ledger.ndjson", encoding: .utf8)
    }

    /// Values of the phone anywhere, and names of its members in rows of cards: what a decision
    /// says of a budget has one of these names too.
    private func found(in text: String) -> [String] {
        let cards = text.split(separator: "\n").filter { !$0.contains("\"decision\"") }
        let names = CardRecord.phoneMembers.map { "\"\($0)\"" }
        return Self.phone.filter { text.contains($0) }
            + names.filter { name in cards.contains { $0.contains(name) } }
    }

    private func row(_ sort: String, of text: String) throws -> JSON {
        for line in text.split(separator: "\n") {
            let record = try JSONParser.parse(Array(line.utf8), isStrict: false)
            if record["record"]?.text == sort { return try #require(record["row"]) }
        }
        Issue.record("there is no \(sort)")
        return .null
    }

    private func opened(_ sort: String, of text: String, by key: SubjectKey) throws -> JSON {
        let sealed = try #require(try row(sort, of: text)["sealed"])
        let opened = SubjectKey.opened(sealed, by: key, orElse: "unopened-")
        #expect(opened?.isOpened == true)
        return opened?.value ?? .null
    }
}
