"""What is done to the cluster and to Islet. Each fault is provoked, kept up until it has shown what
it does, and taken back; the cluster is whole before the next one."""

import dataclasses
import time
from collections.abc import Callable

from standstill import TAKE_OVER_SECONDS

# After the plain writer goes on, Islet has this much longer than it may take, so that a fault that
# ends does not rescue who is stuck.
SPARE_SECONDS = 5
# A node that stands still for longer than what it owns may wait.
FREEZE_SECONDS = 20
# When nobody can take over, the lost machines come back.
LOST_SECONDS = 45
CALM_SECONDS = 10
# Far beyond what clocks of one machine room may differ by, and short of what Apple refuses.
CLOCK_STEP_SECONDS = 300
# What Islet waits at most before it tries again where nothing was to be had: Apple, or a full disk.
RETRY_SECONDS = 15


def calm(stage):
    stage.wait_for(lambda: False, CALM_SECONDS)


def switch_over(stage):
    leader, standby = stage.cluster.leader(), stage.cluster.standbys()[0]
    stage.cluster.switch_over(leader, standby)
    stage.cluster.wait_for_another_leader(leader)
    wait_out(stage)


def kill_postgres(stage):
    stage.cluster.kill_postgres(stage.cluster.leader())
    wait_out(stage)


def kill_primary(stage):
    leader = stage.cluster.leader()
    stage.cluster.kill(leader)
    stage.cluster.wait_for_another_leader(leader)
    wait_out(stage)
    stage.cluster.start_node(leader)


def freeze_primary(stage):
    leader = stage.cluster.leader()
    stage.cluster.freeze(leader)
    stage.cluster.wait_for_another_leader(leader)
    wait_out(stage)
    stage.cluster.thaw(leader)


def cut_primary(stage):
    leader = stage.cluster.leader()
    stage.cluster.cut(leader)
    stage.cluster.wait_for_another_leader(leader)
    wait_out(stage)
    stage.cluster.heal(leader)


def freeze_standby(stage):
    standby = stage.cluster.standbys()[0]
    stage.cluster.freeze(standby)
    wait_out(stage)
    stage.cluster.thaw(standby)


def kill_standby(stage):
    standby = stage.cluster.standbys()[0]
    stage.cluster.kill(standby)
    wait_out(stage)
    stage.cluster.start_node(standby)


def kill_two(stage):
    lost = [stage.cluster.leader(), stage.cluster.standbys()[0]]
    for node in lost:
        stage.cluster.kill(node)
    wait_out(stage, LOST_SECONDS)
    for node in lost:
        stage.cluster.start_node(node)


def freeze_servers(stage):
    """One after the other, since one of them may have little to do just then."""
    for port in stage.ports:
        stage.freeze_server(port)
        stage.wait_for(lambda: False, FREEZE_SECONDS)
        stage.thaw_server(port)
        stage.wait_until_flowing(time.monotonic(), SPARE_SECONDS)


def kill_server(stage):
    stage.restart_server(stage.chance.choice(stage.ports))
    stage.wait_until_served()


def freeze_apple(stage):
    stage.freeze_apple()
    stage.wait_for(lambda: False, FREEZE_SECONDS)
    stage.thaw_apple()
    stage.wait_until_flowing(time.monotonic(), RETRY_SECONDS + SPARE_SECONDS)


def fill_disk(stage):
    leader = stage.cluster.leader()
    stage.cluster.fill_disk(leader)
    stage.wait_for(lambda: False, FREEZE_SECONDS)
    stage.cluster.empty_disk(leader)
    wait_out(stage)


def step_clock(stage):
    """One node's, forwards, backwards and back, as when somebody corrects it by hand."""
    port = stage.chance.choice(stage.ports)
    for seconds in (CLOCK_STEP_SECONDS, -CLOCK_STEP_SECONDS, 0):
        stage.set_clock(port, seconds)
        stage.wait_for(lambda: False, CALM_SECONDS)
        stage.wait_until_flowing(time.monotonic(), SPARE_SECONDS)


def wait_out(stage, seconds=90):
    """Until the plain writer goes on, and then until Islet does, or should have."""
    began = time.monotonic()
    # What was on its way when the fault came may still arrive.
    stage.wait_for(lambda: False, 2)
    stage.wait_for(lambda: stage.notes.last["row"] > began + 2, seconds)
    resumed = time.monotonic()
    stood = stage.notes.longest("row", began, resumed)
    stage.wait_until_flowing(resumed, 2 + 0.5 * stood + SPARE_SECONDS)


@dataclasses.dataclass
class Fault:
    name: str
    title: str
    provoke: Callable
    # Seconds that everything, or pushes, may stand still even if the plain writer does not.
    bound_min: float = 0
    push_bound_min: float = 0
    is_calm: bool = False
    # Done to the host that stands first in the URL, for those whose server neither answers nor
    # refuses.
    is_of_first: bool = False
    # How often it falls in a long run, against the others.
    weight: int = 1
    # Only in a long run with everything: it is not of the database's, or needs disks or clocks of its
    # own.
    is_of_soak: bool = False


FAULTS = [
    Fault("calm", "none", calm, is_calm=True, weight=0),
    Fault("switch-over", "planned switch-over", switch_over, weight=3),
    Fault("kill-postgres", "primary's Postgres killed", kill_postgres, weight=3),
    Fault("kill-primary", "primary's machine lost", kill_primary, weight=3),
    Fault("freeze-primary", "primary frozen", freeze_primary, is_of_first=True, weight=3),
    Fault("cut-primary", "primary cut off", cut_primary, is_of_first=True, weight=3),
    Fault("freeze-standby", "synchronous standby frozen", freeze_standby, weight=2),
    Fault("kill-standby", "synchronous standby lost", kill_standby, weight=2),
    Fault("kill-two", "primary and a synchronous standby lost", kill_two),
    Fault("freeze-islet", "Islet node frozen", freeze_servers,
          bound_min=TAKE_OVER_SECONDS, weight=3),
    Fault("kill-islet", "Islet node killed", kill_server, weight=3),
    Fault("freeze-apple", "Apple does not answer", freeze_apple,
          push_bound_min=FREEZE_SECONDS + RETRY_SECONDS, weight=3, is_of_soak=True),
    Fault("fill-disk", "primary's disk full", fill_disk,
          bound_min=FREEZE_SECONDS + RETRY_SECONDS, weight=3, is_of_soak=True),
    Fault("step-clock", "Islet node's clock steps", step_clock, weight=3, is_of_soak=True),
]
