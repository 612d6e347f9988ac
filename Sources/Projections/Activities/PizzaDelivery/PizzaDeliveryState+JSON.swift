public import Domain
public import JSON

/// What is written of every order.
extension PizzaDeliveryState: FoldedFacts {
    public func writeMembers(to writer: inout CanonicalWriter, _ lifetime: Lifetime) {
        writer.member("distanceMeters", distanceMeters)
        writer.member("driverName", driverName)
        writer.member("ending", ending)
        writer.member("firstReportAt", firstReportAt)
        writer.member("lifetime", lifetime)
        writer.member("order", order)
        writer.member("promises", naming: promises.named)
        writer.member("revision", revision)
        writer.member("shown", shown)
        writer.member("stage", stage)
    }
}

extension PizzaDeliveryState.Estimate: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("deliveryAt", deliveryAt)
            $0.member("reason", reason)
        }
    }
}

extension PizzaDeliveryState.Shown: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { $0.member("worstEstimate", worstEstimate) }
    }
}

extension PizzaDeliveryState.Ending: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { $0.member("reason", reason) }
    }
}

extension PizzaDelivery.Stage: CanonicalValue {}

extension PizzaDelivery.Order: CanonicalValue {
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
