-- wrk script: posts new events one by one, as post.lua does. Arguments: key, run label.
local serial = 0

function init(arguments)
    wrk.method = "POST"
    wrk.headers["content-type"] = "application/cloudevents+json"
    wrk.headers["authorization"] = "Bearer " .. arguments[1]
    label = arguments[2]
end

function request()
    serial = serial + 1
    return wrk.format(nil, nil, nil, '{"specversion":"1.0","id":"' .. label .. "-" .. serial
        .. '","source":"/bench","type":"PizzaDelivery.DriverLocated","subject":"order-' .. label
        .. "-" .. serial % 100 .. '","time":"2026-05-01T12:00:00Z",'
        .. '"data":{"distanceMeters":1200,"estimatedAt":"2026-05-01T12:20:00Z"}}')
end

function done(summary, latency, requests)
    io.write(string.format(
        "RESULT %d %d %d %d\n", summary.requests,
        summary.errors.status + summary.errors.connect + summary.errors.read
            + summary.errors.write + summary.errors.timeout,
        latency:percentile(50), latency:percentile(99)))
end
