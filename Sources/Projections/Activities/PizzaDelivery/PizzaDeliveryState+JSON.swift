public import Domain

extension PizzaDeliveryState: FoldedFacts {
    public func writeMembers(to writer: inout CanonicalWriter) {
        writer.member("distanceMeters", distanceMeters)
        writer.member("driverName", driverName)
        writer.member("ending", ending)
        writer.member("estimate", estimate)
        writer.member("firstReportAt", firstReportAt)
        writer.member("order", order)
        writer.member("stage", stage)
        writer.member("worstEstimate", worstEstimate)
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

extension PizzaDeliveryState.Ending: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { $0.member("reason", reason) }
    }
}
