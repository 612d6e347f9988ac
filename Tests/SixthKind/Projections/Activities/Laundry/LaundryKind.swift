public import Domain
public import Projections

/// Washing machines at work.
public enum LaundryKind: ActivityKind {
    public static let name = LaundryAttributes.kind
    public static let attributesType = "LaundryAttributes"
    public static let schemas = Laundry.schemas
    public static let initial = LaundryState()
    public static let rules = [LaundryPolicy.done, LaundryPolicy.first, LaundryPolicy.progress]
    public static let thresholds = [LaundryPolicy.grace, LaundryPolicy.dismiss]
    public static let texts = LaundryTexts.all

    public static func assess(_ change: Change<LaundryKind>) -> Assessment {
        LaundryPolicy(change).assessment
    }
}
