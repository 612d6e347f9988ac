import APNs
import Encodings
import Testing

private let header = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ"

@Test func `what is signed for a provider token is these bytes`() {
    let token = ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAt: 1_757_505_600)
    #expect(
        String(decoding: token.signingInput, as: UTF8.self)
            == "\(header).eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzU3NTA1NjAwfQ")
    var first = token
    first.issuedAt = 0
    #expect(
        String(decoding: first.signingInput, as: UTF8.self)
            == "\(header).eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjowfQ")
}

@Test func `a signed token is the signed bytes and their signature, in base64url`() throws {
    let token = ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAt: 1_757_505_600)
    // In plain base64 they begin with `+/+/`.
    let signature = [0xFB, 0xFF, 0xBF] + [UInt8](repeating: 7, count: 61)
    let signed = token.signed(with: signature)
    let parts = signed.split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    #expect(Array("\(parts[0]).\(parts[1])".utf8) == token.signingInput)
    #expect(Base64URL.decode(parts[2]) == signature)
    #expect(parts[2].hasPrefix("-_-_"))
    #expect(signed.utf8.allSatisfy { $0 != UInt8(ascii: "=") && $0 > 0x20 && $0 < 0x7F })
}
