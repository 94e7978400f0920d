"""Ways to ask for everything on somebody or something, and notes on entities of several kinds to ask about."""

PERSON_MEMORIES = [
    "Greta Holm, our Danish proofreader, works from the Aarhus desk on Mondays",
    "Pavel Ruzicka proofreads Czech from the Aarhus desk on Tuesdays",
    "Holm is paid by the page",
    "The Danish proofreader has a key to the archive",
    "Greta's laptop is on loan until June",
    "The Aarhus desk has two lamps",
    "Ruzicka has a key to the archive too",
]
PERSON_MEANT = {0, 2, 3, 4}
PERSON_REQUESTS = [
    "everything about Greta",
    "all notes on Greta Holm",
    "Greta has left, forget her",
    "Greta left us; please wipe whatever is stored about her",
    "Remove Greta Holm from memory, she resigned in May",
    "what do we hold on Greta? delete it",
    "Greta is gone for good, her records can be dropped",
    "We let Greta go. Erase all about her.",
    "drop anything that concerns Greta Holm",
    "Greta Holm asked to be forgotten",
    "the Danish proofreader Greta Holm has gone freelance, forget everything",
    "forget Greta, our Danish proofreader",
    "forget our Danish proofreader",
    "Ms Holm wants to be deleted",
    "clean up after Greta: she works elsewhere now",
    "since Greta quit, purge her",
    "all of Greta's records",
    "Greta's things can go",
    "the person called Greta Holm",
    "proofreader Greta",
    "Greta from the Aarhus desk",
    "Greta on the Aarhus desk has retired: nothing about her is needed",
    "get rid of Greta (the proofreader)",
    "Greta died in March; remove every trace",
    "make the system forget Greta Holm",
    "I don't want to see Greta Holm again",
    "Holm, Greta",
    "G. Holm",
    "the proofreader for Danish, Greta, has been let go, so clear her entries",
    "our time with Greta is over, strike her from the notes",
    "Greta Holm: right to be forgotten",
]

ENTITIES: list[tuple[str, list[str], set[int]]] = [
    (
        "Ferrum Works",
        [
            "Ferrum Works sells us bolts",
            "Bolts from Ferrum come in blue boxes",
            "Kupfer Works sells us pipes",
            "Blue boxes go to aisle 3",
            "Invoices of Ferrum Works are due in 30 days",
        ],
        {0, 1, 4},
    ),
    (
        "Juno",
        [
            "Juno, the grey mare, is shod every six weeks",
            "The grey mare bites when girthed",
            "Castor, a bay gelding, is shod every eight weeks",
            "Hay for Juno must be soaked",
            "The farrier comes on Tuesday",
        ],
        {0, 1, 3},
    ),
    (
        "the Olsens",
        [
            "The Olsens live at number 9",
            "Rex, the Olsens' dog, barks at night",
            "Rex has a chip",
            "The Larsens live at number 11",
            "Number 11 has a blue gate",
        ],
        {0, 1, 2},
    ),
    (
        "hemlock",
        [
            "hemlock: rack 4, our only test host",
            "juniper: rack 4, owner payments",
            "Backups of hemlock fail on Sundays",
            "The test host has no monitoring",
            "Rack 4 is full",
        ],
        {0, 2, 3},
    ),
    (
        "Craigmuir",
        [
            "Craigmuir has six hives",
            "Honey from Craigmuir is dark",
            "Lime Avenue has nine hives",
            "Hives are opened in May",
        ],
        {0, 1},
    ),
    (
        "Mrs Amara Obi",
        [
            "Amara Obi: diabetes, ward 3",
            "Mrs Obi wants the window bed",
            "Amara Odili: diabetes, ward 3",
            "Ward 3 is painted in June",
            "A. Obi is visited by her son",
        ],
        {0, 1, 4},
    ),
]
ENTITY_REQUESTS = [
    "everything about {0}",
    "all we have on {0}",
    "forget {0}",
    "{0}",
    "what we logged about {0}",
    "please remove all information on {0}",
    "{0} is no longer with us, drop all of it",
    "we are done with {0}; nothing on it is needed",
    "wipe every note that mentions {0}",
]
