/// - Returns: the result of each, in the order of the elements.
public func inParallel<Element: Sendable, Answer: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) async -> Answer
) async -> [Answer] {
    if elements.count == 1 { return [await body(elements[0])] }
    return await withTaskGroup(of: (Int, Answer).self) { group in
        for (index, element) in elements.enumerated() {
            // Worth waiting for, so that cancelling those who ask changes nothing.
            group.addTask { (index, await body(element)) }
        }
        var answers = [Answer?](repeating: nil, count: elements.count)
        for await (index, answer) in group { answers[index] = answer }
        return answers.compactMap(\.self)
    }
}
