/// Which of several servers take writes. There should be one; an old primary that came back is
/// another, and what is recorded there is lost.
extension Dial {
    /// Asks each of several servers whether it takes writes, and notes what they say. Blocks; one
    /// that does not let us in soon is left out.
    /// - Returns: those that do, the one with the newest timeline first.
    func writable(among servers: [ServerAddress]) -> [WritableServer] {
        let handles = look(at: servers)
        for handle in handles { handle.finish() }
        let writable = Self.newestFirst(handles.compactMap(\.writable))
        record.noteWritable(writable)
        return writable
    }

    /// Asks the others that are not known to be silent: a caller waits for this.
    func newest(
        _ found: ConnectionHandle, among servers: [ServerAddress]
    ) -> ConnectionHandle {
        guard servers.count > 1, found.writable != nil else { return found }
        let others = servers.filter {
            $0.name != found.serverListed && !record.isSilent($0.name)
        }
        let handles = [found] + look(at: others)
        let writable = Self.newestFirst(handles.compactMap(\.writable))
        record.noteWritable(writable)
        let newest = handles.first { $0.writable == writable.first } ?? found
        for handle in handles where handle !== newest { handle.finish() }
        return newest
    }

    private func look(at servers: [ServerAddress]) -> [ConnectionHandle] {
        let patience = min(self.patience, .seconds(Limits.lookSeconds))
        var handles: [ConnectionHandle] = []
        for server in servers {
            let (begun, before) = (ContinuousClock.now, handles.count)
            for address in server.resolved {
                if let handle = try? open(server, address, amongMany: true, within: patience) {
                    handles.append(handle)
                }
            }
            record.noteLook(
                at: server.name,
                isAnswered: handles.count > before || ContinuousClock.now - begun < patience)
        }
        return handles
    }

    /// Each once, whatever names it has. Of two with the same timeline, and of those of different
    /// clusters, the first stays first.
    static func newestFirst(_ servers: [WritableServer]) -> [WritableServer] {
        var each: [WritableServer] = []
        for server in servers where !each.contains(where: server.isSame) { each.append(server) }
        guard let first = each.first else { return [] }
        let newest = each.reduce(first) { $0.isOlder(than: $1) ? $1 : $0 }
        return [newest] + each.filter { $0 != newest }
    }
}
