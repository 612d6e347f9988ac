import JSON
import Testing

@testable import API

struct QueryTests {
    @Test(arguments: [
        ("/v1/activities?limit=1&limit=2", "limit"),
        ("/v1/activities?kind=Match&kind=Match", "kind"),
        ("/v1/activities?limit=1&%6Cimit=2", "limit"), ("/v1/schemas?x&x", "x"),
        ("/v1/events/stream?after=0&after=latest", "after"),
    ])
    func `a parameter that comes twice is refused and named`(
        target: String, name: String
    ) async throws {
        let api = await Harness()
        let document = try await api.get(target).expectProblem(.invalidParameter)
        #expect(document["detail"]?.text == "`\(name)` is in the query twice.")
    }

    @Test(arguments: [
        ("/v1/series?spam=day", "There is no parameter `spam`; there is `span`."),
        (
            "/v1/scoreboard?limit=1&phse=ended",
            "There is no parameter `phse`; there is `competition`, `wait`, `after`, `limit`."
        ),
        ("/v1/apps?Limit=1", "There is no parameter `Limit`; this path takes none."),
        ("/v1/schemas?x=1", "There is no parameter `x`; this path takes none."),
    ])
    func `a parameter that there is not is refused, with those that there are`(
        target: String, detail: String
    ) async throws {
        let document = try await Harness().get(target).expectProblem(.invalidParameter)
        #expect(document["detail"]?.text == detail)
    }

    @Test func `a slip in the query records no events`() async throws {
        let api = await Harness()
        try await api.call(
            "POST", "/v1/events?parital=true", body: SampleEvents.placed("o-1"),
            type: "application/json"
        ).expectProblem(.invalidParameter)
        #expect(await api.fake.log(of: Harness.mine).isEmpty)
    }

    @Test func `pages take whatever their address says, for their scripts read it`() async throws {
        for path in [
            "/dashboard?x=1", "/docs?x=1", "/openapi.json?x=1", "/livez?x=1",
            "/dashboard?activity=%ff", "/dashboard?activity=a&activity=b",
        ] {
            #expect(try await Harness().get(path, key: nil).status == 200, "\(path)")
        }
    }

    @Test func `parameters that come once are taken in any order`() async throws {
        let api = await Harness()
        for target in ["/v1/activities?limit=1&kind=Match", "/v1/activities?kind=Match&&limit=1"] {
            #expect(try await api.get(target).status == 200)
        }
    }
}

struct `Percent-encoding` {
    @Test func `leaves letters, digits and four marks as they are, and no other ASCII`() {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        for byte in UInt8(0)..<128 {
            let text = String(UnicodeScalar(byte))
            let digits = String(byte, radix: 16, uppercase: true)
            let escape = (digits.utf8.count == 1 ? "%0" : "%") + digits
            #expect(
                PercentEncoding.encoded(text)
                    == (unreserved.utf8.contains(byte) ? text : escape))
        }
    }

    @Test(arguments: [
        ("", ""), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), ("😀", "%F0%9F%98%80"),
        ("\u{FEFF}a", "%EF%BB%BFa"), ("a\u{0}b", "a%00b"), ("１", "%EF%BC%91"),
    ])
    func `is of the bytes of UTF-8`(text: String, encoded: String) {
        #expect(PercentEncoding.encoded(text) == encoded)
        #expect(PercentEncoding.decoded(encoded).map { Array($0.utf8) } == Array(text.utf8))
    }
}
