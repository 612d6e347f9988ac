import CPostgres

/// What the server keeps under a name.
struct PreparedStatement {
    let sql: String
    let isApart: Bool
    let name: String

    func isFor(_ sql: String, _ isApart: Bool) -> Bool {
        self.isApart == isApart && self.sql == sql
    }
}

/// Handing statements to libpq.
extension Connection {
    func send(script sql: String) -> Bool {
        guard let pointer = handle.pointer else { return false }
        if PQpipelineStatus(pointer) != PQ_PIPELINE_OFF, PQexitPipelineMode(pointer) == 0 {
            return false
        }
        return PQsendQuery(pointer, sql) == 1
    }

    func send(_ statements: [Statement], for operation: Operation) -> Bool {
        guard let pointer = handle.pointer else { return false }
        if PQpipelineStatus(pointer) == PQ_PIPELINE_OFF, PQenterPipelineMode(pointer) == 0 {
            return false
        }
        var preparing: [PreparedStatement] = []
        for statement in statements {
            let (sql, isApart) = (statement.sql, statement.isPreparedApart)
            var known = findPrepared(sql, isApart) ?? preparing.first { $0.isFor(sql, isApart) }
            if known == nil, prepared.count + preparing.count < Limits.preparedStatementsMax {
                let name = "\(preparedPrefix)\(nextNumber())"
                let types = statement.parameters.map(\.type.rawValue)
                guard PQsendPrepare(pointer, name, sql, Int32(types.count), types) == 1 else {
                    return false
                }
                let fresh = PreparedStatement(sql: sql, isApart: isApart, name: name)
                operation.steps.append(.prepare(fresh))
                preparing.append(fresh)
                known = fresh
            }
            guard send(statement, preparedAs: known?.name) else { return false }
            operation.steps.append(.execute(known))
        }
        return PQpipelineSync(pointer) == 1
    }

    /// Without hashing: the texts are long, and nearly always the very same strings as before.
    private func findPrepared(_ sql: String, _ isApart: Bool) -> PreparedStatement? {
        guard let index = prepared.firstIndex(where: { $0.isFor(sql, isApart) }) else { return nil }
        let found = prepared[index]
        prepared.swapAt(index, index / 2)
        return found
    }

    private func send(_ statement: Statement, preparedAs name: String?) -> Bool {
        guard let pointer = handle.pointer else { return false }
        let parameters = statement.parameters
        let count = Int32(parameters.count)
        let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        // One buffer for all values, so that every pointer into it is valid during the call; the
        // extra byte gives an empty value an address, since a null pointer means NULL.
        var values: [UInt8] = []
        values.reserveCapacity(lengths.reduce(1) { $0 + Int($1) })
        for case let bytes? in parameters.map(\.bytes) { values.append(contentsOf: bytes) }
        values.append(0)
        return values.withUnsafeBytes { buffer in
            var offset = 0
            let pointers = parameters.map { parameter -> UnsafePointer<CChar>? in
                guard let bytes = parameter.bytes else { return nil }
                defer { offset += bytes.count }
                return buffer.baseAddress.map {
                    ($0 + offset).assumingMemoryBound(to: CChar.self)
                }
            }
            guard let name else {
                let types = parameters.map(\.type.rawValue)
                return PQsendQueryParams(
                    pointer, statement.sql, count, types, pointers, lengths, formats, 1) == 1
            }
            return PQsendQueryPrepared(pointer, name, count, pointers, lengths, formats, 1) == 1
        }
    }
}
