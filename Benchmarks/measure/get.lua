-- GETs of one path, or of one activity after another in an order that nobody can foresee.
-- wrk -s get.lua URL -- KEY [ACTIVITIES [APART]]

function init(args)
    local key, activities, apart = args[1], tonumber(args[2] or 0), tonumber(args[3] or 1)
    math.randomseed(os.time() + tonumber(tostring({}):sub(8)))
    local headers = {["Authorization"] = "Bearer " .. key}
    if activities == 0 then
        local fixed = wrk.format("GET", wrk.path, headers)
        request = function() return fixed end
    else
        local path = wrk.path .. "order-"
        request = function()
            return wrk.format("GET", path .. math.random(0, activities - 1) * apart, headers)
        end
    end
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format("RESULT %d %d %d %d\n", summary.requests, summary.duration,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50)))
end
