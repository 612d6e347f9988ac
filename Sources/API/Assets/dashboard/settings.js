import { $ } from "./dom.js";
import { useUTC } from "./clocks.js";
import { speak } from "./words.js";

/** How a reader likes the page: of no tenant, and nothing secret. */
const NAMES = ["theme", "zone", "language"];

function stored(name) {
    try {
        return localStorage.getItem(`islet-${name}`);
    } catch {
        return null;
    }
}

function keep(name, value) {
    try {
        localStorage.setItem(`islet-${name}`, value);
    } catch {
        // A browser that keeps nothing forgets it with the page.
    }
}

/** @param onChange called when texts or times have to be drawn again. */
export async function applySettings(onChange) {
    const values = {
        theme: stored("theme") ?? "system",
        zone: stored("zone") ?? "local",
        language: stored("language") ?? (navigator.language.startsWith("de") ? "de" : "en"),
    };
    const apply = async () => {
        document.documentElement.dataset.theme = values.theme;
        useUTC(values.zone === "utc");
        await speak(values.language);
    };
    for (const name of NAMES) {
        $(name).value = values[name];
        $(name).addEventListener("change", async () => {
            values[name] = $(name).value;
            keep(name, values[name]);
            await apply();
            onChange();
        });
    }
    document.addEventListener("click", (event) => {
        if (!$("settings").contains(event.target)) $("settings").open = false;
    });
    await apply();
}
