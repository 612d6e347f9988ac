import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Foundation
import TLS

/// Takes messages where merchants' servers would, answers as a test wishes, and remembers them.
final class RecordingReceiver: Sendable {
    struct Message: Sendable {
        var url: String
        var headers: [String: String]
        var body: [UInt8]

        var id: String { headers["webhook-id"] ?? "" }
        var text: String { String(decoding: body, as: UTF8.self) }
        var type: String? { contents?.type }
        var activity: String? { contents?.data.activity }
        var version: Int64? { contents?.data.version }
        var alerts: [String] { contents?.data.alerts?.map(\.title) ?? [] }
        /// What it says of each rejected token.
        var rejected: [[String: String]] { contents?.data.registrations ?? [] }
        var driver: String? { contents?.data.contentState?.driverName }

        private var contents: Contents? {
            try? JSONDecoder().decode(Contents.self, from: Data(body))
        }
    }

    private struct Contents: Decodable {
        struct State: Decodable { var driverName: String? }
        struct Words: Decodable { var title: String }
        struct Inner: Decodable {
            var activity: String?
            var version: Int64?
            var alerts: [Words]?
            var contentState: State?
            var registrations: [[String: String]]?
        }
        var type: String
        var data: Inner
    }

    typealias Answer = @Sendable (Message) async -> WebhookAnswer?

    private struct State {
        var messages: [Message] = []
        var answer: Answer = { _ in .status(200) }
    }

    private let state = Lock(State())

    /// In the order in which they came.
    var messages: [Message] { state.withLock { $0.messages } }

    /// How every message from now on is answered.
    func answer(_ answer: @escaping Answer) {
        state.withLock { $0.answer = answer }
    }

    /// Secrets are what their seals say.
    /// - Parameter lacking: ids of master keys that the node does not have.
    func transport(lacking: Set<String>) -> WebhookTransport {
        WebhookTransport(
            post: { [state] _, url, headers, body in
                let message = Message(
                    url: url,
                    headers: Dictionary(
                        headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
                    body: body)
                let answer = state.withLock { state in
                    state.messages.append(message)
                    return state.answer
                }
                return await answer(message)
            },
            open: { lacking.contains($0.masterKeyID) ? nil : $0.sealed },
            hmac: { HMACSHA256.code(for: $0, key: $1) }, sha256: SHA256.hash)
    }
}

extension WebhookAnswer {
    static func status(_ status: Int, after seconds: Double? = nil) -> WebhookAnswer {
        .answered(status: status, retryAfterSeconds: seconds)
    }
}
