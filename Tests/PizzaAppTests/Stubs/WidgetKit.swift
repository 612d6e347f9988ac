// Just what the sample uses of WidgetKit. Nothing of it runs.
public import ActivityKit
public import SwiftUI

@MainActor public protocol WidgetConfiguration {}

@MainActor public protocol Widget {
    associatedtype Body: WidgetConfiguration
    var body: Body { get }
    init()
}

@MainActor public protocol WidgetBundle {
    associatedtype Body: Widget
    @WidgetBundleBuilder var body: Body { get }
    init()
}
extension WidgetBundle {
    public static func main() {}
}

public struct Widgets<First: Widget, Second: Widget>: Widget {
    public init() {}
    public var body: First.Body { fatalError() }
}

@resultBuilder public enum WidgetBundleBuilder {
    @MainActor public static func buildBlock<First: Widget, Second: Widget>(
        _ first: First, _ second: Second
    ) -> Widgets<First, Second> { fatalError() }
}

public struct ActivityViewContext<Attributes: ActivityAttributes> {
    public var attributes: Attributes { fatalError() }
    public var state: Attributes.ContentState { fatalError() }
    public var activityID: String { fatalError() }
    public var isStale: Bool { fatalError() }
}

public struct ActivityConfiguration<Attributes: ActivityAttributes, Content: View>:
    WidgetConfiguration
{
    public init(
        for type: Attributes.Type,
        @ViewBuilder content: @escaping @MainActor (ActivityViewContext<Attributes>) -> Content,
        dynamicIsland: @escaping @MainActor (ActivityViewContext<Attributes>) -> DynamicIsland
    ) {
    }
}

public enum DynamicIslandExpandedRegionPosition: Sendable {
    case leading, trailing, center, bottom
}

public struct DynamicIslandExpandedRegion<Content: View> {
    public init(
        _ position: DynamicIslandExpandedRegionPosition, priority: Double = 0,
        @ViewBuilder content: () -> Content
    ) {
    }
}

public struct DynamicIslandExpandedContent<each Content: View> {}

@resultBuilder public enum DynamicIslandExpandedContentBuilder {
    public static func buildBlock<each Content: View>(
        _ regions: repeat DynamicIslandExpandedRegion<each Content>
    ) -> DynamicIslandExpandedContent<repeat each Content> { fatalError() }
}

@MainActor public struct DynamicIsland {
    public init<each Expanded: View, Leading: View, Trailing: View, Minimal: View>(
        @DynamicIslandExpandedContentBuilder expanded:
            @MainActor () -> DynamicIslandExpandedContent<repeat each Expanded>,
        @ViewBuilder compactLeading: @MainActor () -> Leading,
        @ViewBuilder compactTrailing: @MainActor () -> Trailing,
        @ViewBuilder minimal: @MainActor () -> Minimal
    ) {
    }
}
