#!/bin/sh
# Reports an order and its driver with curl, which tries again whatever got no answer.
set -eu
now=$(date -u +%FT%TZ)
number=$(date +%s)
promised=$(date -u -d '+40 minutes' +%FT%TZ 2>/dev/null || date -u -v+40M +%FT%TZ)

report() { # STEP TYPE DATA
    curl --silent --show-error --fail-with-body --retry 5 --retry-all-errors --max-time 20 \
        "$ISLET/v1/events" -H "Authorization: Bearer $KEY" \
        -H 'Content-Type: application/cloudevents+json' -d '{
            "specversion": "1.0", "id": "'"$number-$1"'", "source": "/shop",
            "type": "PizzaDelivery.'"$2"'", "subject": "order-'"$number"'", "time": "'"$now"'",
            "data": '"$3"'}'
    echo
}

report placed OrderPlaced '{"orderNumber": "'"$number"'", "numberOfPizzas": 2,
    "totalAmount": "€24.00", "promisedAt": "'"$promised"'"}'
report driver DriverAssigned '{"driverName": "Ada"}'
