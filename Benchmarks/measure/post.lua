-- wrk script: posts new events. Arguments: key, events per request, run label.
local thread_number = 0
function setup(thread)
    thread_number = thread_number + 1
    thread:set("number", thread_number)
end

local serial = 0
local function event()
    serial = serial + 1
    return string.format(
        '{"specversion":"1.0","id":"%s-%d-%d","source":"/bench","type":"PizzaDelivery.DriverLocated",'
            .. '"subject":"order-%s-%d","time":"2026-05-01T12:00:00Z",'
            .. '"datacontenttype":"application/json",'
            .. '"data":{"latitude":45.07,"longitude":7.69,"note":"%s"}}',
        label, number, serial, label, serial % 1000, string.rep("x", 60))
end

function init(arguments)
    size = tonumber(arguments[2])
    label = arguments[3]
    local content_type = size > 1 and "application/cloudevents-batch+json" or "application/cloudevents+json"
    wrk.method = "POST"
    wrk.headers["content-type"] = content_type
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
