"""The twenty sub-templates: four for each of the five families (paper, sections "Five families" and "Template suite").

Each builder gives the facts of one case, its mutations, and the facts that must survive. Beside the target it always
sets up a bystander of the same kind that no mutation touches, so that deleting everything fails.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lethe.cases.case import Mutation
from lethe.cases.draw import Draw
from lethe.cases.template import words


@dataclass(frozen=True, slots=True)
class Draft:
    """A case before distractors are mixed in; a perfect store loses the `dead` facts and keeps the last new text."""

    facts: list[str]
    dead: list[str]
    mutations: list[Mutation]
    query: str
    required: list[str]
    forbidden: list[str]


Builder = Callable[[Draw], Draft]


def _job(draw: Draw) -> Draft:
    (who, other), (old, new, same) = draw.several(words.NAMES, 2), draw.several(words.JOBS, 3)
    town, elsewhere = draw.several(words.TOWNS, 2)
    fact, kept = f"{who} works as a {old} in {town}.", f"{other} works as a {same} in {elsewhere}."
    change = Mutation("supersede", f"{who}'s job", f"{who} now earns a living as a {new}.")
    return Draft([fact, kept], [fact], [change], f"What do {who} and {other} work as?", [new, same], [old])


def _theme(draw: Draw) -> Draft:
    (who, other), (old, new, same) = draw.several(words.NAMES, 2), draw.several(words.THEMES, 3)
    fact, kept = f"{who} uses the {old} theme in the editor.", f"{other} uses the {same} theme in the editor."
    change = Mutation("supersede", f"the editor theme of {who}", f"{who} switched the editor to the {new} theme.")
    return Draft([fact, kept], [fact], [change], f"Which editor themes do {who} and {other} use?", [new, same], [old])


def _diet(draw: Draw) -> Draft:
    (who, other), (old, new, same) = draw.several(words.NAMES, 2), draw.several(words.DIETS, 3)
    fact, kept = f"{who} keeps to a {old} diet.", f"{other} keeps to a {same} diet."
    change = Mutation("supersede", f"what diet {who} keeps to", f"{who} is on a {new} diet since the check-up.")
    query = f"What should be cooked for the diets of {who} and {other}?"
    return Draft([fact, kept], [fact], [change], query, [new, same], [old])


def _long_form(draw: Draw) -> Draft:
    (who, other), (old, new, same) = draw.several(words.NAMES, 2), draw.several(words.TOWNS, 3)
    street = draw.several(words.STREETS, 2)
    fact = (
        f"After the long search that took most of last year, {who} signed the lease for a second-floor flat on "
        f"{street[0]} in {old}, with a small balcony and a shared cellar."
    )
    kept = f"{other} signed the lease for a ground-floor flat on {street[1]} in {same}, with a bicycle shed."
    moved = f"{who} gave the flat up and signed the lease for a terraced house in {new} instead, with a garden."
    change = Mutation("supersede", f"which flat {who} signed the lease for", moved)
    query = f"Where did {who} and {other} sign the lease?"
    return Draft([fact, kept], [fact], [change], query, [f"terraced house in {new}", same], [old, street[0]])


def _one_time_code(draw: Draw) -> Draft:
    (shop, other), code, pin = draw.several(words.SHOPS, 2), draw.digits(6), draw.digits(6)
    fact = f"The one-time code for the {shop} login is {code}."
    kept = f"The customer number at {other} is {pin}."
    release = Mutation("release", f"the one-time code for {shop}")
    return Draft([fact, kept], [fact], [release], f"Which numbers belong to {shop} and {other}?", [pin], [code])


def _reservation(draw: Draw) -> Draft:
    (place, other), (who, guest) = draw.several(words.RESTAURANTS, 2), draw.several(words.SURNAMES, 2)
    fact = f"A table at {place} is booked tonight under the name {who}."
    kept = f"The standing monthly booking at {other} runs under the name {guest}."
    release = Mutation("release", f"tonight's table at {place}")
    query = f"Under which names are tables booked at {place} and {other}?"
    return Draft([fact, kept], [fact], [release], query, [guest], [who])


def _parking(draw: Draw) -> Draft:
    (who, other), (spot, fixed) = draw.several(words.NAMES, 2), (f"P{draw.digits(3)}", f"Q{draw.digits(3)}")
    fact = f"{who} left the rental car in bay {spot} for today."
    kept = f"{other} has bay {fixed} on a yearly permit."
    release = Mutation("release", f"where {who} left the rental car today")
    return Draft([fact, kept], [fact], [release], f"Which bays do {who} and {other} use?", [fixed], [spot])


def _guest_access(draw: Draw) -> Draft:
    (device, other), password, serial = draw.several(words.DEVICES, 2), draw.digits(5), draw.digits(5)
    fact = f"The visiting technician may use PIN {password} on the {device} until this evening."
    kept = f"The {other} has the serial number {serial}."
    release = Mutation("release", f"the technician's PIN for the {device}")
    query = f"Which numbers do we have for the {device} and the {other}?"
    return Draft([fact, kept], [fact], [release], query, [serial], [password])


def _person(draw: Draw) -> Draft:
    (who, other), (old, same) = draw.several(words.NAMES, 2), draw.several(words.JOBS, 2)
    town, home = draw.several(words.TOWNS, 2)
    facts = [f"{who} trained as a {old}.", f"{who} has family in {town}."]
    kept = [f"{other} trained as a {same}.", f"{other} has family in {home}."]
    release = Mutation("release", f"everything about {who}")
    query = f"What do we know about {who} and {other}?"
    return Draft([*facts, *kept], facts, [release], query, [same, home], [old, town])


def _project(draw: Draw) -> Draft:
    (name, other), (lead, head) = draw.several(words.PROJECTS, 2), draw.several(words.SURNAMES, 2)
    budget, funds = draw.digits(5), draw.digits(5)
    facts = [f"Project {name} is led by {lead}.", f"Project {name} has a budget of {budget} euros."]
    kept = [f"Project {other} is led by {head}.", f"Project {other} has a budget of {funds} euros."]
    release = Mutation("release", f"everything about project {name}")
    query = f"Who leads the projects {name} and {other}, and on what budget?"
    return Draft([*facts, *kept], facts, [release], query, [head, funds], [lead, budget])


def _pet(draw: Draw) -> Draft:
    (name, other), (chip, number) = draw.several(words.PETS, 2), (draw.digits(7), draw.digits(7))
    colour, shade = draw.several(words.COLOURS, 2)
    facts = [f"{name} the cat wears a collar in {colour}.", f"{name} the cat has the chip number {chip}."]
    kept = [f"{other} the dog wears a collar in {shade}.", f"{other} the dog has the chip number {number}."]
    release = Mutation("release", f"all about {name} the cat")
    query = f"Which collars and chips do {name} and {other} have?"
    return Draft([*facts, *kept], facts, [release], query, [shade, number], [colour, chip])


def _trip(draw: Draw) -> Draft:
    (town, other), (train, bus) = draw.several(words.TOWNS, 2), (draw.digits(4), draw.digits(4))
    place, inn = draw.several(words.RESTAURANTS, 2)
    facts = [f"The train to {town} has the number {train}.", f"In {town} the group eats at {place}."]
    kept = [f"The coach to {other} has the number {bus}.", f"In {other} the group eats at {inn}."]
    release = Mutation("release", f"everything about the {town} trip")
    query = f"What is planned for the trips to {town} and {other}?"
    return Draft([*facts, *kept], facts, [release], query, [bus, inn], [train, place])


def _email(draw: Draw) -> Draft:
    (who, other), (family, house) = draw.several(words.NAMES, 2), draw.several(words.SURNAMES, 2)
    address, kept_address = (f"{name}@example.org".lower() for name in (f"{who}.{family}", f"{other}.{house}"))
    item, good = draw.several(words.ITEMS, 2)
    fact, kept = f"The account {address} ordered {item}.", f"The account {kept_address} ordered {good}."
    purge = Mutation("purge", address)
    query = "Which accounts ordered something, and what?"
    return Draft([fact, kept], [fact], [purge], query, [good], [address, item])


def _phone(draw: Draw) -> Draft:
    (who, other), (mine, theirs) = draw.several(words.NAMES, 2), draw.several(range(100, 200), 2)
    number, kept_number = f"+1 555 0{mine}", f"+1 555 0{theirs}"
    fact, kept = f"{who} can be reached on {number}.", f"{other} can be reached on {kept_number}."
    purge = Mutation("purge", f"{who} {number}")
    return Draft([fact, kept], [fact], [purge], f"How can {who} and {other} be reached?", [kept_number], [number])


def _order(draw: Draw) -> Draft:
    (item, good), (number, other) = (
        draw.several(words.ITEMS, 2),
        (f"ORD-{draw.digits(6)}", f"ORD-{draw.digits(6)}"),
    )
    who, customer = draw.several(words.SURNAMES, 2)
    fact = f"Order {number} is for {item}, billed to {who}."
    kept = f"Order {other} is for {good}, billed to {customer}."
    purge = Mutation("purge", f"order {number}")
    query = "Which orders are open, and who are they billed to?"
    return Draft([fact, kept], [fact], [purge], query, [good, customer], [number, who])


def _customer(draw: Draw) -> Draft:
    (family, other), (card, kept_card) = draw.several(words.SURNAMES, 2), (draw.digits(8), draw.digits(8))
    street, road = draw.several(words.STREETS, 2)
    fact = f"Customer {family} lives on {street} and holds loyalty card {card}."
    kept = f"Customer {other} lives on {road} and holds loyalty card {kept_card}."
    purge = Mutation("purge", f"customer {family} card {card}")
    query = "Which customers hold a loyalty card, and where do they live?"
    return Draft([fact, kept], [fact], [purge], query, [kept_card, road], [card, street])


def _chain(subject: str, facts: Sequence[str], query: str) -> list[Mutation]:
    """Supersede the first fact by the second, that one by the third, and so on, under one query."""
    return [Mutation("supersede", query.format(subject=subject), text) for text in facts[1:]]


def _address(draw: Draw) -> Draft:
    (who, other), streets = draw.several(words.NAMES, 2), draw.several(words.STREETS, 4)
    chain = [
        f"{who} lives on {streets[0]}.",
        f"{who} moved and lives on {streets[1]} now.",
        f"{who} moved once more and lives on {streets[2]} at present.",
    ]
    kept = f"{other} lives on {streets[3]}."
    mutations = _chain(who, chain, "the street {subject} lives on")
    query = f"Where do {who} and {other} live?"
    return Draft([chain[0], kept], [chain[0]], mutations, query, [streets[2], streets[3]], streets[:2])


def _browser(draw: Draw) -> Draft:
    (who, other), used = draw.several(words.NAMES, 2), draw.several(words.BROWSERS, 4)
    chain = [
        f"{who} browses with {used[0]}.",
        f"{who} gave the new browser {used[1]} a try and kept it.",
        f"{who} has settled on {used[2]} as a browser.",
    ]
    kept = f"{other} browses with {used[3]}."
    mutations = _chain(who, chain, "which browser {subject} uses")
    return Draft([chain[0], kept], [chain[0]], mutations, f"What do {who} and {other} browse with?", used[2:], used[:2])


def _plan(draw: Draw) -> Draft:
    (who, other), plans = draw.several(words.SURNAMES, 2), draw.several(words.PLANS, 4)
    chain = [
        f"The {who} household is on the {plans[0]} plan.",
        f"The {who} household changed to the {plans[1]} plan.",
        f"The {who} household asked for the {plans[2]} plan and has it now.",
    ]
    kept = f"The {other} household is on the {plans[3]} plan."
    mutations = _chain(who, chain, "the plan of the {subject} household")
    query = f"Which plans are the {who} and {other} households on?"
    survivors, lost = [f"{plan} plan" for plan in plans[2:]], [f"{plan} plan" for plan in plans[:2]]
    return Draft([chain[0], kept], [chain[0]], mutations, query, survivors, lost)


def _title(draw: Draw) -> Draft:
    (who, other), titles = draw.several(words.NAMES, 2), draw.several(words.TITLES, 4)
    chain = [
        f"{who} holds the post of {titles[0]}.",
        f"{who} was promoted to {titles[1]}.",
        f"{who} took over as {titles[2]} this week.",
    ]
    kept = f"{other} holds the post of {titles[3]}."
    mutations = _chain(who, chain, "the post {subject} holds")
    query = f"Which posts do {who} and {other} hold?"
    return Draft([chain[0], kept], [chain[0]], mutations, query, titles[2:], titles[:2])


SUB_TEMPLATES: dict[str, dict[str, Builder]] = {
    "supersession": {"job": _job, "theme": _theme, "diet": _diet, "long_form": _long_form},
    "decay": {
        "one_time_code": _one_time_code,
        "reservation": _reservation,
        "parking": _parking,
        "guest_access": _guest_access,
    },
    "amnesia": {"person": _person, "project": _project, "pet": _pet, "trip": _trip},
    "purge": {"email": _email, "phone": _phone, "order": _order, "customer": _customer},
    "drift": {"address": _address, "browser": _browser, "plan": _plan, "title": _title},
}
