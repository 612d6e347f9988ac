import { read } from "./api.js";
import { moment, serverNow, since } from "./clocks.js";
import { $, copyable, el, link, setText, spaced } from "./dom.js";
import { number, percent, t } from "./words.js";

/** A refused key is to be seen within five seconds of APNs' answer. */
const REST_MS = 2_000;
/** While nobody looks. */
const HIDDEN_REST_MS = 15_000;
/** The figures of a day change slowly. */
const FIGURES_REST_MS = 10_000;
/** Behind for longer than folding ever takes. */
const LAG_SECONDS = 5;
/** As the server counts: activities, and what was given up. */
const COUNTED_MAX = 1_000;
const LETTERS_MAX = 10_000;

/** What needs a hand, the first steps of a new tenant, and the figures of the last day. */
export class Attention {
    #timer = null;
    #abort = null;
    #document = null;
    #figures = null;
    #figuresAt = 0;
    #error = null;
    /** What is shown. An unchanged list stays: so does focus, and no screen reader speaks. */
    #shown = "";

    start() {
        this.stop();
        this.#abort = new AbortController();
        this.#load(this.#abort.signal);
    }

    /** Leaves nothing to see: what comes next may be another tenant's. */
    stop() {
        this.#abort?.abort();
        clearTimeout(this.#timer);
        this.#document = null;
        this.#figures = null;
        this.#figuresAt = 0;
        this.#error = null;
        this.#shown = "";
        for (const id of ["attention", "figures", "announced"]) $(id).replaceChildren();
        for (const id of ["calm", "first"]) $(id).hidden = true;
    }

    /** The next one begins when this one has ended, however long it takes. */
    async #load(signal) {
        try {
            this.#document = await read("/v1/attention", signal);
            this.#error = null;
        } catch (error) {
            if (signal.aborted) return;
            this.#error = error;
        }
        this.draw();
        if (Date.now() - this.#figuresAt >= FIGURES_REST_MS) {
            this.#figuresAt = Date.now();
            const figures = await read("/v1/overview", signal).catch(() => null);
            if (signal.aborted) return;
            this.#figures = figures;
            this.draw();
        }
        this.#timer = setTimeout(() => this.#load(signal), document.hidden ? HIDDEN_REST_MS : REST_MS);
    }

    draw() {
        const found = this.#document;
        if (!found && !this.#error) return;
        const items = this.#error
            ? [{ level: "high", text: t("attentionUnread", this.#error.message) }] : itemsOf(found);
        const shown = JSON.stringify([items, document.documentElement.lang]);
        if (shown !== this.#shown) {
            this.#shown = shown;
            $("attention").replaceChildren(...items.map(row));
        }
        $("calm").hidden = items.length > 0;
        setText($("calm"), t("calm"));
        // Without figures and ages, which change all the time.
        setText($("announced"), items.map(({ text }) => text).join(" · ") || t("calm"));
        if (found) this.#drawFirst(found);
        if (this.#figures) drawFigures(this.#figures);
        else $("figures").replaceChildren();
    }

    /** A new tenant has no use for an empty table, but for the next command. */
    #drawFirst(found) {
        $("first").hidden = found.hasPush || !this.#figures;
        if ($("first").hidden) return;
        const steps = stepsOf(found);
        const shown = JSON.stringify([steps.map((step) => step.isDone), document.documentElement.lang]);
        if ($("steps").dataset.shown === shown) return;
        $("steps").dataset.shown = shown;
        $("steps").replaceChildren(...steps.map(({ isDone, title, command }) => {
            const head = el("p", "", el("span", "tick", isDone ? "✓" : "○"),
                el("span", "", title), el("span", "unseen", isDone ? t("stepDone") : t("stepOpen")));
            const step = el("li", isDone ? "done" : "", head);
            if (!isDone && command) step.append(copyable(command));
            return step;
        }));
    }
}

const WAITING = { path: "?only=waiting&order=id", label: "showWaiting" };

/** Worst first: what keeps everybody from hearing anything, then what concerns one. */
function itemsOf(found) {
    const items = [];
    /** What there is any number of, also none. */
    const add = (level, count, name, where, remedy, most) => {
        if (count > 0) items.push({ level, count, most, text: t(name, count), remedy: remedy && t(remedy), ...where });
    };
    const shownAt = (path) => ({ path, label: "showThem" });
    for (const alarm of found.alarms) {
        items.push({
            level: "high", count: waitingFor(found, alarm),
            text: t("alarm", alarm.bundleId, alarm.environment, alarm.reason),
            since: alarm.since, remedy: alarm.remedy, ...WAITING,
        });
    }
    add("high", found.alarmsMore, "appsStopped", shownAt("?view=apps"));
    for (const waiting of found.waiting.filter((each) => !found.alarms.some((alarm) => isSame(alarm, each)))) {
        items.push({
            level: "high", count: waiting.phones,
            text: t("phonesWait", waiting.bundleId, waiting.environment),
            remedy: waiting.remedy, ...WAITING,
        });
    }
    add("high", found.waitingMore, "appsWait", WAITING);
    for (const check of found.checks) {
        items.push({ level: "high", text: t("check", check.name), remedy: check.detail });
    }
    const lagSeconds = found.behindSince
        ? Math.round((serverNow() - Date.parse(found.behindSince)) / 1000) : 0;
    if (lagSeconds >= LAG_SECONDS) {
        items.push({
            level: "high", count: found.behind, text: t("lag"), since: found.behindSince,
            remedy: t("lagRemedy"),
        });
    }
    add("high", found.faulted, "blocked", shownAt("?view=blocked"), "blockedRemedy", COUNTED_MAX);
    add("medium", found.parked, "parked", shownAt("?view=blocked"), "parkedRemedy", COUNTED_MAX);
    const letters = found.deadLetters.push + found.deadLetters.start + found.deadLetters.webhook;
    add("medium", letters, "deadLetters", shownAt("?view=letters"), "deadLettersRemedy", LETTERS_MAX);
    const { failing, disabled } = found.webhooks;
    add("medium", failing, "webhooksFail", shownAt("?view=webhooks"), "webhooksRemedy");
    add("medium", disabled, "webhooksOff", shownAt("?view=webhooks"), "webhooksOffRemedy");
    const late = shownAt("?only=late&phase=scheduled%2Clive&order=id");
    add("medium", found.late, "late", late, "lateRemedy", COUNTED_MAX);
    return items;
}

const isSame = (one, other) =>
    one.bundleId === other.bundleId && one.environment === other.environment;

function waitingFor(found, alarm) {
    return found.waiting.filter((each) => isSame(alarm, each))
        .reduce((sum, each) => sum + each.phones, 0);
}

function row({ level, count, most = Infinity, text, since: from, remedy, path, label }) {
    const what = el("p", "what", el("strong", "", text));
    if (from) what.append(" ", t("sinceWhen"), " ", since(from));
    const body = el("div", "", what, el("p", "remedy", remedy ?? ""));
    const counted = count === undefined ? "!" : count >= most ? t("orMore", number(count)) : number(count);
    const item = el("li", `item ${level}`, el("span", "count", counted), body);
    if (path) item.append(link(`/dashboard${path}`, "go", t(label)));
    return item;
}

/** Each command names this server and can be pasted as it is, once KEY stands for a key. */
function stepsOf(found) {
    const server = location.origin;
    const event = JSON.stringify({
        specversion: "1.0", id: "first-1", source: "/try", type: "PizzaDelivery.OrderPlaced",
        subject: "order-1", time: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
        data: {
            orderNumber: "1", numberOfPizzas: 2, totalAmount: "$31.50",
            promisedAt: new Date(Date.now() + 2_400_000).toISOString().replace(/\.\d+Z$/, "Z"),
        },
    });
    const phone = JSON.stringify({
        pushToken: "TOKEN", environment: "sandbox", bundleId: "com.example.app",
    });
    const post = (path, body) => `curl -X POST ${server}${path} -H 'Authorization: Bearer KEY' `
        + `-H 'Content-Type: application/json' -d '${body}'`;
    const lacksApp = found.waiting.some((each) => ["no-app", "no-key"].includes(each.hold));
    return [
        { title: t("stepKey"), isDone: true },
        {
            title: t("stepApp"), isDone: found.hasPush || (found.hasPhone && !lacksApp),
            command: "islet apps add --tenant NAME --bundle com.example.app --team TEAM "
                + "--environment sandbox --key-id KEYID --key-file AuthKey_KEYID.p8 "
                + "--master-key-file master.key",
        },
        { title: t("stepEvent"), isDone: found.head > 0, command: post("/v1/events", event) },
        {
            title: t("stepPhone"), isDone: found.hasPhone,
            command: post("/v1/activities/order-1/registrations", phone),
        },
        { title: t("stepPush"), isDone: found.hasPush },
    ];
}

function drawFigures(overview) {
    const sum = (name) => overview.kinds.reduce((total, kind) => total + kind[name], 0);
    const measured = overview.kinds.filter((kind) => kind.onTime.of > 0);
    const figures = [
        [t("live"), number(sum("live"))],
        [t("scheduled"), number(sum("scheduled"))],
        [t("endedInDay"), number(sum("ended"))],
        [t("eventsAMinute"), number(overview.events.inLastMinute)],
        [t("alertsEach"), overview.alerts.perActivity === null ? "–" : number(overview.alerts.perActivity)],
        ...measured.map((kind) => [t("onTime", spaced(kind.kind)), percent(kind.onTime.share)]),
    ];
    const list = $("figures");
    list.ariaLabel = t("figuresLabel", moment(overview.since));
    if (list.children.length !== figures.length) {
        list.replaceChildren(...figures.map(() => el("div", "", el("dt"), el("dd"))));
    }
    figures.forEach(([name, value], index) => {
        setText(list.children[index].firstChild, name);
        setText(list.children[index].lastChild, value);
    });
    const select = $("kind");
    const known = new Set([...select.options].map((option) => option.value));
    for (const { kind } of overview.kinds) {
        if (!known.has(kind)) select.add(new Option(spaced(kind), kind));
    }
}
