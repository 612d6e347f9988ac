-- wrk script: posts new events. Arguments: key, events per request, run label.
-- The generator shares the cores with the server, so all that can be is made once.
local thread_number = 0
function setup(thread)
    thread_number = thread_number + 1
    thread:set("number", thread_number)
end

local serial = 0
local before, between, after

local function event()
    serial = serial + 1
    return before .. string.format("%09d", serial) .. between .. serial % 1000 .. after
end

function init(arguments)
    size = tonumber(arguments[2])
    local label = arguments[3]
    before = '{"specversion":"1.0","id":"' .. label .. "-" .. number .. "-"
    between = '","source":"/bench","type":"PizzaDelivery.DriverLocated","subject":"order-'
        .. label .. "-"
    after = '","time":"2026-05-01T12:00:00Z","datacontenttype":"application/json",'
        .. '"data":{"distanceMeters":1200,"estimatedAt":"2026-05-01T12:20:00Z","note":"'
        .. string.rep("x", 60) .. '"}}'
    local format = size > 1 and "cloudevents-batch" or "cloudevents"
    wrk.method = "POST"
    wrk.headers["content-type"] = "application/" .. format .. "+json"
    wrk.headers["authorization"] = "Bearer " .. arguments[1]
end

function request()
    if size == 1 then return wrk.format(nil, nil, nil, event()) end
    local events = {}
    for i = 1, size do events[i] = event() end
    return wrk.format(nil, nil, nil, "[" .. table.concat(events, ",") .. "]")
end

function done(summary, latency, requests)
    io.write(string.format(
        "RESULT %d %d %d %d\n", summary.requests, summary.duration,
        summary.errors.status + summary.errors.connect + summary.errors.read
            + summary.errors.write + summary.errors.timeout,
        latency:percentile(50)))
end
