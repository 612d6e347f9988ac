import Domain
import Terminal

/// What a file of a match's events leaves out: when it began, of what competition it is and who is
/// at home. It comes from the publisher's list of matches, and from options, which have priority.
struct MatchHeading {
    /// What a list of matches says of one.
    struct Listing {
        var kickoff: Moment?
        /// Of the kick-off where it is played.
        var day: String?
        var competition: String?
        var homeID: Int
        /// Goals of that team and of the other, without kicks.
        var score: [Int]?
        /// Why it is not over; nil when it is.
        var unfinished: String?

        /// The same of the team that is at home by the options, and of the other.
        func goals(atHome home: ConvertedMatch.Team) -> [Int]? {
            home.id == homeID ? score : score?.reversed()
        }
    }

    var kickoff: Moment?
    var competition: String?
    /// Name of the team at home.
    var home: String?

    /// - Parameters:
    ///   - teams: the two that play.
    ///   - presumedHome: the one at home when nobody says so; nil when it cannot be known.
    func match(
        _ source: String, _ teams: [ConvertedMatch.Team], _ listing: Listing?,
        presumedHome: ConvertedMatch.Team? = nil
    ) throws(ConversionError) -> ConvertedMatch {
        let home = try homeTeam(teams, listing) ?? presumedHome
        let names = teams.map { $0.name.shown() }
        guard let home, let away = teams.first(where: { $0.id != home.id }) else {
            throw ConversionError(
                reason: "does not say which of \(names.joined(separator: " and ")) is at home; "
                    + "give --matches FILE or --home TEAM")
        }
        // A list that was given does not help again.
        let list = listing == nil ? "--matches FILE or " : ""
        guard let kickoff = kickoff ?? listing?.kickoff else {
            throw ConversionError(
                reason: "does not say when the match began; give \(list)--kickoff with a time "
                    + "such as 2026-05-01T18:00:00Z")
        }
        guard let competition = competition ?? listing?.competition else {
            throw ConversionError(
                reason: "does not say of what competition the match is; give \(list)--competition "
                    + "NAME")
        }
        return ConvertedMatch(
            source: source, competition: competition, kickoff: kickoff,
            sides: ConvertedMatch.Sides(home: home, away: away), day: listing?.day)
    }

    private func homeTeam(
        _ teams: [ConvertedMatch.Team], _ listing: Listing?
    ) throws(ConversionError) -> ConvertedMatch.Team? {
        if let home {
            guard let team = teams.first(where: { $0.name == home }) else {
                throw ConversionError(
                    reason: "is not a match of --home \(home); there is "
                        + teams.map { $0.name.shown() }.joined(separator: " and "))
            }
            return team
        }
        guard let listing else { return nil }
        guard let team = teams.first(where: { $0.id == listing.homeID }) else {
            throw ConversionError(
                reason: "is not the match of that number in --matches: team \(listing.homeID) "
                    + "does not play in it; give the events under the name that they were "
                    + "published with")
        }
        return team
    }
}
