import Testing

@testable import HTTP

/// What a trusted proxy says of how it was asked.
@Test(arguments: [
    (["x-forwarded-proto": "https"], true), (["x-forwarded-proto": "HTTPS"], true),
    (["x-forwarded-proto": "http"], false), ([:], false),
    // What stands before the last is what the client says.
    (["x-forwarded-proto": "https, http"], false), (["x-forwarded-proto": "http, https"], true),
    (["forwarded": "for=192.0.2.1;proto=https"], true),
    (["forwarded": "proto=\"https\";for=192.0.2.1"], true),
    (["forwarded": "proto=https, for=192.0.2.1"], false),
    (["x-forwarded-proto": "http", "forwarded": "proto=https"], false),
    (["x-forwarded-proto": ","], false), (["forwarded": ""], false),
])
func `a proxy's word on TLS is that of the last one`(fields: [String: String], isSecure: Bool) {
    var headers = Headers()
    for (name, value) in fields { headers.append(name, value) }
    #expect(ClientAddress.isForwardedSecurely(headers) == isSecure)
}
