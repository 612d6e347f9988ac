/// A coffee on its way: what its card says of one order.
public enum CoffeeDelivery {
    /// How far an order has come; later cases are further.
    ///
    /// An enum without raw values, so its wire form is `{"preparing":{}}`. An app that was built
    /// with these three cases must decode every state, which is why an ending is no case here.
    public enum Status: Codable, Hashable, Comparable, Sendable, CaseIterable {
        case received, preparing, outForDelivery

        /// The first one is spelled on the wire as the articles' app spells it.
        enum CodingKeys: String, CodingKey {
            case received = "recieved"
            case preparing, outForDelivery
        }
    }

    /// How an order ended. The later case is the harder fact.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case cancelled, delivered
    }
}

extension CoffeeDelivery.Outcome: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        left == .cancelled && right == .delivered
    }
}
