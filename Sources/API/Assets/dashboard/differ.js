/**
 * Two JSON documents line by line, members in the order of their names.
 * @returns [{mark, text}] with `+`, `-` or a space.
 */
export function differ(before, after) {
    const [old, fresh] = [before, after].map((value) => JSON.stringify(sorted(value), null, 2).split("\n"));
    // Lengths of what the rest of both has in common, from the end on.
    const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
    for (let i = old.length - 1; i >= 0; i -= 1) {
        for (let j = fresh.length - 1; j >= 0; j -= 1) {
            common[i][j] = old[i] === fresh[j]
                ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
        }
    }
    const lines = [];
    let [i, j] = [0, 0];
    while (i < old.length || j < fresh.length) {
        if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
            lines.push({ mark: " ", text: old[i] });
            i += 1;
            j += 1;
        } else if (j >= fresh.length || (i < old.length && common[i + 1][j] >= common[i][j + 1])) {
            lines.push({ mark: "-", text: old[i] });
            i += 1;
        } else {
            lines.push({ mark: "+", text: fresh[j] });
            j += 1;
        }
    }
    return lines;
}

/** Whether two documents say the same, in whatever order. */
export const isSame = (one, other) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value) {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}
