public import Domain

extension PizzaDelivery {
    /// What the customer ordered.
    public struct Order: Codable, Hashable, Sendable {
        let orderNumber: String
        let numberOfPizzas: Int
        /// With its currency, as the merchant writes it.
        let totalAmount: String
        /// When it was to arrive, by the promise to the customer.
        let promisedAt: Moment

        init(_ data: inout EventData) throws {
            orderNumber = try data.text("orderNumber", bytesMax: Domain.Limits.referenceBytesMax)
            numberOfPizzas = try data.integer(
                "numberOfPizzas", in: 1...Limits.pizzasMax, isOpen: true)
            totalAmount = try data.amount("totalAmount")
            promisedAt = try data.moment("promisedAt")
        }
    }
}
