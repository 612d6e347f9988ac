import TLS

/// A client and a server that talk through memory.
struct SessionPair {
    var client: TLSSession
    var server: TLSSession
    var clientReceived: [UInt8] = []
    var serverReceived: [UInt8] = []
    var clientError: TLSError?
    var serverError: TLSError?

    init(
        authority: SelfSignedAuthority, serverName: String, trust: TLSContext.Trust? = nil,
        clientALPN: [String] = ["h2"], serverALPN: [String] = ["h2"]
    ) throws {
        client = try TLSSession(
            client: .client(trust: trust ?? .pem(authority.authorityPEM), alpn: clientALPN),
            serverName: serverName)
        server = try TLSSession(
            server: .server(
                certificateChainPEM: authority.certificatePEM,
                privateKeyPEM: authority.privateKeyPEM, alpn: serverALPN))
    }

    /// Carries bytes both ways until neither side has any, or one has failed.
    mutating func settle() {
        do throws(TLSError) { try client.begin() } catch { clientError = error }
        while true {
            let toServer = client.takeCiphertext()
            let toClient = server.takeCiphertext()
            if toServer.isEmpty && toClient.isEmpty { return }
            if serverError == nil { serverError = Self.carry(toServer, server, &serverReceived) }
            if clientError == nil { clientError = Self.carry(toClient, client, &clientReceived) }
        }
    }

    private static func carry(
        _ bytes: [UInt8], _ session: TLSSession, _ plaintext: inout [UInt8]
    ) -> TLSError? {
        bytes.withUnsafeBytes { buffer in
            do throws(TLSError) {
                _ = try session.receive(buffer) { plaintext.append(contentsOf: $0) }
                return nil
            } catch {
                return error
            }
        }
    }
}

extension TLSSession {
    func takeCiphertext() -> [UInt8] {
        var bytes: [UInt8] = []
        drainCiphertext(into: &bytes)
        return bytes
    }
}
