import Domain
import EventStore
import Foundation
import TestSupport
import Testing

/// The database, the API and metrics have these: a case may get another name, not another word.
struct `Words that are a format` {
    private func words<Words: RawRepresentable<String> & CaseIterable>(
        _ type: Words.Type
    ) -> [String] {
        type.allCases.map(\.rawValue)
    }

    @Test func `of keys and holds stay what they are in the database`() {
        #expect(
            words(Scope.self) == [
                "events:write", "activities:read", "registrations:write", "admin",
                "tenants:manage",
            ])
        #expect(words(AppKeyScope.self) == ["sandbox", "production", "both"])
        #expect(words(LogHold.self) == ["asked", "set-back", "copied", "timeline"])
        #expect(words(MovingTenant.State.self) == ["leaving", "gone", "arriving"])
        #expect(words(Leftover.self) == ["registrations", "notices", "keys"])
    }

    @Test func `that nodes tell each other stay what they are`() {
        #expect(
            words(StoreNotification.Subject.self) == [
                "appended", "folded", "decided", "completed", "phones", "keys", "apps",
                "foldedElsewhere",
            ])
    }

    @Test func `of metrics and of the API stay what they are`() {
        #expect(
            words(CallResult.self) == ["ok", "unavailable", "unknown", "refused", "overloaded"])
        #expect(words(StoreCall.self) == ["append", "fold", "send"])
        #expect(words(DeadLetter.Carrier.self) == ["push", "start", "webhook"])
        let orders: [ActivityFilter.Order] = [.id, .idDescending, .newestChange]
        #expect(orders.map(\.rawValue) == ["id", "-id", "-change"])
        #expect(
            [APIKeyRecord.State.active, .expired, .revoked].map(\.rawValue)
                == ["active", "expired", "revoked"])
    }

    /// The right to do everything within a tenant does not come by itself.
    @Test func `of an ordinary key give it no right to manage anything`() {
        #expect(Scope.ordinary == [.eventsWrite, .activitiesRead, .registrationsWrite])
    }
}

struct `A place among a tenant's changes` {
    @Test(arguments: 0..<20)
    func `comes by its position first, and what was noticed there comes after`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let places = (0..<30).map { _ in
            ActivityChange.Place(
                position: Int64.random(in: 1...5, using: &generator),
                noticeNumber: Int64.random(in: 0...3, using: &generator))
        }
        let sorted = places.sorted()
        for (left, right) in zip(sorted, sorted.dropFirst()) {
            #expect(
                left.position < right.position
                    || left.position == right.position && left.noticeNumber <= right.noticeNumber)
        }
        #expect(ActivityChange.Place(position: 7) < .init(position: 7, noticeNumber: 1))
        #expect(ActivityChange.Place(position: 7, noticeNumber: 9) < .init(position: 8))
    }

    @Test func `is where a page ends, if it has anything`() {
        #expect(ActivityChanges([], generation: 3).end == nil)
        #expect(ActivityChanges([], generation: 3).looked == 0)
        let changes = [1, 4].map { (position: Int64) in
            ActivityChange(
                place: ActivityChange.Place(position: position),
                activityID: ActivityID(rawValue: "a"), snapshot: nil)
        }
        let page = ActivityChanges(changes, generation: 3)
        #expect(page.end == ActivityChange.Place(position: 4) && page.looked == 2)
        #expect(page.superseded == [])
    }
}

struct `What operators see of projections` {
    private func lag(waited: Double, unmoved: Double) -> ProjectionLag {
        ProjectionLag(
            tenant: Made.tenant, checkpoint: 7, head: 10, waitedSeconds: waited,
            unmovedSeconds: unmoved)
    }

    @Test func `is a stall only if something waits and nothing moves, both for so long`() {
        #expect(lag(waited: 31, unmoved: 31).isStalled(secondsMax: 30))
        #expect(!lag(waited: 30, unmoved: 31).isStalled(secondsMax: 30))
        // Many events that are being folded, and an event that came a moment ago.
        #expect(!lag(waited: 3_600, unmoved: 1).isStalled(secondsMax: 30))
        #expect(!lag(waited: 1, unmoved: 3_600).isStalled(secondsMax: 30))
        #expect(lag(waited: 0, unmoved: 0).events == 3)
    }

    @Test func `is a rebuild that an older program leaves alone`() {
        func newer(_ built: [String: Int], than own: [String: Int]) -> [String] {
            RebuildProgress(
                tenant: Tenant(id: Made.tenant, name: "acme"), generation: 2, position: 0,
                target: 9, isPaused: false, reason: "folds", startedAt: Made.moment(0),
                foldVersions: built
            ).newerKinds(than: own)
        }
        #expect(newer(["a": 1, "b": 2], than: ["a": 1, "b": 2, "c": 9]) == [])
        #expect(newer(["z": 3, "b": 2, "a": 1], than: ["z": 2, "b": 1, "a": 1]) == ["b", "z"])
        // A kind that this program does not have.
        #expect(newer(["d": 1], than: [:]) == ["d"])
    }
}

struct `What is kept` {
    @Test func `must be archived up to the newest moment before which something may go`() {
        #expect(Retention(otherwise: nil).newest == nil)
        #expect(Retention(otherwise: Made.moment(5)).newest == Made.moment(5))
        let kinds = ["Match": Made.moment(9), "Pizza": Made.moment(3)]
        #expect(Retention(kinds: kinds, otherwise: nil).newest == Made.moment(9))
        #expect(
            Retention(kinds: kinds, otherwise: Made.moment(10)).newest == Made.moment(10))
    }

    @Test func `of an erasure is nothing only if no value, snapshot or key goes`() {
        #expect(ErasureChanges().isEmpty)
        var events = ErasureChanges()
        events.events = [Made.event(1)]
        var snapshot = ErasureChanges()
        snapshot.snapshot = Made.snapshot()
        var key = ErasureChanges()
        key.destroysKey = true
        for outcome in [events, snapshot, key] { #expect(!outcome.isEmpty) }
    }
}

struct `A name of a cell` {
    @Test(arguments: ["a", "eu1", "t", "tx1", "t1a", "abcdefghijklmnop", "test"])
    func `is a short word`(name: String) {
        #expect(Cell.complaint(about: name) == nil)
    }

    @Test(arguments: ["", "1a", "EU1", "eu-1", "eu_1", "é", "eu１", "abcdefghijklmnopq", "a\u{301}"])
    func `is no other text`(name: String) {
        #expect(
            Cell.complaint(about: name)
                == "a cell's name is 1 to 16 of a-z and 0-9, and begins with a letter")
    }

    @Test(arguments: ["t1", "t0", "t123456"])
    func `is not how a ticket begins`(name: String) {
        #expect(
            Cell.complaint(about: name) == "t with digits begins tickets: choose another name")
    }
}

struct `What a phone or a receiver has had` {
    @Test func `is all if nothing failed and nothing is owed`() throws {
        let token = try #require(PushToken(hex: String(repeating: "0f", count: 80)))
        var phone = Registration(
            id: 1, tenant: Made.tenant, activityID: ActivityID(rawValue: "a"), pushToken: token,
            environment: .sandbox, bundleID: "com.example", sentVersion: 3, attempts: 0,
            registeredAt: Made.moment(0), tokenVersion: 1)
        #expect(phone.isUpToDate)
        #expect(
            phone.app
                == TenantApp(
                    tenant: Made.tenant, bundleID: "com.example", environment: .sandbox))
        phone.isOwed = true
        #expect(!phone.isUpToDate)
        phone.isOwed = false
        phone.attempts = 1
        #expect(!phone.isUpToDate)
    }

    @Test func `is what came before the message that did not arrive`() {
        let waiting = WaitingMessage(
            activityID: ActivityID(rawValue: "a"), after: 4, version: 6, attempts: 1,
            firstTriedAt: Made.moment(0))
        #expect(WebhookWork.Item(snapshot: nil, pending: [], waiting: waiting).known == 4)
        #expect(WebhookWork.Item(snapshot: nil, pending: [], waiting: nil).known == 0)
    }
}
