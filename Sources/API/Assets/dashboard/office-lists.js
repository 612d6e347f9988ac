import { call, read } from "./api.js";
import { moment, since } from "./clocks.js";
import { activityLink, el, letterName } from "./dom.js";
import { Form, isBegun } from "./form.js";
import { number, t } from "./words.js";

const time = (text) => (text ? since(text) : null);
const day = (text) => (text ? moment(text) : null);
const words = (list) => (list.length === 0 ? null : list.join(", "));
const code = (value) => el("pre", "small-code", JSON.stringify(value, null, 1));

/** The result for an activity that was folded once more. */
const repaired = (answer) => answer.remaining === 0
    ? t("unblocked", answer.activity) : t("stillBlocked", answer.activity, answer.reason);

const SCOPES = ["events:write", "activities:read", "registrations:write", "admin", "tenants:manage"];
const LIMITS = ["requestsPerSecond", "eventsPerSecond", "bodyBytesMax", "batchEventsMax",
    "bytesPerSecond", "storedEventsMax", "storedBytesMax"];
/** How far phones and messages are counted. */
const COUNTED_MAX = 10_000;
const counted = (count) => (count < COUNTED_MAX ? count : t("orMore", number(count)));

const parked = "/v1/parked-events";
/** Of the activity alone that an address names. */
const ofActivity = (address, query) => new URLSearchParams(
    address.get("activity") ? { ...query, activity: address.get("activity") } : query);
/** What was left out only grows: it would hide what waits. */
const parkedPath = (address, skipped) => `${parked}?${ofActivity(address, { skipped })}`;
const blockedView = (address, more) => `/dashboard?${ofActivity(address, { view: "blocked", ...more })}`;
const letter = (one) => `/v1/dead-letters/${encodeURIComponent(one.id)}`;
const webhook = (one) => `/v1/webhooks/${encodeURIComponent(one.id)}`;

/**
 * Of each list: where it is read, its columns, and what may be done to one of its things. What
 * somebody would notice is asked first, by the text that `ask` names. An address may ask for `part`
 * of a list; `beside` leads to another one.
 */
const lists = {
    blocked: {
        about: "blockedAbout", none: "blockedNone", member: "parkedEvents",
        path: (address) => parkedPath(address, false),
        beside: { path: (address) => blockedView(address, { skipped: true }), label: "showLeftOut" },
        part: {
            of: (address) => address.get("activity"), about: "blockedOf", none: "blockedNoneOf",
            all: "/dashboard?view=blocked",
        },
        columns: {
            position: (one) => one.position,
            activity: (one) => activityLink(one.activity),
            event: (one) => one.type,
            reason: (one) => one.reason,
            since: (one) => time(one.parkedAt),
        },
        actions: [
            {
                name: "retry", label: (one) => one.activity, ask: "unparkAsk", said: repaired,
                run: (one) => call("POST", `${parked}/${one.position}/retry`),
            },
            {
                name: "skipIt", ask: "skipAsk", said: repaired,
                label: (one) => `${one.type}, ${one.activity}`,
                run: (one) => call("POST", `${parked}/${one.position}/skip`),
            },
        ],
    },
    letters: {
        about: "deadLettersRemedy", none: "lettersNone", member: "deadLetters",
        path: () => "/v1/dead-letters",
        columns: {
            carrier: (one) => t(`carrier_${one.carrier}`),
            activity: (one) => activityLink(one.activity),
            to: (one) => one.to,
            reason: (one) => one.reason,
            attempts: (one) => one.attempts,
            when: (one) => time(one.givenUpAt),
        },
        actions: [
            {
                name: "retry", when: (one) => one.canRetry, label: letterName, ask: "retryAsk",
                run: (one) => call("POST", `${letter(one)}/retry`),
            },
            {
                name: "dismiss", label: letterName, ask: "dismissAsk",
                run: (one) => call("DELETE", letter(one)),
            },
        ],
    },
    apps: {
        about: "appsAbout", none: "appsNone", member: "keys", path: () => "/v1/apps",
        columns: {
            app: (one) => one.bundleId,
            team: (one) => one.teamId,
            keyId: (one) => one.keyId,
            environment: (one) => one.environment,
            inUse: (one) => words(one.inUse),
            added: (one) => time(one.addedAt),
        },
    },
    channels: {
        about: "channelsAbout", none: "channelsNone", member: "channels", path: () => "/v1/channels",
        columns: {
            activity: (one) => activityLink(one.activity),
            app: (one) => `${one.bundleId} ${one.environment}`,
            state: (one) => one.state,
            version: (one) => one.sentVersion,
            listeners: (one) => counted(one.listeners),
            lastFailure: (one) => one.lastFailure,
            since: (one) => time(one.wantedAt),
        },
    },
    nodes: {
        about: "nodesAbout", none: "nodesNone", member: "nodes", path: () => "/v1/nodes",
        columns: {
            node: (one) => one.name,
            connections: (one) => one.connections,
            claims: (one) => one.claims,
            since: (one) => time(one.since),
        },
    },
    webhooks: {
        about: "webhooksAbout", none: "webhooksNone", member: "webhooks", path: () => "/v1/webhooks",
        columns: {
            // What was given up names it so.
            id: (one) => one.id,
            url: (one) => one.url,
            state: (one) => (one.enabled ? t(one.failingSince ? "failing" : "isOn") : t("isOff")),
            delivered: (one) => one.delivered,
            waiting: (one) => counted(one.waiting),
            givenUp: (one) => counted(one.givenUp),
            lastFailure: (one) => one.lastFailure,
        },
        actions: [
            {
                name: "test", label: (one) => one.url, run: (one) => call("POST", `${webhook(one)}/test`),
                said: (answer) => (answer.delivered ? t("tested") : t("testFailed", answer.reason)),
            },
            {
                name: "attempts", label: (one) => one.url, stays: true,
                run: async (one, { row }) => {
                    const { attempts } = await read(`${webhook(one)}/attempts`);
                    showBelow(row, attempts.length === 0 ? el("p", "hint", t("attemptsNone"))
                        : el("ul", "attempts", ...attempts.map((each) => el("li", "", activityLink(each.activity),
                            ` v${each.fromVersion}–${each.version} · ${t("attempts")}: ${each.attempts} · `,
                            each.failure, " · ", each.givenUpAt ? t("givenUp") : t("waiting"),
                            el("details", "", el("summary", "", t("bodyRedacted")), code(each.body))))));
                },
            },
            {
                name: "enable", when: (one) => !one.enabled, label: (one) => one.url,
                run: (one) => call("PUT", webhook(one), { body: wish(one, true) }),
            },
            {
                name: "disable", when: (one) => one.enabled, label: (one) => one.url, ask: "disableAsk",
                run: (one) => call("PUT", webhook(one), { body: wish(one, false) }),
            },
            {
                name: "remove", label: (one) => one.url, ask: "removeAsk",
                run: (one) => call("DELETE", webhook(one)),
            },
        ],
        form: {
            title: "webhookNew", button: "add", shownAbout: "secretOnce",
            fields: [
                { name: "url", label: "url", type: "url", isNeeded: true },
                { name: "phases", label: "phase", type: "checks", options: ["scheduled", "live", "ended"] },
            ],
            path: "/v1/webhooks", body: ({ url, phases }) => ({ url, phases }),
            shown: (answer) => answer.secret,
        },
    },
    keys: {
        about: "keysAbout", none: "keysNone", member: "keys", path: () => "/v1/keys",
        columns: {
            id: (one) => one.id,
            label: (one) => one.label,
            scopes: (one) => words(one.scopes),
            state: (one) => t(`key_${one.state}`) + (one.isOwn ? ` · ${t("isOwn")}` : ""),
            created: (one) => time(one.createdAt),
            expires: (one) => day(one.expiresAt),
            lastUsed: (one) => time(one.lastUsedAt),
        },
        actions: [
            {
                name: "revoke", when: (one) => one.state === "active" && !one.isOwn, ask: "revokeAsk",
                label: (one) => (one.label ? `${one.id} (${one.label})` : String(one.id)),
                run: (one) => call("DELETE", `/v1/keys/${one.id}`),
            },
        ],
        form: {
            title: "keyNew", button: "create", shownAbout: "keyOnce",
            fields: [
                { name: "label", label: "label" },
                { name: "scopes", label: "scopes", type: "checks", options: SCOPES },
                { name: "days", label: "expiresInDays", type: "number", range: [1, 36_500], pointsTo: "expiresAt" },
            ],
            path: "/v1/keys",
            body: ({ label, scopes, days }) => ({
                label: label || null, scopes,
                expiresAt: days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : null,
            }),
            shown: (answer) => answer.key,
        },
    },
    audit: {
        about: "auditAbout", none: "auditNone", member: "acts", path: () => "/v1/audit",
        columns: {
            when: (one) => time(one.at),
            actor: (one) => one.actor,
            act: (one) => one.act,
            subject: (one) => one.subject,
            whatChanged: (one) => (one.before || one.after
                ? el("details", "", el("summary", "", t("beforeAfter")), differences(one)) : null),
        },
    },
    tenants: {
        about: "tenantsAbout", none: "tenantsNone", member: "tenants", scope: "tenants:manage",
        path: () => "/v1/tenants",
        columns: {
            id: (one) => one.id,
            tenant: (one) => one.name,
            storedEvents: (one) => ((one.storedEvents ?? null) === null ? null : number(one.storedEvents)),
            limits: (one) => words(LIMITS.filter((name) => one.limits[name] !== null)
                .map((name) => `${name} ${one.limits[name]}`)),
        },
        actions: [
            {
                name: "setLimits", scope: "tenants:manage", label: (one) => one.name, stays: true,
                run: async (one, { row, kept, done }) => {
                    // All of them are sent: those that are left alone are to stay as they are now.
                    const { tenants } = isBegun(kept) ? { tenants: [one] } : await read("/v1/tenants");
                    const { limits } = tenants.find(({ id }) => id === one.id) ?? one;
                    const form = new Form(t("limitsOf", one.name), t("setLimits"),
                        LIMITS.map((name) => ({ name, label: name, type: "number", value: limits[name] ?? "" })),
                        async (values) => {
                            await call("PUT", `/v1/tenants/${encodeURIComponent(one.name)}/limits`, {
                                body: Object.fromEntries(LIMITS.map((name) =>
                                    [name, values[name] === "" ? null : Number(values[name])])),
                            });
                            kept.values = undefined;
                            await done();
                        }, kept);
                    form.element.open = true;
                    showBelow(row, form.element);
                },
            },
        ],
        form: {
            title: "tenantNew", button: "create",
            fields: [{ name: "name", label: "tenant", isNeeded: true }],
            path: "/v1/tenants", body: ({ name }) => ({ name }),
        },
    },
};

const leftOut = {
    ...lists.blocked, about: "leftOutAbout", none: "leftOutNone", actions: [],
    path: (address) => parkedPath(address, true),
    beside: { path: (address) => blockedView(address), label: "showBlocked" },
    part: { ...lists.blocked.part, none: "leftOutNoneOf", all: "/dashboard?view=blocked&skipped=true" },
};

/** The list that an address asks for. */
export const listOf = (view, address) =>
    (view === "blocked" && address.get("skipped") === "true" ? leftOut : lists[view]);

/** All of a webhook as it is, turned on or off. */
function wish({ url, kinds, phases }, enabled) {
    return { url, kinds, phases, enabled };
}

/** A row of its own under another, in place of what it showed before. */
function showBelow(row, content) {
    if (row.nextElementSibling?.classList.contains("below")) row.nextElementSibling.remove();
    const cell = el("td", "", content);
    cell.colSpan = row.children.length;
    row.after(el("tr", "below", cell));
}

function differences({ before, after }) {
    return el("div", "beside",
        el("div", "", el("p", "hint", t("before")), code(before)),
        el("div", "", el("p", "hint", t("after")), code(after)));
}

