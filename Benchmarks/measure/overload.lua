-- wrk script: posts large batches without end and counts who is sent away, and how.
-- Arguments: key, events per request, run label. Beyond post.lua it looks at every answer.
local threads = {}
function setup(thread)
    table.insert(threads, thread)
    thread:set("number", #threads)
end

function init(arguments)
    size = tonumber(arguments[2])
    before = '{"specversion":"1.0","id":"' .. arguments[3] .. "-" .. number .. "-"
    after = '","time":"2026-05-01T12:00:00Z","data":{"distanceMeters":1200,"trace":"'
        .. string.rep("x", 4080) .. '"}}'
    serial, recorded, refused, refused_with_time, others = 0, 0, 0, 0, 0
    wrk.method = "POST"
    wrk.headers["content-type"] = "application/cloudevents-batch+json"
    wrk.headers["authorization"] = "Bearer " .. arguments[1]
end

function request()
    local events = {}
    for i = 1, size do
        serial = serial + 1
        events[i] = before .. string.format("%09d", serial)
            .. '","source":"/bench","type":"PizzaDelivery.DriverLocated","subject":"order-'
            .. serial % 1000 .. after
    end
    return wrk.format(nil, nil, nil, "[" .. table.concat(events, ",") .. "]")
end

function response(status, headers)
    if status == 201 or status == 200 then
        recorded = recorded + 1
    elseif status == 503 then
        refused = refused + 1
        for name in pairs(headers) do
            if name:lower() == "retry-after" then refused_with_time = refused_with_time + 1 end
        end
    else
        others = others + 1
    end
end

function done()
    local sums = {recorded = 0, refused = 0, refused_with_time = 0, others = 0}
    for _, thread in ipairs(threads) do
        for name, sum in pairs(sums) do sums[name] = sum + thread:get(name) end
    end
    io.write(string.format("RESULT %d %d %d %d\n", sums.recorded, sums.refused,
        sums.refused_with_time, sums.others))
end
