import Foundation

extension SystemError {
    /// For people, of what Foundation has thrown: the system's own reason where it is known.
    public static func text(of error: any Error) -> String {
        guard let reason = (error as? CocoaError)?.underlying as? POSIXError else {
            return error.localizedDescription
        }
        return text(reason.code.rawValue)
    }
}
