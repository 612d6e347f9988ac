// Just what the sample uses of SwiftUI. Nothing of it runs.
public import Foundation

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { return fatalError() }
}

public protocol Primitive: View where Body == Never {}
extension Primitive {
    public var body: Never { return fatalError() }
}

public struct EmptyView: Primitive { public init() {} }

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { fatalError() }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<repeat each Content> { fatalError() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalView<First, Second> { fatalError() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalView<First, Second> { fatalError() }
}

public struct TupleView<each Content: View>: Primitive {}
public struct ConditionalView<First: View, Second: View>: Primitive {}
extension Optional: View where Wrapped: View {
    public var body: Never { return fatalError() }
}

public struct Text: Primitive {
    public struct DateStyle: Sendable {
        public static var timer: DateStyle { fatalError() }
        public static var time: DateStyle { fatalError() }
    }
    public init(_ content: String) {}
    public init(_ date: Date, style: DateStyle) {}
    public init(
        timerInterval: ClosedRange<Date>, pauseTime: Date? = nil, countsDown: Bool = true,
        showsHours: Bool = true
    ) {
    }
}

public struct Image: Primitive { public init(systemName: String) {} }
public struct Spacer: Primitive { public init() {} }

public enum HorizontalAlignment { case leading, center, trailing }
public enum VerticalAlignment { case top, center, firstTextBaseline }
public enum TextAlignment: Sendable { case leading, center, trailing }
public enum Edge { public enum Set { case horizontal, all } }

public struct HStack<Content: View>: Primitive {
    public init(
        alignment: VerticalAlignment = .center, spacing: Double? = nil,
        @ViewBuilder content: () -> Content
    ) {
    }
}

public struct VStack<Content: View>: Primitive {
    public init(
        alignment: HorizontalAlignment = .center, spacing: Double? = nil,
        @ViewBuilder content: () -> Content
    ) {
    }
}

public struct List<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct Button<Label: View>: Primitive {}
extension Button where Label == Text {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}

public struct ProgressView<Label: View>: Primitive {}
extension ProgressView where Label == EmptyView {
    public init(timerInterval: ClosedRange<Date>, countsDown: Bool = true) {}
}

public struct Font: Sendable {
    public static var headline: Font { fatalError() }
    public static var caption: Font { fatalError() }
    public static var title: Font { fatalError() }
    public func monospacedDigit() -> Font { self }
}

public struct Color: Primitive, Sendable {
    public static var secondary: Color { fatalError() }
    public static var orange: Color { fatalError() }
}

extension View {
    public func font(_ font: Font?) -> some View { self }
    public func foregroundStyle(_ color: Color) -> some View { self }
    public func padding(_ edges: Edge.Set = .all) -> some View { self }
    public func frame(maxWidth: Double? = nil) -> some View { self }
    public func lineLimit(_ lines: Int?) -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func opacity(_ opacity: Double) -> some View { self }
    public func task<Value: Equatable>(
        id value: Value, _ action: @escaping @MainActor () async -> Void
    ) -> some View { self }
}

@MainActor public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}
extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError() }
}

@MainActor public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}

@propertyWrapper @MainActor public struct State<Value> {
    public init(wrappedValue: Value) { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
}

public enum ScenePhase: Comparable, Sendable {
    case background, inactive, active
}

public struct EnvironmentValues {
    public var scenePhase: ScenePhase { fatalError() }
}

@propertyWrapper @MainActor public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}
