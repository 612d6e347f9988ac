/// What is written of every order.
extension PizzaDelivery.Stage: CanonicalValue {}

extension PizzaDelivery.OrderPlaced: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("numberOfPizzas", numberOfPizzas)
            $0.member("orderNumber", orderNumber)
            $0.member("promisedAt", promisedAt)
            $0.member("totalAmount", totalAmount)
        }
    }
}

extension PizzaDeliveryAttributes: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("activityID", activityID)
            $0.member("numberOfPizzas", numberOfPizzas)
            $0.member("orderNumber", orderNumber)
            $0.member("totalAmount", totalAmount)
        }
    }
}

extension PizzaDeliveryAttributes.ContentState: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("deliveryTimer", deliveryTimer)
            $0.member("distanceMeters", distanceMeters)
            $0.member("driverName", driverName)
            $0.member("note", note)
            $0.member("stage", stage)
        }
    }
}
