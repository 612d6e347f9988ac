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
        for (const id of ["attention", "figures", "told"]) $(id).replaceChildren();
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
        setText($("told"), items.map(({ text }) => text).join(" · ") || t("calm"));
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

/** Worst first: what keeps everybody from hearing anything, then what concerns one. */
function itemsOf(found) {
    const items = [];
    for (const alarm of found.alarms) {
        items.push({
            level: "high", count: waitingFor(found, alarm),
            text: t("alarm", alarm.bundleId, alarm.environment, alarm.reason),
            since: alarm.since, remedy: alarm.remedy, path: "?only=waiting&order=id",
            label: t("showWaiting"),
        });
    }
    if (found.alarmsMore > 0) {
        items.push({
            level: "high", count: found.alarmsMore, text: t("appsStopped", found.alarmsMore),
            path: "?view=apps", label: t("showThem"),
        });
    }
    for (const waiting of found.waiting.filter((each) => !found.alarms.some((alarm) => isSame(alarm, each)))) {
        items.push({
            level: "high", count: waiting.phones,
            text: t("phonesWait", waiting.bundleId, waiting.environment),
            remedy: waiting.remedy, path: "?only=waiting&order=id", label: t("showWaiting"),
        });
    }
    if (found.waitingMore > 0) {
        items.push({
            level: "high", count: found.waitingMore, text: t("appsWait", found.waitingMore),
            path: "?only=waiting&order=id", label: t("showWaiting"),
        });
    }
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
    if (found.faulted > 0) {
        items.push({
            level: "high", count: found.faulted, most: COUNTED_MAX, text: t("blocked", found.faulted),
            remedy: t("blockedRemedy"), path: "?view=blocked", label: t("showThem"),
        });
    }
    if (found.parked > 0) {
        items.push({
            level: "medium", count: found.parked, most: COUNTED_MAX, text: t("parked", found.parked),
            remedy: t("parkedRemedy"), path: "?view=blocked", label: t("showThem"),
        });
    }
    const letters = found.deadLetters.push + found.deadLetters.start + found.deadLetters.webhook;
    if (letters > 0) {
        items.push({
            level: "medium", count: letters, most: LETTERS_MAX, text: t("deadLetters", letters),
            remedy: t("deadLettersRemedy"), path: "?view=letters", label: t("showThem"),
        });
    }
    if (found.webhooks.failing > 0) {
        items.push({
            level: "medium", count: found.webhooks.failing, text: t("webhooksFail", found.webhooks.failing),
            remedy: t("webhooksRemedy"), path: "?view=webhooks", label: t("showThem"),
        });
    }
    if (found.webhooks.disabled > 0) {
        items.push({
            level: "medium", count: found.webhooks.disabled,
            text: t("webhooksOff", found.webhooks.disabled), remedy: t("webhooksOffRemedy"),
            path: "?view=webhooks", label: t("showThem"),
        });
    }
    if (found.late > 0) {
        items.push({
            level: "medium", count: found.late, most: COUNTED_MAX, text: t("late", found.late),
            remedy: t("lateRemedy"), path: "?only=late&phase=scheduled%2Clive&order=id",
            label: t("showThem"),
        });
    }
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
    if (path) item.append(link(`/dashboard${path}`, "go", label));
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
