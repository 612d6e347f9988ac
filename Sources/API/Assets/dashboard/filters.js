import { $, spaced } from "./dom.js";

/** So that a word is not searched for letter by letter. */
const TYPING_MS = 250;
const FILTERS = ["kind", "phase", "only", "order"];

/** The search and the filters above the list, as the address has them. */
export class Filters {
    #go;
    #timer = null;
    /** While the list follows what is typed, the field stays as it is. */
    #isTyping = false;
    /** Whether the newest address is of the word that is being typed: however slowly, it is one step back. */
    #isSameWord = false;

    /** @param go called with the path of what is chosen, and whether it takes the place of the newest one. */
    constructor(go) {
        this.#go = go;
        $("search").addEventListener("submit", (event) => {
            event.preventDefault();
            this.#choose();
        });
        $("words").addEventListener("input", () => {
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.#choose(true), TYPING_MS);
        });
        $("words").addEventListener("change", () => (this.#isSameWord = false));
        for (const id of FILTERS) $(id).addEventListener("change", () => this.#choose());
    }

    /** @returns the query of the list that an address asks for. */
    show(address) {
        const query = new URLSearchParams();
        for (const name of ["search", ...FILTERS]) {
            if (address.get(name)) query.set(name, address.get(name));
        }
        // Phones that wait are listed by their activities' ids alone.
        $("words").disabled = query.get("only") === "waiting";
        if (!this.#isTyping) {
            this.stop();
            $("words").value = query.get("search") ?? "";
        }
        for (const name of FILTERS) {
            const wanted = query.get(name) ?? (name === "order" ? "-change" : "");
            // A kind that no figure has named yet can still be asked for.
            if (name === "kind" && ![...$(name).options].some((each) => each.value === wanted)) {
                $(name).add(new Option(spaced(wanted), wanted));
            }
            $(name).value = wanted;
        }
        return query;
    }

    /** Somebody went elsewhere: what they were typing leads nowhere any more. */
    stop() {
        clearTimeout(this.#timer);
        this.#isSameWord = false;
    }

    clear() {
        this.stop();
        $("search").reset();
    }

    #choose(isTyping = false) {
        clearTimeout(this.#timer);
        const query = new URLSearchParams();
        if ($("words").value.trim()) query.set("search", $("words").value.trim());
        for (const name of FILTERS) {
            const usual = name === "order" ? "-change" : "";
            if ($(name).value !== usual) query.set(name, $(name).value);
        }
        if (query.get("only") === "waiting") {
            query.delete("search");
            if (!query.has("order")) query.set("order", "id");
        }
        this.#isTyping = isTyping;
        this.#go(query.size === 0 ? "/dashboard" : `/dashboard?${query}`, isTyping && this.#isSameWord);
        this.#isTyping = false;
        this.#isSameWord = isTyping;
    }
}
