"""Contestants in turns, and what came of it."""
import dataclasses
import statistics
import typing


class CannotDo(Exception):
    """Why a contestant has no result."""


@dataclasses.dataclass
class Contestant:
    who: str
    facts: dict  # what a row says of it
    run: typing.Callable  # seconds, and what is wrong with the result; or CannotDo


def row_of(contestant, seconds, wrong):
    if len(seconds) == 1:
        q1 = median = q3 = seconds[0]
    else:
        q1, median, q3 = statistics.quantiles(seconds, method="inclusive")
    time = {"median_us": median, "q1_us": q1, "q3_us": q3}
    row = {"who": contestant.who, **contestant.facts, "count": len(seconds),
           **{name: round(1e6 * value, 1) for name, value in time.items()}}
    return row | {"wrong": wrong} if wrong else row


def contest(contestants, most, limit):
    """A row for each. They take turns, and each round begins with another one. One sits out once it
    ran so often, or so many seconds in all, or has no result."""
    seconds = {each.who: [] for each in contestants}
    wrong, reasons = {}, {}
    for turn in range(most):
        first = turn % len(contestants)
        for each in contestants[first:] + contestants[:first]:
            if each.who in reasons or sum(seconds[each.who]) >= limit:
                continue
            try:
                took, mistake = each.run()
            except CannotDo as reason:
                reasons[each.who] = str(reason)
                continue
            seconds[each.who].append(took)
            if mistake:
                wrong.setdefault(each.who, mistake)
    return [{"who": each.who, **each.facts, "no": reasons[each.who]} if each.who in reasons
            else row_of(each, seconds[each.who], wrong.get(each.who, "")) for each in contestants]
