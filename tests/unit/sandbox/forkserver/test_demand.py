"""How many guests a fork server is to keep ready."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codemode.sandbox.forkserver.demand import Demand


def test_what_is_ordered_is_not_ordered_again() -> None:
    demand = Demand(least=2, most=4)
    assert demand.order(0, 0) == 2
    assert demand.has_order()
    assert demand.order(0, 0) == 0
    demand.came()
    demand.came()
    assert not demand.has_order()
    assert demand.order(1, 0) == 1


def test_who_waits_gets_a_guest_besides_the_spares() -> None:
    demand = Demand(least=1, most=4)
    assert demand.order(0, 3) == 4


def test_a_miss_asks_for_one_spare_more_up_to_the_most() -> None:
    demand = Demand(least=1, most=3)
    for _ in range(5):
        demand.missed()
    assert demand.has_enough(3)
    assert not demand.has_enough(2)


def test_many_takes_without_a_miss_give_up_spares_down_to_the_least() -> None:
    demand = Demand(least=1, most=3)
    demand.missed()
    demand.missed()
    for _ in range(63):
        demand.met()
    assert not demand.has_enough(2)
    demand.met()
    assert demand.has_enough(2)
    for _ in range(1_000):
        demand.met()
    assert not demand.has_enough(0)
    assert demand.has_enough(1)


def test_a_miss_begins_the_count_anew() -> None:
    demand = Demand(least=1, most=2)
    demand.missed()
    for _ in range(63):
        demand.met()
    demand.missed()
    demand.met()
    assert not demand.has_enough(1)


def test_a_task_that_gives_up_takes_its_order_back_once() -> None:
    demand = Demand(least=1, most=1)
    assert demand.order(0, 2) == 3
    assert demand.ask_back(0, 1) == 1
    assert demand.ask_back(0, 1) == 0
    demand.withdrawn(1, 1)
    assert demand.order(0, 1) == 0


def test_a_guest_that_comes_although_it_was_asked_back_is_made_up_for() -> None:
    demand = Demand(least=1, most=1)
    assert demand.order(0, 1) == 2
    assert demand.ask_back(0, 0) == 1
    demand.came()
    demand.came()
    demand.withdrawn(1, 0)
    assert demand.order(2, 0) == 0
    assert demand.order(0, 0) == 1


@given(
    moves=st.lists(
        st.tuples(st.sampled_from(["order", "back", "came", "miss", "met"]), st.integers(0, 5)),
        max_size=60,
    )
)
def test_no_more_is_asked_back_than_is_on_its_way(moves: list[tuple[str, int]]) -> None:
    demand = Demand(least=1, most=4)
    on_its_way = asked_back = 0
    for move, waiting in moves:
        if move == "order":
            on_its_way += demand.order(0, waiting)
        elif move == "back":
            asked_back += demand.ask_back(0, waiting)
        elif move == "came" and on_its_way > asked_back:
            demand.came()
            on_its_way -= 1
        elif move == "miss":
            demand.missed()
        elif move == "met":
            demand.met()
        assert 0 <= asked_back <= on_its_way
