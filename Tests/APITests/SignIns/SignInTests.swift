import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

/// Somebody at a browser.
private struct Visitor {
    let api: Harness
    var cookie = ""
    var csrfToken = ""

    static func signIn(_ api: Harness, key: String = "admin") async throws -> Visitor {
        let answer = try await api.call("POST", "/v1/session", key: key)
        #expect(answer.status == 201)
        let header = try #require(answer.header("set-cookie"))
        #expect(header.contains("; HttpOnly; SameSite=Strict") && !header.contains("Secure"))
        #expect(header.contains("Max-Age=43200"))
        #expect(!answer.text.contains(header.prefix { $0 != ";" }.dropFirst(14)))
        return Visitor(
            api: api, cookie: String(header.prefix { $0 != ";" }),
            csrfToken: try #require(try answer.json()["csrfToken"]?.text))
    }

    func call(
        _ method: String, _ target: String, body: String = "", token: String? = nil,
        site: String? = "same-origin"
    ) async throws -> Answer {
        var headers = [("cookie", "other=1; \(cookie)")]
        if let token { headers.append(("x-csrf-token", token)) }
        if let site { headers.append(("sec-fetch-site", site)) }
        return try await api.call(
            method, target, key: nil, body: body,
            type: body.isEmpty ? nil : "application/json", headers: headers)
    }
}

@Suite struct `Somebody who has signed in` {
    @Test func `reads and changes what their key may, and knows who they are`() async throws {
        let visitor = try await Visitor.signIn(await Harness())
        let me = try await visitor.call("GET", "/v1/me").json()
        #expect(me["tenant"]?.text == "t1")
        #expect(me["csrfToken"]?.text == visitor.csrfToken)
        #expect(me["expiresAt"]?.text == "2027-01-15T20:00:00Z")
        let put = try await visitor.call(
            "PUT", "/v1/policies/Match", body: "{}", token: visitor.csrfToken)
        #expect(put.status == 201)
        let other = try await Visitor.signIn(visitor.api, key: "only-activities:read")
        try await other.call(
            "PUT", "/v1/policies/Match", body: "{}", token: other.csrfToken
        ).expectProblem(.missingScope)
    }

    @Test func `changes nothing without the token, or from another site`() async throws {
        let visitor = try await Visitor.signIn(await Harness())
        let target = "/v1/policies/Match"
        for token in [nil, "", "AAAA", visitor.csrfToken + "A", "%%%"] {
            try await visitor.call("PUT", target, body: "{}", token: token)
                .expectProblem(.crossSite)
        }
        for site in ["cross-site", "same-site", "none"] {
            try await visitor.call(
                "PUT", target, body: "{}", token: visitor.csrfToken, site: site
            ).expectProblem(.crossSite)
        }
        // A browser that does not say which site asks is known by its token.
        let old = try await visitor.call(
            "PUT", target, body: "{}", token: visitor.csrfToken, site: nil)
        #expect(old.status == 201)
    }

    @Test func `is signed out when they say so, here or everywhere`() async throws {
        let api = await Harness()
        let (one, two) = (try await Visitor.signIn(api), try await Visitor.signIn(api))
        let other = try await Visitor.signIn(api, key: "all")
        #expect(one.cookie != two.cookie)
        let out = try await other.call("DELETE", "/v1/session", token: other.csrfToken)
        #expect(out.status == 204)
        #expect(out.header("set-cookie")?.hasPrefix("islet-session=; Path=/; Max-Age=0") == true)
        try await other.call("GET", "/v1/me").expectProblem(.signedOut)
        #expect(try await two.call("GET", "/v1/me").status == 200)
        #expect(try await one.call("DELETE", "/v1/sessions", token: one.csrfToken).status == 204)
        for visitor in [one, two] {
            try await visitor.call("GET", "/v1/me").expectProblem(.signedOut)
        }
        #expect(try await api.get("/v1/me", key: "admin").status == 200)
    }

    @Test func `is signed out after twelve hours, or with their key`() async throws {
        let api = await Harness()
        let visitor = try await Visitor.signIn(api)
        api.time.value = api.time.value.adding(seconds: 43_200)
        try await visitor.call("GET", "/v1/me").expectProblem(.signedOut)
    }

    @Test func `is the owner of the key, if a key comes along`() async throws {
        let visitor = try await Visitor.signIn(await Harness())
        let answer = try await visitor.api.call(
            "GET", "/v1/me", key: "theirs", headers: [("cookie", visitor.cookie)])
        #expect(try answer.json()["tenant"]?.text == "t2")
        #expect(try answer.json()["csrfToken"] == nil)
    }

    @Test func `has a cookie whose value is no key, and no cookie with a key's value`()
        async throws
    {
        let visitor = try await Visitor.signIn(await Harness())
        let value = String(visitor.cookie.drop { $0 != "=" }.dropFirst())
        try await visitor.api.call("POST", "/v1/session", key: value).expectProblem(.invalidKey)
        for target in ["/v1/me", "/v1/stream"] {
            try await visitor.api.get(target, key: value).expectProblem(.invalidKey)
        }
        try await visitor.api.call(
            "PUT", "/v1/policies/Match", key: value, body: "{}", type: "application/json"
        ).expectProblem(.invalidKey)
        try await visitor.api.call(
            "GET", "/v1/me", key: nil, headers: [("cookie", "islet-session=admin")]
        ).expectProblem(.signedOut)
        #expect(try await visitor.call("GET", "/v1/me").status == 200)
    }

    @Test func `has a cookie that only TLS may carry where a proxy says so`() async throws {
        let api = await Harness()
        var request = Request(
            method: "POST", target: "/v1/session", headers: ["authorization": "Bearer admin"])
        request.isSecure = true
        let answer = await api.handler(request)
        let header = try #require(answer.headers["set-cookie"])
        #expect(header.hasPrefix("__Host-islet-session=") && header.hasSuffix("; Secure"))
        let cookie = String(header.prefix { $0 != ";" })
        var read = Request(method: "GET", target: "/v1/me", headers: ["cookie": cookie])
        #expect(await api.handler(read).status == 401)
        read.isSecure = true
        #expect(await api.handler(read).status == 200)
    }

    /// Browsers send the cookies of a host to all of its ports.
    @Test(arguments: [
        ("localhost:8080", false, "islet-session-8080"), ("localhost", false, "islet-session"),
        ("localhost:80", false, "islet-session"), ("[::1]:9000", false, "islet-session-9000"),
        ("[::1]", false, "islet-session"), ("localhost:x", false, "islet-session"),
        ("islet.example:443", true, "__Host-islet-session"),
        ("islet.example:8443", true, "__Host-islet-session-8443"),
    ])
    func `is signed in beside another Islet on the same host`(
        host: String, isSecure: Bool, name: String
    ) async throws {
        let api = await Harness()
        var request = Request(
            method: "POST", target: "/v1/session",
            headers: ["authorization": "Bearer admin", "host": host])
        request.isSecure = isSecure
        let header = try #require(await api.handler(request).headers["set-cookie"])
        #expect(header.hasPrefix("\(name)="), "\(header)")
        let cookie = String(header.prefix { $0 != ";" })
        let others = "islet-session-1=a; __Host-islet-session-1=a"
        var read = Request(
            method: "GET", target: "/v1/me",
            headers: ["cookie": "\(others); \(cookie)", "host": host])
        read.isSecure = isSecure
        #expect(await api.handler(read).status == 200)
        var elsewhere = Request(
            method: "GET", target: "/v1/me", headers: ["cookie": cookie, "host": "localhost:7"])
        elsewhere.isSecure = isSecure
        #expect(await api.handler(elsewhere).status == 401)
    }

    @Test(arguments: [
        "islet-session=", "islet-session", "islet-session=\(String(repeating: "a", count: 300))",
        "x-islet-session=abc", ";;=;",
    ])
    func `is nobody with a cookie of another form`(cookie: String) async throws {
        let answer = try await Harness().call(
            "GET", "/v1/me", key: nil, headers: [("cookie", cookie)])
        try answer.expectProblem(.missingKey)
    }
}
