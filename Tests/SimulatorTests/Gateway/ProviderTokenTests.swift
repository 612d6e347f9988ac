import Domain
import HTTP
import Testing

@testable import Simulator

struct ProviderTokenTests {
    private func authorized(_ token: String) -> [String: String?] {
        ["authorization": "bearer \(token)"]
    }

    @Test(arguments: [
        Apple.providerToken(header: #"{"alg":"HS256","kid":"KEY0000001"}"#),
        Apple.providerToken(header: #"{"alg":"none","kid":"KEY0000001"}"#, signature: []),
        Apple.providerToken(header: #"{"alg":"ES256"}"#),
        Apple.providerToken(header: "[]"),
        Apple.providerToken(claims: #"{"iss":"TEAM000001"}"#),
        Apple.providerToken(claims: #"{"iat":1767225600}"#),
        Apple.providerToken(claims: #"{"iss":"TEAM000001","iat":"2026-01-01"}"#),
        Apple.providerToken(claims: #"{"iss":"TEAM000001","iat":""}"#),
        Apple.providerToken(claims: #"{"iss":"TEAM000001","iat":true}"#),
        Apple.providerToken(claims: #"{"iss":"TEAM000001","iat":1e300}"#),
        Apple.providerToken(teamID: "TEAM000002"),
        Apple.providerToken(keyID: "KEY0000009"),
        Apple.providerToken(signature: [UInt8](repeating: 1, count: 64)),
        Apple.providerToken() + "=",
        Apple.providerToken() + ".more",
        "a.b.c", "..", String(repeating: "a", count: 5000),
    ])
    func `a token that is not a signed ES256 token of the team is invalid`(token: String) throws {
        var apple = try Apple()
        #expect(apple.send(apple.request(authorized(token))).refusal == .invalidProviderToken)
    }

    @Test(arguments: [(3600.0, true), (3601, false), (-3600, true), (-3601, false)])
    func `a token lives for an hour either way`(ageSeconds: Double, isGood: Bool) throws {
        var apple = try Apple()
        let issuedAt = apple.now.adding(seconds: -ageSeconds).unixSeconds
        let request = apple.request(authorized(Apple.providerToken(issuedAt: issuedAt)))
        #expect(apple.send(request).refusal == (isGood ? nil : .expiredProviderToken))
    }

    @Test func `an expired token spoils its connection and no other`() throws {
        var apple = try Apple()
        #expect(apple.send(apple.request()).refusal == nil)
        apple.now = apple.now.adding(seconds: 3601)
        #expect(apple.send(apple.request()).refusal == .expiredProviderToken)
        let fresh = authorized(Apple.providerToken(issuedAt: apple.now.unixSeconds))
        #expect(apple.send(apple.request(fresh)).refusal == .expiredProviderToken)
        #expect(apple.send(apple.request(fresh, connection: 2)).refusal == nil)
    }

    @Test func `a new token within 20 minutes on one connection is refused`() throws {
        var apple = try Apple()
        let second = authorized(Apple.providerToken(issuedAt: apple.now.unixSeconds + 1))
        #expect(apple.send(apple.request()).refusal == nil)
        apple.now = apple.now.adding(seconds: 1199)
        #expect(apple.send(apple.request(second)).refusal == .tooManyProviderTokenUpdates)
        #expect(apple.send(apple.request()).refusal == nil, "the current one goes on working")
        #expect(apple.send(apple.request(second, connection: 2)).refusal == nil)
        apple.now = apple.now.adding(seconds: 1)
        #expect(apple.send(apple.request(second)).refusal == nil)
    }

    @Test func `a connection is bound to the team and key family of its first token`() throws {
        var apple = try Apple(keys: [
            ProviderKey(keyID: "KEY0000001", teamID: "TEAM000001"),
            ProviderKey(keyID: "KEY0000002", teamID: "TEAM000002"),
            ProviderKey(keyID: "KEY0000003", teamID: "TEAM000001", family: "topics"),
            ProviderKey(keyID: "KEY0000004", teamID: "TEAM000001"),
        ])
        let otherTeam = Apple.providerToken(keyID: "KEY0000002", teamID: "TEAM000002")
        let otherFamily = Apple.providerToken(keyID: "KEY0000003")
        let sameFamily = Apple.providerToken(keyID: "KEY0000004")
        #expect(apple.send(apple.request()).refusal == nil)
        apple.now = apple.now.adding(seconds: 1300)
        let refusals = [otherTeam, otherFamily, sameFamily].map {
            apple.send(apple.request(authorized($0))).refusal
        }
        #expect(refusals == [.unrelatedKeyIDInToken, .unrelatedKeyIDInToken, nil])
        #expect(apple.send(apple.request(authorized(otherTeam), connection: 2)).refusal == nil)
    }

    @Test func `a key of the other environment is named as such`() throws {
        var apple = try Apple(keys: [
            ProviderKey(keyID: "KEY0000001", teamID: "TEAM000001", environment: .production)
        ])
        #expect(apple.send(apple.request()).refusal == .badEnvironmentKeyIDInToken)
    }

    @Test func `streams open up with the first valid token of a connection, and only then`()
        throws
    {
        var apple = try Apple()
        func limits(_ request: Request) -> [Int] {
            apple.world.receive(request, now: apple.now).effects.compactMap { effect in
                switch effect {
                case .setStreamLimit(let limit, let connection):
                    connection == request.connectionID ? limit : nil
                default: nil
                }
            }
        }
        #expect(limits(apple.request(["authorization": "bearer nonsense"])).isEmpty)
        #expect(limits(apple.request(["apns-topic": nil])) == [1000])
        #expect(limits(apple.request()).isEmpty)
        #expect(limits(apple.request(connection: 2)) == [1000])
    }
}
