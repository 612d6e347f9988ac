import API
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
    private func key(expires: Moment? = nil, revoked: Moment? = nil) -> APIKeyRecord {
        APIKeyRecord(
            id: 3, tenant: Tenant(id: TenantID(rawValue: 1), name: "pizzeria"), label: nil,
            scopes: [.eventsWrite, .activitiesRead], createdAt: now, expiresAt: expires,
            lastUsedAt: nil, revokedAt: revoked)
    }

    @Test func `is active until it expires or is revoked`() {
        #expect(key().state(at: now) == .active)
        #expect(key(expires: now.adding(seconds: 1)).state(at: now) == .active)
        #expect(key(expires: now).state(at: now) == .expired)
        #expect(key(expires: now, revoked: now).state(at: now) == .revoked)
    }

    @Test func `fills a table's columns`() {
        let cells = KeyRow.cells(key(expires: now), now: now)
        #expect(cells.count == KeyRow.headings.count)
        #expect(cells[3] == "activities:read,events:write")
        #expect(cells[4] == "2027-01-15")
        #expect(cells[5] == "2027-01-15T08:00Z")
        #expect(cells[6] == "–")
    }

    @Test func `says all of it to programs, with its tenant`() {
        #expect(
            Console.json(KeyDocument.key(key(revoked: now), now: now).printed(of: "pizzeria"))
                == """
                {
                  "createdAt" : "2027-01-15T08:00:00Z",
                  "id" : 3,
                  "revokedAt" : "2027-01-15T08:00:00Z",
                  "scopes" : [
                    "activities:read",
                    "events:write"
                  ],
                  "state" : "revoked",
                  "tenant" : "pizzeria"
                }
                """)
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
