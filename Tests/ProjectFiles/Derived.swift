import Foundation

/// Files that are made of the code. `make docs` writes them; the tests compare them.
public enum Derived {
    public static let isWritten = ProcessInfo.processInfo.environment["ISLET_WRITE_DERIVED"] != nil
}
