import Domain

extension Manifest {
    /// Checks what the manifest says against itself, before any file is opened.
    /// - Parameter chain: the last chain value, where someone has noted it.
    /// - Throws: `.newerFormat`, `.contradictory`, `.incomplete`, `.otherChain`.
    func check(chain expected: String? = nil) throws(ArchiveError) {
        guard format == Self.format else {
            throw .contradictory("its format is not \(Self.format)")
        }
        guard formatVersion == Self.formatVersion else { throw .newerFormat(formatVersion) }
        guard isComplete else { throw .incomplete }
        try checkFigures()
        try checkSegments()
        if let expected, expected.lowercased() != chain { throw .otherChain(chain) }
    }

    /// That what names something in it is a name, that no number in it is one that could not be
    /// counted with, so that sums of them exist, and that its totals are those sums.
    func checkFigures() throws(ArchiveError) {
        guard !tenant.unicodeScalars.contains(where: AttributeText.isControl) else {
            throw .contradictory("its tenant's name has control characters")
        }
        let positions = 0...Limits.positionMax
        guard positions.contains(selection.after), positions.contains(through) else {
            throw .contradictory("its positions are none that a log has")
        }
        guard segments.count <= Limits.segmentsMax else {
            throw .contradictory("it has more than \(Limits.segmentsMax) segments")
        }
        for (index, segment) in segments.enumerated() {
            guard Self.isPlainName(segment.file) else {
                throw .contradictory(
                    "its segment \(index + 1) is called as no file of an export can be")
            }
            guard positions.contains(segment.firstPosition),
                positions.contains(segment.lastPosition),
                (0...Limits.segmentFigureMax).contains(segment.events),
                (0...Limits.segmentFigureMax).contains(segment.bytes)
            else { throw .contradictory("\(segment.file) has figures that no segment can have") }
        }
        var totals = self
        totals.total()
        guard totals == self else {
            throw .contradictory("its totals are not those of its segments")
        }
    }

    private func checkSegments() throws(ArchiveError) {
        var previous = Chain.start(of: self)
        var position = selection.after
        var names: Set<String> = []
        for segment in segments {
            guard names.insert(segment.file).inserted else {
                throw .contradictory("it has two segments called \(segment.file)")
            }
            guard Chain.value(after: previous, segment) == segment.chain else {
                throw .contradictory(
                    "the entry of \(segment.file) or one before it was changed, added or removed")
            }
            try checkPlace(of: segment, after: position)
            previous = segment.chain
            position = segment.lastPosition
        }
        if selection.activity == nil, position != max(through, selection.after) {
            throw .contradictory(
                "it was to reach position \(through) and ends at \(position): segments are missing")
        }
    }

    private func checkPlace(
        of segment: Segment, after position: Int64
    ) throws(ArchiveError) {
        let span = segment.lastPosition - segment.firstPosition
        guard segment.events > 0, segment.firstPosition > position,
            span >= Int64(segment.events) - 1, segment.lastPosition <= through
        else { throw .contradictory("\(segment.file) does not follow what is before it") }
        guard selection.activity == nil else { return }
        guard segment.firstPosition == position + 1 else {
            throw .contradictory(
                "positions \(position + 1) to \(segment.firstPosition - 1) are missing before "
                    + segment.file)
        }
        guard span == Int64(segment.events) - 1 else {
            throw .contradictory("\(segment.file) has fewer events than positions")
        }
    }

    /// A name in the manifest must not lead out of the export's directory, nor tell a terminal what
    /// to do.
    private static func isPlainName(_ name: String) -> Bool {
        // By bytes, as the system reads it: to Swift a slash before an accent is another character.
        !name.isEmpty && name.utf8.count <= 255
            && !name.utf8.contains(UInt8(ascii: "/"))
            && !name.unicodeScalars.contains(where: AttributeText.isControl)
            && name != "." && name != ".."
    }
}
