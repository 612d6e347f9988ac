-- wrk script: sends all it can and minds no answer. Arguments: key or ticket, batches or megabytes,
-- run label. Made once as far as may be: it shares the cores with what it is to harm.
local serial = 0
local body, before, after

function init(arguments)
    wrk.method = "POST"
    wrk.headers["authorization"] = "Bearer " .. arguments[1]
    if arguments[2] == "megabytes" then
        wrk.headers["content-type"] = "application/json"
        -- What takes longest to read.
        body = '{"pushToken":[' .. string.rep("1,", 499990) .. "1]}"
        return
    end
    wrk.headers["content-type"] = "application/cloudevents-batch+json"
    before = '{"specversion":"1.0","id":"' .. arguments[3] .. "-"
    after = '","source":"/bench","type":"PizzaDelivery.DriverLocated","subject":"order-'
        .. arguments[3] .. '","time":"2026-05-01T12:00:00Z",'
        .. '"data":{"distanceMeters":1200,"estimatedAt":"2026-05-01T12:20:00Z"}}'
end

function request()
    if body then return wrk.format(nil, nil, nil, body) end
    local events = {}
    for i = 1, 1000 do
        serial = serial + 1
        events[i] = before .. serial .. after
    end
    return wrk.format(nil, nil, nil, "[" .. table.concat(events, ",") .. "]")
end

function done(summary, latency, requests)
    io.write(string.format(
        "HOSTILE %d answers, %d of them refusals, in %d ms\n", summary.requests,
        summary.errors.status, summary.duration / 1000))
end
