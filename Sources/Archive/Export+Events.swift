public import Domain

extension Export {
    /// Writes events that are in no log, such as those made of somebody else's file.
    ///
    /// - Parameters:
    ///   - events: with positions from 1 without gaps, in order of the times of recording.
    ///   - tenant: the name that the manifest is to have.
    /// - Throws: `.occupied` where there is an export already.
    public static func write(
        _ events: [RecordedEvent], of tenant: String, to layout: Layout
    ) async throws(ArchiveError) -> Summary {
        try await ArchiveFiles.with(layout) { (files) async throws(ArchiveError) in
            try await files.prepare()
            for name in [layout.manifestName, layout.segmentName(1)]
            where try await files.exists(name) {
                throw .occupied("\(layout.path(of: name)) exists; write to another place")
            }
            var manifest = Manifest(
                tenant: tenant, selection: Selection(), through: Int64(events.count))
            var rest = events[...]
            while let first = rest.first?.position {
                let most = layout.singleName == nil ? layout.segmentEventsMax : rest.count
                let part = rest.prefix(most)
                rest = rest.dropFirst(part.count)
                let name = layout.segmentName(manifest.segments.count + 1)
                try await files.beginSegment(name)
                _ = try await append(Array(part), to: files).get()
                try await finish(
                    name, part.count, first...first + Int64(part.count) - 1, in: files,
                    noting: &manifest)
            }
            manifest.isComplete = true
            try await files.write(manifest)
            return Summary(of: manifest, segmentsKept: 0)
        }
    }
}
