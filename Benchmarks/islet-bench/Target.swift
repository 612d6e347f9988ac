import APNs

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
    var request: PushRequest {
        let fields = headers.filter { $0.key != "authorization" }.sorted { $0.key < $1.key }
        return PushRequest(
            path: path, headers: fields.map { PushRequest.Header($0.key, $0.value) },
            body: Array(body.utf8))
    }
}
