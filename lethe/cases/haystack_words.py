"""Sentence patterns and word pools of the haystack; a `{slot}` is filled from the pool of that name.

Pools that follow an article contain no word with an initial vowel sound, so that "a" is always right.
"""

from itertools import product

PLACES = tuple(
    first + last
    for first, last in product(
        ("Alder", "Brack", "Cold", "Dun", "Elm", "Fen", "Gorse", "Heron", "Iron", "Kestrel", "Long", "Marsh"),
        ("bridge", "combe", "field", "ford", "gate", "haven", "mere", "stow", "wick"),
    )
)
BUILDINGS = (
    "town hall", "swimming pool", "bus depot", "covered market", "weather station", "lighthouse", "pump house",
    "village school", "ferry terminal", "granary", "observatory", "railway station", "grain exchange", "customs house",
    "water tower", "fire station", "old mill", "toll house", "post office", "brickworks",
)  # fmt: skip
OBJECTS = (
    "wooden ladder", "copper kettle", "garden bench", "brass bell", "canvas tent", "wheelbarrow", "rowing boat",
    "sewing machine", "wall clock", "stone trough", "hand cart", "zinc basin", "tin bucket", "garden gate",
    "telescope", "weather vane", "cider barrel", "wicker basket", "folding table", "tarpaulin", "signal lamp",
    "cast-iron stove", "paper lantern", "bicycle pump", "snow shovel", "fishing net", "picture frame", "globe",
)  # fmt: skip
MATERIALS = (
    "sandstone", "slate", "red brick", "larch", "granite", "corrugated iron", "limestone", "oak", "cedar", "flint",
    "concrete", "thatch", "terracotta", "plaster",
)  # fmt: skip
COLOURS = (
    "pale yellow", "dark green", "brick red", "sky blue", "cream", "rust brown", "silver", "black", "white",
    "turquoise", "maroon", "mustard",
)  # fmt: skip
WEATHER = (
    "drizzle", "thick fog", "hail", "light snow", "a dry east wind", "steady rain", "bright sunshine", "a ground frost",
    "low cloud", "thunder", "sleet", "warm haze", "gusty showers",
)  # fmt: skip
PLANTS = (
    "bluebells", "foxgloves", "willows", "wild garlic", "hawthorn", "poppies", "ferns", "blackberries", "heather",
    "marsh marigolds", "elder bushes", "cow parsley", "reeds", "silver birches",
)  # fmt: skip
ANIMALS = (
    "lapwings", "hedgehogs", "swifts", "roe deer", "otters", "barn owls", "dragonflies", "bats", "geese", "toads",
    "herons", "squirrels", "starlings", "kingfishers",
)  # fmt: skip
GOODS = (
    "gravel", "onions", "timber", "barley", "roof tiles", "coal", "sugar beet", "firewood", "hay", "cement", "apples",
    "wool", "salt", "potatoes", "bricks", "rapeseed",
)  # fmt: skip
VEHICLES = (
    "bus", "tram", "ferry", "slow train", "express train", "night bus", "cable car", "mail boat",
)  # fmt: skip
EVENTS = (
    "brass band concert", "plant sale", "regatta", "kite festival", "book fair", "lantern parade", "ploughing match",
    "flower show", "craft market", "dog show", "steam rally", "sheep fair", "model railway show", "tug of war",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
DIRECTIONS = ("north", "south", "east", "west", "north-east", "north-west", "south-east", "south-west")

POOLS: dict[str, tuple[str, ...]] = {
    "place": PLACES,
    "building": BUILDINGS,
    "object": OBJECTS,
    "material": MATERIALS,
    "colour": COLOURS,
    "weather": WEATHER,
    "plant": PLANTS,
    "animal": ANIMALS,
    "goods": GOODS,
    "vehicle": VEHICLES,
    "event": EVENTS,
    "day": DAYS,
    "month": MONTHS,
    "direction": DIRECTIONS,
    "date": tuple(f"{day} {month}" for day, month in product(range(1, 29), MONTHS)),
    "time": tuple(f"{hour}:{minute:02}" for hour, minute in product(range(5, 24), range(0, 60, 5))),
    "year": tuple(str(year) for year in range(1780, 1990)),
    "few": tuple(str(number) for number in range(3, 40)),
    "many": tuple(str(number) for number in range(120, 980)),
    "degrees": tuple(str(number) for number in range(2, 31)),
    "tenths": tuple(f"{whole}.{tenth}" for whole, tenth in product(range(1, 30), range(1, 10))),
}

PATTERNS = (
    "The {vehicle} from {place} to {place} leaves at {time} and takes {few} minutes.",
    "On {day}s the {vehicle} to {place} runs every {few} minutes until {time}.",
    "The last {vehicle} stops at {place} at {time}, {few} minutes later on {day}s.",
    "It was {degrees} degrees in {place} on {date}, with {weather} towards evening.",
    "{place} had {weather} for {few} hours on {date}.",
    "The rain gauge at {place} read {tenths} millimetres on {date}.",
    "The {building} in {place} was built of {material} in {year}.",
    "The {building} of {place} has {few} windows and a {colour} door.",
    "There is a {colour} {object} beside the {building} in {place}.",
    "Someone painted the {object} at {place} {colour} in {month} {year}.",
    "A {object} stood for years in the {building} of {place}; it was sold for {many} crowns.",
    "{place} lies {tenths} kilometres {direction} of {place}.",
    "The path from {place} to the {building} climbs {many} metres through {plant}.",
    "In {month} the slopes above {place} are full of {plant}.",
    "{few} {animal} were counted near the {building} at {place} on {date}.",
    "You can watch {animal} among the {plant} {direction} of {place} from {month} on.",
    "{many} tonnes of {goods} went through {place} in {month} {year}.",
    "A barge laden with {goods} reached {place} on {date} {year}, {few} hours late.",
    "The {event} in {place} begins at {time} on {date}.",
    "About {many} visitors came to the {event} at {place} in {year}.",
    "The river at {place} rose by {few} centimetres on {date}, and {weather} was forecast.",
    "The bridge at {place} is {many} metres long, of {material}, and carries the {vehicle} to {place}.",
    "The clock on the {building} in {place} has shown {time} since {month} {year}.",
    "The museum of {place} shows a {object} of {year} between two {material} pillars.",
)
