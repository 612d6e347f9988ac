import Foundation
import IsletActivities
import IsletClient

/// A merchant's backend that reports an order to Islet and reads its card.
@main
struct Merchant {
    struct Order: Encodable, Sendable {
        var orderNumber: String
        var numberOfPizzas: Int
        var totalAmount: String
        var promisedAt: Date
    }

    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let key = environment["KEY"],
            let url = environment["ISLET"].flatMap({ URL(string: $0) })
        else {
            print("Set ISLET to the server's address and KEY to an API key.")
            exit(2)
        }
        let islet = BackendClient(server: url, key: Secret(key))
        let now = Date()
        let number = "\(Int(now.timeIntervalSince1970))"
        let position = try await report(number, at: now, to: islet)
        let card = try await islet.card(
            of: "order-\(number)", as: PizzaDeliveryAttributes.self, upTo: position)
        print("\(card?.contentState.driverName ?? "nobody") is on the card")
    }

    static func report(
        _ number: String, at now: Date, to islet: BackendClient
    ) async throws(ClientError) -> Int64? {
        let order = Order(
            orderNumber: number, numberOfPizzas: 2, totalAmount: "€24.00",
            promisedAt: now.addingTimeInterval(40 * 60))
        // Ids come from the order and times from when it happened: sent again, it is known already.
        let placed = Event(
            id: "\(number)-placed", source: "/shop", type: "PizzaDelivery.OrderPlaced",
            activity: "order-\(number)", time: now, data: order)
        let driver = Event(
            id: "\(number)-driver", source: "/shop", type: "PizzaDelivery.DriverAssigned",
            activity: "order-\(number)", time: now, data: ["driverName": "Ada"])
        let receipts = try await islet.report([placed, driver])
        for receipt in receipts { print("\(receipt.id): \(receipt.outcome.rawValue)") }
        return receipts.last?.position
    }
}
