extension Sequence<UInt8> {
    /// Whether each `%` has two hexadecimal digits behind it (RFC 3986, section 2.1), and every
    /// other byte is legal.
    @inlinable
    public func isPercentEncoded(_ isLegal: (UInt8) -> Bool) -> Bool {
        var rest = makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next(), let low = rest.next(),
                    Hexadecimal.value(of: high) != nil, Hexadecimal.value(of: low) != nil
                else { return false }
            } else if !isLegal(byte) {
                return false
            }
        }
        return true
    }
}
