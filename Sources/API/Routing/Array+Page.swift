extension Array {
    /// A page of what was looked for with one row more than a page has.
    /// - Returns: its rows, and the last one of them if there are more.
    func page(of limit: Int) -> (rows: ArraySlice<Element>, last: Element?) {
        let rows = prefix(limit)
        return (rows, count > limit ? rows.last : nil)
    }
}
