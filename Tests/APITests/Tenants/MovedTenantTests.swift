import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private let registration = """
    {"pushToken":"\(String(repeating: "ab", count: 32))","environment":"sandbox",
    "bundleId":"com.example"}
    """

struct `Of a tenant in another cell` {
    @Test(arguments: [nil, "https://eu2.example"])
    func `keys and tickets are answered with where it is`(url: String?) async throws {
        let api = await Harness()
        let ticket = try await api.ticket()
        let cell = Cell(name: "eu2", url: url)
        await api.fake.depart(Harness.mine, "all", to: cell)
        api.time.value = api.time.value.adding(seconds: 60)
        let wanted: Problem = url == nil ? .tenantMoved : .tenantRedirected
        let target = "/v1/activities/o-1/registrations?x=1"
        for answer in [
            try await api.get("/v1/activities?limit=5"),
            try await api.call(
                "POST", target, key: ticket, body: registration, type: "application/json"),
        ] {
            let document = try answer.expectProblem(wanted)
            #expect(document["cell"]?.text == "eu2")
            #expect((answer.header("location") != nil) == (url != nil))
        }
        let answer = try await api.get("/v1/activities?limit=5")
        #expect(answer.header("location") == url.map { $0 + "/v1/activities?limit=5" })
        try await api.get("/v1/activities", key: "unknown").expectProblem(.invalidKey)
    }

    @Test func `what cannot be written while it moves is to be tried again`() async throws {
        let api = await Harness()
        _ = try await api.get("/v1/activities")
        await api.fake.fail(with: .moving(detail: "it moves"))
        let answer = try await api.post(SampleEvents.placed("o-1"))
        try answer.expectProblem(.tenantMoving)
        #expect(answer.header("retry-after") != nil)
    }

    @Test func `keys of a cell with a name say so, and those of others look as before`() {
        let (secret, tenant) = ([UInt8](repeating: 0, count: 32), TenantID(rawValue: 7))
        #expect(APIKey.text(of: secret, tenant).hasPrefix("islet_AAAA"))
        let key = APIKey.text(of: secret, in: Cell(name: "eu1"), tenant)
        #expect(key.hasPrefix("islet_eu1-7.AAAA"))
    }

    @Test func `tickets of a cell with a name say so, and open what others do`() async throws {
        let api = await Harness()
        await api.fake.name(Cell(name: "eu1", isHere: true))
        let ticket = try await api.ticket()
        #expect(ticket.hasPrefix("islet_t1-eu1-1."))
        let answer = try await api.call(
            "POST", "/v1/activities/o-1/registrations", key: ticket, body: registration,
            type: "application/json")
        #expect(answer.status == 201, "\(answer.text)")
    }

    @Test(arguments: ["", "1a", "EU1", "eu-1", "t1", "t123", "abcdefghijklmnopq", "e.u"])
    func `a cell's name is a short plain word`(name: String) {
        #expect(Cell.complaint(about: name) != nil)
        #expect(Cell.complaint(about: "eu1") == nil)
        #expect(Cell.complaint(about: "tx1") == nil)
    }
}
