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

    @Test func `parameters that come once are taken in any order`() async throws {
        let api = await Harness()
        for target in ["/v1/activities?limit=1&kind=Match", "/v1/activities?kind=Match&&limit=1"] {
            #expect(try await api.get(target).status == 200)
        }
    }
}
