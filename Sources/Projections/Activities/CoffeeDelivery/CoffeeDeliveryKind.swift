public import Domain

/// Coffee orders, from the machine to the desk.
public enum CoffeeDeliveryKind: ActivityKind {
    /// 5: the state knows the first and the worst arrival that were shown. 6: people count on the
    /// arrival of their newest order, and on an earlier one that they have seen; a lifetime waits
    /// for the end of quiet hours once a delay may have come back in them. 7: nobody counts on an
    /// earlier arrival that was put right within a minute. 8: an order that is sent again with the
    /// same arrival says nothing new of it. 9: nor does it once that was put back. 10: an earlier
    /// arrival counts once it has stood for a minute, whichever others came and went meanwhile. 11:
    /// the facts have what was promised, and when the coffee was there.
    public static let foldVersion = 11
    public static let initial = CoffeeDeliveryState()

    public static let thresholds = CoffeeDeliveryPolicy.thresholds
    public static let rules = CoffeeDeliveryPolicy.rules
    public static let texts = CoffeeDeliveryTexts.all
    /// The café's reason may be long; status and time say what matters.
    public static let cuts: [Cut<CoffeeDeliveryAttributes.ContentState>] = [.shortening(\.note)]

    public static func assess(_ change: Change<CoffeeDeliveryKind>) -> Assessment {
        CoffeeDeliveryPolicy(change).assessment
    }

    public static func assess(_ broken: BrokenPromise<CoffeeDeliveryKind>) -> Assessment {
        CoffeeDeliveryPolicy.overdue(broken)
    }

    public static func relevanceScore(
        of state: CoffeeDeliveryState, under policy: Policy
    ) -> Double {
        if state.ending != nil { return 25 }
        return switch state.status {
        case .received, .preparing: 50
        case .outForDelivery: 75
        }
    }

    public static func startArguments(
        attributes: CoffeeDeliveryAttributes, contentState: CoffeeDeliveryAttributes.ContentState
    ) -> Phrase.Arguments {
        ["coffee": .text(attributes.coffeeName)]
    }
}
