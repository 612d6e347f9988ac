import WebClient

extension WebClient {
    /// For tests that want nothing of the answer's body.
    func post(_ request: WebRequest) async -> WebAnswer { await send(request).answer }
}
