extension ConnectionString {
    /// One of the hosts that a connection string names.
    public struct Host: Sendable {
        /// As people say it; never with a password.
        public var name: String
        /// Leads to this one alone, whatever role it has just now. May have a password.
        public var url: String
    }

    /// Each host of a connection string in its order; the string itself where it names none.
    public static func hosts(of text: String) -> [Host] {
        guard let options = options(text) else { return [Host(name: "the default", url: text)] }
        func list(_ name: String) -> [String] {
            options[name]?.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init) ?? []
        }
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(names.count, addresses.count)
        guard count > 0 else { return [Host(name: "the default", url: text)] }
        return (0..<count).map { index in
            var single = options
            single["target_session_attrs"] = "any"
            single["load_balance_hosts"] = nil
            single["host"] = names.indices.contains(index) ? names[index] : nil
            single["hostaddr"] = addresses.indices.contains(index) ? addresses[index] : nil
            let port =
                ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : ""
            single["port"] = port.isEmpty ? nil : port
            let name = single["host"] ?? single["hostaddr"] ?? ""
            return Host(
                name: port.isEmpty ? name : "\(name):\(port)",
                url: single.sorted { $0.key < $1.key }
                    .map { "\($0.key)=\(quoted($0.value))" }.joined(separator: " "))
        }
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
