import Foundation

/// Where your backend and Islet are. They come from the Info.plist, so that a build for testing has
/// others than the one in the App Store.
enum Addresses {
    static let backend = address("BackendURL") ?? placeholder
    static let islet = address("IsletURL") ?? placeholder

    private static let placeholder = URL(filePath: "/set-BackendURL-and-IsletURL-in-Info.plist")

    private static func address(_ name: String) -> URL? {
        (Bundle.main.object(forInfoDictionaryKey: name) as? String).flatMap { URL(string: $0) }
    }
}
