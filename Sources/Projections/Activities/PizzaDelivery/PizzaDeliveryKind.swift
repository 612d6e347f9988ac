public import Domain

/// Pizza orders, from the kitchen to the door.
public enum PizzaDeliveryKind: ActivityKind {
    /// 2: the card of an order that came to nothing leaves after half an hour. 3, 4 and 5: as the
    /// second, third and fourth of all kinds. 7: the worst estimate is forgotten with its promise,
    /// and when it was a mistake. 8: a lifetime waits for the end of quiet hours once a delay may
    /// have come back in them. 9: it does not for a delay with the driver at the door. 10: an order
    /// that is placed again promises nothing new, and its countdown runs from the first time. 11:
    /// nor does it once its promise was put back.
    public static let foldVersion = 11
    public static let initial = PizzaDeliveryState()

    public static let thresholds = PizzaDeliveryPolicy.thresholds
    public static let rules = PizzaDeliveryPolicy.rules
    public static let texts = PizzaDeliveryTexts.all
    /// The merchant's reason may be long; stage and times say what matters.
    public static let cuts: [Cut<PizzaDeliveryAttributes.ContentState>] = [.shortening(\.note)]
    /// What stands for a name that nobody has reported.
    public static let placeholders = [PizzaDeliveryAttributes.ContentState.unknownDriver]

    public static func assess(_ change: Change<PizzaDeliveryKind>) -> Assessment {
        PizzaDeliveryPolicy(change).assessment
    }

    public static func assess(_ broken: BrokenPromise<PizzaDeliveryKind>) -> Assessment {
        PizzaDeliveryPolicy.overdue(broken)
    }

    public static func ending(of change: Change<PizzaDeliveryKind>) -> Ending? {
        switch change.after.stage {
        case .cancelled, .failed: change.ending(staying: PizzaDeliveryPolicy.dismissFailed)
        case .delivered: change.ending(staying: PizzaDeliveryPolicy.dismissDelivered)
        case .placed, .accepted, .preparing, .ready, .onTheWay, .arriving: nil
        }
    }

    public static func relevanceScore(
        of state: PizzaDeliveryState, under policy: Policy
    ) -> Double {
        switch state.stage {
        case .placed, .accepted, .preparing, .ready: 50
        case .onTheWay: 75
        case .arriving: 100
        case .cancelled, .failed, .delivered: 25
        }
    }

    public static func startArguments(
        attributes: PizzaDeliveryAttributes, contentState: PizzaDeliveryAttributes.ContentState
    ) -> Phrase.Arguments {
        let number = attributes.orderNumber
        let order =
            number.isEmpty ? Phrase("yourOrder") : Phrase("order", ["number": .text(number)])
        return ["order": .phrase(order)]
    }
}
