import Domain
import EventStore
import Terminal
import Testing

@testable import islet

private let now = Moment(unixSeconds: 1_800_000_000)

struct `The end of a key` {
    @Test(arguments: [
        ("30d", 2_592_000.0), ("12h", 43_200.0), ("90m", 5_400.0), ("36500d", 3_153_600_000.0),
    ])
    func `is a time from now`(text: String, seconds: Double) throws {
        #expect(try Expiry.moment(text, now: now) == now.adding(seconds: seconds))
    }

    @Test func `is a moment with a zone`() throws {
        let moment = try Expiry.moment("2100-01-01T00:00:00+01:00", now: now)
        #expect(moment?.rfc3339 == "2099-12-31T23:00:00Z")
        #expect(try Expiry.moment(nil, now: now) == nil)
    }

    @Test(arguments: [
        "", "d", "0d", "-1d", "1.5h", "30", "30 d", "30s", "36501d", "9999999999999999999d",
        "2100-01-01", "2100-01-01T00:00:00", "2020-01-01T00:00:00Z", "tomorrow",
    ])
    func `is nothing else`(text: String) {
        #expect(throws: CommandFailure.self) { try Expiry.moment(text, now: now) }
    }
}

struct `A listed key` {
    private func key(expires: Moment? = nil, revoked: Moment? = nil) -> KeyDocument {
        KeyDocument(
            APIKeyRecord(
                id: 3, tenant: Tenant(id: TenantID(rawValue: 1), name: "pizzeria"), label: nil,
                scopes: [.eventsWrite, .activitiesRead], createdAt: now, expiresAt: expires,
                lastUsedAt: nil, revokedAt: revoked), now: now)
    }

    @Test func `is active until it expires or is revoked`() {
        #expect(key().state == .active)
        #expect(key(expires: now.adding(seconds: 1)).state == .active)
        #expect(key(expires: now).state == .expired)
        #expect(key(expires: now, revoked: now).state == .revoked)
    }

    @Test func `fills a table's columns`() {
        let key = key(expires: now)
        #expect(key.cells.count == KeyDocument.headings.count)
        #expect(key.cells[3] == "activities:read,events:write")
        #expect(key.cells[5] == "2027-01-15T08:00Z")
        #expect(key.cells[6] == "–")
    }
}

struct `A tenant's limit` {
    @Test func `is a number or the default`() throws {
        var limits = TenantLimits(requestsPerSecond: 7, eventsPerSecond: 8)
        try LimitEdit(\.requestsPerSecond, "requests", "50").apply(to: &limits)
        try LimitEdit(\.eventsPerSecond, "events", "default").apply(to: &limits)
        #expect(limits == TenantLimits(requestsPerSecond: 50))
    }

    @Test(arguments: ["", "0", "-1", "1.5", "2147483648", "none"])
    func `is nothing else`(text: String) {
        #expect(throws: CommandFailure.self) {
            try LimitEdit(\.requestsPerSecond, "requests", text)
        }
    }
}

@Test func `a table's columns are as wide as their widest cell`() {
    let text = Table.text(["A", "LONG"], [["xyz", "1"], ["", "é"]])
    #expect(text == "A    LONG\nxyz  1\n     é")
}
