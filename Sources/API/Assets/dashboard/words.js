import english from "./texts.en.js";

/** Texts of the language that is chosen. English is there at once, others are fetched. */
let texts = english;

export function t(key, ...values) {
    const text = texts[key] ?? english[key] ?? key;
    return typeof text === "function" ? text(...values) : text;
}

export async function speak(language) {
    // A page in English is better than none.
    texts = language === "de"
        ? await import("./texts.de.js").then((found) => found.default, () => english) : english;
    document.documentElement.lang = language;
    for (const element of document.querySelectorAll("[data-t]")) {
        element.textContent = t(element.dataset.t);
    }
    for (const element of document.querySelectorAll("[data-t-hint]")) {
        element.placeholder = t(element.dataset.tHint);
    }
}

/** A figure as people write it. */
export const number = (value, options = { maximumFractionDigits: 2 }) =>
    value.toLocaleString(document.documentElement.lang, options);

/** Never 100 % of what is not whole. */
export const percent = (share) =>
    number(share, { style: "percent", maximumFractionDigits: 1, roundingMode: "floor" });
