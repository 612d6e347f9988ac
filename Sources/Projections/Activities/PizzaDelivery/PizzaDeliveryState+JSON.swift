public import Domain
public import JSON

/// What is written of every order. A second kind that writes its own needs a protocol for both, for
/// a type conforms only once.
extension StoredState: CanonicalValue where Kind == PizzaDeliveryKind {
    func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("distanceMeters", state.distanceMeters)
            $0.member("driverName", state.driverName)
            $0.member("ending", state.ending)
            $0.member("firstReportAt", state.firstReportAt)
            $0.member("lifetime", lifetime)
            $0.member("order", state.order)
            $0.member("promised", state.promised)
            $0.member("revision", state.revision)
            $0.member("shown", state.shown)
            $0.member("stage", state.stage)
        }
    }
}

extension Estimate: CanonicalValue {
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
