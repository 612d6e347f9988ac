import english from "./texts.en.js";

/** Texts of the language that is chosen. English is there at once, others are fetched. */
let texts = english;

export function t(key, ...values) {
    const text = texts[key] ?? english[key] ?? key;
    return typeof text === "function" ? text(...values) : text;
}

export async function speak(language) {
    texts = language === "de" ? (await import("./texts.de.js")).default : english;
    document.documentElement.lang = language;
    for (const element of document.querySelectorAll("[data-t]")) {
        element.textContent = t(element.dataset.t);
    }
    for (const element of document.querySelectorAll("[data-t-hint]")) {
        element.placeholder = t(element.dataset.tHint);
    }
}
