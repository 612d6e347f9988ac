import { $, el, link, setText } from "./dom.js";
import { ListView } from "./office-list.js";
import { lists } from "./office-lists.js";
import { t } from "./words.js";

/** What operators look after, in the order in which it is needed; each with the scope that sees it. */
const VIEWS = [
    ["blocked", "activities:read"], ["letters", "activities:read"], ["policies", "activities:read"],
    ["apps", "activities:read"], ["channels", "activities:read"], ["nodes", "activities:read"],
    ["webhooks", "admin"], ["keys", "admin"], ["audit", "admin"], ["tenants", "tenants:manage"],
];

/** Every view but the board and an activity's page; loaded when the first is opened. */
export class Office {
    #can;
    #go;
    #tenant;
    #view = null;
    #shown = null;
    #search = "";
    /** What was typed into the forms of this view, which may be drawn again in another language. */
    #kept = new Map();
    /** Of the newest opening: the same view may be opened again before its module is there. */
    #opening = 0;
    /** Drops the drafts of policies, once there can be some. */
    #dropDrafts = () => {};

    constructor({ go, can, tenant }) {
        this.#go = go;
        this.#tenant = tenant;
        this.#can = can;
        if (!$("office-style")) {
            const style = el("link");
            Object.assign(style, { id: "office-style", rel: "stylesheet", href: "/dashboard/office.css" });
            document.head.append(style);
        }
    }

    /** @param kept what the same view has left that is drawn again. */
    async open(view, address, kept = new Map()) {
        if (this.#view === view && this.#search === address.toString()) return;
        this.close();
        this.#view = view;
        this.#search = address.toString();
        this.#kept = kept;
        const opening = this.#opening;
        const title = view === "charts" ? t("charts") : t(`view_${view}`);
        document.title = `${title} · Islet`;
        const body = el("div", "stack");
        $("other").replaceChildren(
            ...(view === "charts" ? [] : [this.#tabs()]), el("h2", "", title), body);
        const known = VIEWS.find(([name]) => name === view);
        if (view !== "charts" && (!known || !this.#can(known[1]))) {
            body.append(el("p", "hint", known ? t("lacksScope", known[1]) : t("noSuchView")));
            return;
        }
        const shown = await this.#make(view, address);
        if (this.#opening !== opening) return shown.close();
        this.#shown = shown;
        body.append(shown.element);
        shown.load();
    }

    async #make(view, address) {
        const options = { can: this.#can, go: this.#go, address, kept: this.#kept, tenant: this.#tenant() };
        if (view === "charts") return new (await import("./charts.js")).Charts(options);
        if (view === "policies") {
            const { Policies, dropDrafts } = await import("./policies.js");
            this.#dropDrafts = dropDrafts;
            return new Policies(options);
        }
        return new ListView(lists[view], options);
    }

    #tabs() {
        const tabs = el("nav", "tabs");
        tabs.setAttribute("aria-label", t("office"));
        for (const [view, scope] of VIEWS.filter(([, scope]) => this.#can(scope))) {
            const anchor = link(`/dashboard?view=${view}`, "", t(`view_${view}`));
            if (view === this.#view) anchor.setAttribute("aria-current", "page");
            anchor.dataset.scope = scope;
            tabs.append(anchor);
        }
        return tabs;
    }

    close() {
        this.#opening += 1;
        this.#shown?.close();
        this.#shown = null;
        this.#view = null;
        this.#search = "";
        this.#kept = new Map();
        $("other").replaceChildren();
    }

    /** What somebody who signs out has typed; the view is closed by then. */
    dropDrafts() {
        this.#dropDrafts();
    }

    redraw() {
        if (this.#view === null) return;
        const [view, address, kept] = [this.#view, new URLSearchParams(this.#search), this.#kept];
        this.close();
        this.open(view, address, kept);
    }
}

/** A line that says what came of something, which a screen reader says too. */
export function statusLine() {
    const line = el("p", "said-line");
    line.setAttribute("role", "status");
    return {
        element: line,
        say(text, isBad = false) {
            setText(line, text);
            line.classList.toggle("error", isBad);
        },
    };
}
