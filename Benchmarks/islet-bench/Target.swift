import APNs
import APNsClient
import EventLoop
import Foundation
import TLS

/// Where to push and what: everything that either client needs, so that both send the same.
struct Target: Codable {
    var port: Int
    /// Trust this one.
    var authorityPEM: String
    var path: String
    /// Every field, `authorization` included; Islet's client signs one of its own instead.
    var headers: [String: String]
    var body: String
    /// Of whom a gateway that checks provider tokens knows; nil for one that believes all.
    var credentials: Credentials?

    struct Credentials: Codable {
        var teamID: String
        var keyID: String
        var signingKeyPEM: String
    }

    /// The push as Islet's client takes it.
    var request: APNsRequest {
        let fields = headers.filter { $0.key != "authorization" }.sorted { $0.key < $1.key }
        return APNsRequest(
            path: path, headers: fields.map { APNsRequest.Header($0.key, $0.value) },
            body: Array(body.utf8))
    }

    /// The one that `islet serve` uses.
    func client(on loop: EventLoop) throws -> APNsClient {
        APNsClient(
            loop: loop, endpoint: APNsEndpoint(host: "127.0.0.1", port: port),
            tls: try .client(trust: .pem(authorityPEM)),
            credentials: try apnsCredentials,
            timing: APNsTiming(pushDeadline: .seconds(60)),
            now: { Int64(Date().timeIntervalSince1970) })
    }

    private var apnsCredentials: APNsCredentials {
        get throws {
            guard let known = credentials else {
                return APNsCredentials(
                    teamID: "BENCHTEAM1", keyID: "BENCHKEY01", key: .generate())
            }
            return APNsCredentials(
                teamID: known.teamID, keyID: known.keyID,
                key: try ES256PrivateKey(pem: known.signingKeyPEM))
        }
    }
}
