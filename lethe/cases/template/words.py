"""Word pools of the template suite: short proper nouns and plain values, none a substring of another of its pool."""

NAMES = (
    "Ayesha", "Bruno", "Chidi", "Dagny", "Eero", "Fatou", "Goran", "Hilde", "Imani", "Jorge", "Kaori", "Lubna",
    "Mateus", "Nadia", "Okello", "Pilar", "Quentin", "Rasmus", "Soraya", "Tariq", "Ulrike", "Viggo", "Wanjiru",
    "Xiomara", "Yusuf", "Zofia", "Anselm", "Brigid", "Cosmin", "Delphine", "Emeka", "Frida", "Gwyneth", "Hamza",
    "Ingrid", "Jelena", "Kofi", "Leocadia", "Miroslav", "Ngozi",
)  # fmt: skip
SURNAMES = (
    "Abara", "Bjornstad", "Castellanos", "Dziedzic", "Eklund", "Ferrante", "Grabowski", "Holmqvist", "Iwanaga",
    "Jankovic", "Kuznets", "Lindqvist", "Mbeki-Roth", "Nakagawa", "Oyelaran", "Pettersen", "Quispe", "Rautio",
    "Szabados", "Tchaikov", "Umarova", "Vandermeer", "Wolniak", "Xanthos", "Yildirim", "Zamorano",
)  # fmt: skip
JOBS = (
    "baker", "surveyor", "radiographer", "locksmith", "violin teacher", "bus driver", "tax adviser", "florist",
    "paramedic", "glazier", "court clerk", "sound engineer", "beekeeper", "stonemason", "optician", "translator",
)  # fmt: skip
THEMES = (
    "solarized amber", "midnight blue", "forest green", "paper white", "high contrast", "dusky rose", "slate grey",
    "ocean teal", "sepia", "burnt orange", "lavender", "charcoal",
)  # fmt: skip
DIETS = (
    "vegan", "pescatarian", "gluten-free", "low-sodium", "kosher", "halal", "dairy-free", "ketogenic", "paleo",
    "lactose-free", "Mediterranean", "nut-free",
)  # fmt: skip
TOWNS = (
    "Tromsø", "Alcobaça", "Ghent", "Łódź", "Oaxaca", "Pécs", "Nairobi", "Kanazawa", "Valparaíso", "Tartu", "Bergamo",
    "Mombasa", "Galway", "Plovdiv", "Matsue", "Uppsala", "Cartagena", "Salamanca", "Trieste", "Windhoek",
)  # fmt: skip
STREETS = (
    "Quarry Lane", "Mill Bank", "Harbour Street", "Larch Avenue", "Copper Row", "Abbey Walk", "Station Parade",
    "Weaver Close", "Orchard Hill", "Lantern Court", "Saltmarsh Road", "Tannery Yard",
)  # fmt: skip
PROJECTS = (
    "Kestrel", "Basalt", "Juniper", "Meridian", "Tangram", "Osprey", "Halcyon", "Cobalt", "Larkspur", "Monsoon",
    "Zephyr", "Quasar", "Thimble", "Wolfram",
)  # fmt: skip
PETS = (
    "Biscuit", "Nimbus", "Pickles", "Waffle", "Sable", "Figaro", "Clover", "Mochi", "Bandit", "Truffle", "Pepper",
    "Ziggy",
)  # fmt: skip
BROWSERS = (
    "Firefox",
    "Vivaldi",
    "Safari",
    "Konqueror",
    "Falkon",
    "Waterfox",
    "Brave",
    "Otter",
    "Epiphany",
    "Midori",
)
PLANS = (
    "Starter",
    "Family",
    "Unlimited",
    "Weekend",
    "Studio",
    "Harbour",
    "Frequent Flyer",
    "Campus",
    "Flex",
    "Gold",
)
TITLES = (
    "deputy registrar", "head of intake", "shift lead", "programme officer", "chief steward", "lab coordinator",
    "duty manager", "archive keeper", "fleet planner", "night supervisor", "bursar", "curator",
)  # fmt: skip
DEVICES = (
    "boiler",
    "dishwasher",
    "greenhouse fan",
    "label printer",
    "water softener",
    "sauna stove",
    "bread oven",
)
SHOPS = (
    "Nordlund",
    "Casa Verde",
    "Pixelberg",
    "Tidewater",
    "Ostara",
    "Ferrobox",
    "Melkhuis",
    "Kirin and Sons",
)
ITEMS = (
    "a rowing machine", "two desk lamps", "a cast-iron kettle", "walking boots", "a cello case", "garden shears",
    "a rain barrel", "a camping stove", "an oak shelf", "a sewing table",
)  # fmt: skip
RESTAURANTS = (
    "Il Cortile",
    "Saffron Tent",
    "Blue Anchor",
    "Tamarind",
    "Zur Linde",
    "Mesa Nueva",
    "Harvest Table",
)
COLOURS = ("green", "blue", "silver", "maroon", "yellow", "purple", "copper", "ivory")
DISTRACTORS = (
    "The recycling bins are emptied every second Thursday.",
    "Rain is expected along the coast until the weekend.",
    "The library closes at six on Saturdays.",
    "A new roundabout opened near the stadium last month.",
    "The choir rehearses in the old chapel.",
    "Olive oil keeps best in a dark cupboard.",
    "The ferry timetable changes at the end of October.",
    "Chess club meets in the canteen after lunch.",
    "The museum shows medieval maps until Easter.",
    "Parking is free on public holidays.",
    "The hiking trail is closed above the tree line.",
    "Fresh bread arrives at the corner store at seven.",
    "The elevator inspection is due this quarter.",
    "Tomato seedlings should not go outside before May.",
    "The film festival runs for nine days.",
    "The tennis court needs a new net.",
    "Low tide falls shortly after noon on Sunday.",
    "The school orchestra is looking for a bassoon player.",
    "The attic insulation was renewed in spring.",
    "Bicycle repairs take about three working days.",
    "The weekly market moved to the riverside.",
    "Snow tyres are stored in the basement.",
    "The observatory offers tours on clear nights.",
    "The laundry room key hangs behind the door.",
)
