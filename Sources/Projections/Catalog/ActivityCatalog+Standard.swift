/// Every kind of activity that Islet knows. A new kind is one line here.
extension ActivityCatalog {
    /// The kinds of this program.
    public static let standard = ActivityCatalog(kinds: [
        PizzaDeliveryKind.self,
        MatchKind.self,
        CoffeeDeliveryKind.self,
        BikeRideKind.self,
        AdventureKind.self,
    ])
}
