public import Domain
public import Projections

/// Washing machines at work.
public enum LaundryKind: ActivityKind {
    public static let name = "Laundry"
    public static let attributesType = "LaundryAttributes"
    public static let schemas = Laundry.schemas
    public static let initial = LaundryState()

    public static func assess(_ change: Change<LaundryKind>) -> Assessment {
        LaundryPolicy(change).assessment
    }
}
