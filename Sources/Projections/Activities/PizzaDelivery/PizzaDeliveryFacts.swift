public import Domain

extension PizzaDeliveryKind {
    public static func facts(of state: PizzaDeliveryState) -> ActivityFacts {
        ActivityFacts(
            promisedAt: state.order?.value.promisedAt,
            expectedAt: state.stage.isEnding ? nil : state.estimate?.value.deliveryAt,
            actualAt: state.stage == .delivered ? state.ending?.at : nil,
            words: SearchWords(state.order?.value.orderNumber))
    }
}
