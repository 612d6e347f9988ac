public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// How a request gets to the server.
public struct HTTPTransport: Sendable {
    public var send: @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

    public init(
        send: @escaping @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)
    ) {
        self.send = send
    }

    /// By a session of its own that keeps no cookies and no cache, and follows no redirect: the key
    /// in the request is for this server and no other. A request may take 20 seconds, and all of
    /// its attempts 40; the server answers within ten.
    /// - Parameter configuration: is copied, and used for the rest, such as a proxy.
    public static func urlSession(
        _ configuration: URLSessionConfiguration = .ephemeral
    ) -> HTTPTransport {
        let configuration =
            configuration.copy() as? URLSessionConfiguration ?? configuration
        configuration.timeoutIntervalForRequest = Limits.requestSeconds
        configuration.timeoutIntervalForResource = 2 * Limits.requestSeconds
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        let session = URLSession(
            configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        return HTTPTransport { request in
            let (body, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else {
                throw URLError(.badServerResponse)
            }
            return (body, response)
        }
    }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
