import HTTP
import Testing

struct `A refusal of one tenant` {
    @Test(arguments: ["--http1.1", "--http2"])
    func `is seen as one by who observes answers`(version: String) async throws {
        let handler: Handler = { request in
            var response = Response(status: 507)
            response.isOfTenant = request.target == "/own"
            return response
        }
        let seen = SeenAnswers()
        try await SecureServer.with(observer: seen, handler: handler) { server in
            for path in ["/own", "/all"] {
                _ = try await server.curl([version, "--output", "/dev/null"], path: path)
            }
        }
        #expect(seen.statuses == [507, 507])
        #expect(seen.ofTenants == [507])
    }
}
