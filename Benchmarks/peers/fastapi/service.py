"""What a merchant's engineer would write in an afternoon: one INSERT a POST.

It checks the shape of an event, has uvloop, httptools and a pool of prepared connections, and
leaves out keys, tenants' limits, dense positions and expected versions.
"""

import contextlib
import datetime
import encodings.idna  # noqa: F401  Loaded while the files can still be read; see `pool`.
import json
import os

import asyncpg
import uvloop  # noqa: F401
from fastapi import FastAPI, Response
from pydantic import BaseModel, Field

INSERT = """
    INSERT INTO bench_insert (tenant, activity_id, version, event_id, source, type, schema_version,
        occurred_at, recorded_at, data)
    VALUES (1, $1, nextval('bench_version'), $2, $3, $4, 1, $5, now(), $6)
    RETURNING position
"""
# Of all workers together: as many connections as pgbench is given at most.
CONNECTIONS_MAX = 64


class Event(BaseModel):
    specversion: str = Field(pattern="^1\\.0$")
    id: str = Field(min_length=1, max_length=200)
    source: str = Field(min_length=1, max_length=200)
    type: str = Field(min_length=1, max_length=200)
    subject: str = Field(min_length=1, max_length=200)
    time: datetime.datetime
    data: dict


@contextlib.asynccontextmanager
async def pool(app):
    # The private Postgres lets in only the user that it runs as.
    user = os.environ.get("PEER_UID")
    if user:
        os.setgroups([])
        os.setgid(int(os.environ["PEER_GID"]))
        os.setuid(int(user))
    size = CONNECTIONS_MAX // int(os.environ["PEER_WORKERS"])
    async with asyncpg.create_pool(
            host=os.environ["PEER_HOST"], user=os.environ["PEER_USER"], database="postgres",
            min_size=size, max_size=size) as app.state.pool:
        yield


app = FastAPI(lifespan=pool, openapi_url=None)


@app.get("/healthz")
async def health():
    return {"status": "healthy"}


@app.post("/v1/events", status_code=201)
async def record(event: Event, response: Response):
    try:
        position = await app.state.pool.fetchval(
            INSERT, event.subject, event.id, event.source, event.type, event.time,
            json.dumps(event.data))
    except asyncpg.UniqueViolationError:
        response.status_code = 200
        return {"id": event.id, "outcome": "already-known"}
    return {"id": event.id, "outcome": "recorded", "position": position}
