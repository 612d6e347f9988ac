import HTTP

extension EventBatch {
    /// How many events a request seems to have, without reading them: each has its `specversion`.
    /// One that writes that with an escape is not seen, and one in an event's data is counted.
    /// - Parameter most: as far as they are counted. A body that is too large to be gone through on
    ///   the event loop, and is paid for by nobody yet, counts as so many.
    static func count(in request: Request, _ format: CloudEventFormat, upTo most: Int) -> Int {
        switch format {
        case .structured, .binary: 1
        case .either where request.body.first == UInt8(ascii: "{"): 1
        case .batched, .either, .lines:
            request.body.count > Limits.plainOnLoopBytesMax
                ? most : max(1, count(in: request.body, upTo: most))
        }
    }

    /// By Horspool: looks at every thirteenth byte where none is of the name.
    private static func count(in body: [UInt8], upTo most: Int) -> Int {
        body.withUnsafeBytes { bytes in
            var (count, last) = (0, name.count - 1)
            while last < bytes.count, count < most {
                let isFound = bytes[(last - name.count + 1)...last].elementsEqual(name)
                if isFound { count += 1 }
                last += isFound ? name.count : steps[Int(bytes[last])]
            }
            return count
        }
    }

    private static let name = Array(#""specversion""#.utf8)

    /// By the byte that the last one of the name is compared with.
    private static let steps: [Int] = {
        var steps = [Int](repeating: name.count, count: 256)
        for (place, byte) in name.dropLast().enumerated() {
            steps[Int(byte)] = name.count - 1 - place
        }
        return steps
    }()
}
