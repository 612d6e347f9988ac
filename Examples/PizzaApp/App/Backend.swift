import Foundation
import IsletActivities
import IsletClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's own backend. It has Islet's API key. The app never has it: anyone who takes an app
/// apart finds everything that is in it.
struct Backend: Sendable {
    let url: URL

    struct Order: Decodable, Sendable {
        let id: String
        let attributes: PizzaDeliveryAttributes
        let state: PizzaDeliveryAttributes.ContentState
    }

    /// Orders two pizzas. Your backend reports `PizzaDelivery.OrderPlaced` to Islet with it.
    func placeOrder() async throws -> Order {
        let body = try await send("POST", "orders", ["numberOfPizzas": 2])
        return try JSONDecoder().decode(Order.self, from: body)
    }

    /// Your backend knows who is asking, looks whether the order is theirs, and asks Islet for a
    /// ticket: `POST /v1/activities/{id}/tickets`.
    @Sendable func ticket(for activity: String) async throws -> Secret {
        struct Answer: Decodable {
            let ticket: Secret
        }
        let body = try await send("POST", "tickets", ["activity": activity])
        return try JSONDecoder().decode(Answer.self, from: body).ticket
    }

    /// Your backend puts it with `PUT /v1/start-tokens/{installation}/{kind}`.
    @Sendable func take(_ token: StartToken) async throws {
        _ = try await send("PUT", "start-tokens", token)
    }

    private func send(
        _ method: String, _ path: String, _ body: some Encodable
    ) async throws -> Data {
        var request = URLRequest(url: url.appendingPathComponent(path))
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        let (answer, response) = try await URLSession.shared.data(for: request)
        guard let status = (response as? HTTPURLResponse)?.statusCode else {
            throw URLError(.badServerResponse)
        }
        // The keeper's news say which it was.
        guard (200..<300).contains(status) else { throw ClientError.unreadable(status: status) }
        return answer
    }
}
