"""Memories on a thing under another name, on another thing in the same words, or with a remark of their own."""

CHOSEN: list[tuple[str, str, list[str], int]] = [
    (
        "where the landlady lives",
        "The landlady has moved to Ghent.",
        ["Mrs Claes is our landlady.", "Mrs Claes lives in Bruges.", "The caretaker lives in Ostend."],
        1,
    ),
    (
        "who our landlady is",
        "Our landlady is Mrs Peeters now.",
        ["Mrs Claes is our landlady.", "Mrs Claes lives in Bruges.", "The caretaker lives in Ostend."],
        0,
    ),
    (
        "shoe size of the new goalie",
        "The new goalie takes size 44.",
        ["Our new goalie is Emre.", "Emre wears boots in size 42.", "The striker wears boots in size 43."],
        1,
    ),
    (
        "the mascot's food",
        "The mascot gets hay only.",
        [
            "Our mascot is a goat called Hugo.",
            "Hugo is fed carrots twice a day.",
            "The ponies are fed oats twice a day.",
        ],
        1,
    ),
    (
        "engine of the green van",
        "The green van got a diesel engine.",
        [
            "The green van goes by the name of Frog.",
            "Frog has a petrol engine.",
            "The white van has an electric engine.",
        ],
        1,
    ),
    (
        "parking place of the finance director",
        "The finance director parks on deck 3.",
        ["Ines Falk is finance director.", "Falk leaves her car by the ramp.", "The sales director parks on deck 1."],
        1,
    ),
    (
        "dose for bed 7",
        "Bed 7 gets 20 mg.",
        ["Bed 7: Mr Novak.", "Novak gets 10 mg at night.", "Bed 8 gets 15 mg."],
        1,
    ),
    (
        "who repairs the choir organ",
        "The choir organ is now serviced by Lundt & Son.",
        ["We call the choir organ Old Bertha.", "Old Bertha is repaired by Mr Haas.", "Klais repairs the main organ."],
        1,
    ),
    (
        "the head nurse",
        "The head nurse is Petra Vogt.",
        ["The head nurse is Olga Brandt.", "Brandt cycles to work.", "The ward clerk is Petra Lang."],
        0,
    ),
    (
        "price of the child ticket",
        "A child ticket costs 6 euros.",
        ["An adult ticket costs 12 euros.", "Kids pay 5 euros.", "The museum shuts at six."],
        1,
    ),
    (
        "phone of the north branch",
        "The north branch has the number 555-0199.",
        ["South branch: phone 555-0123.", "North branch: call 555-0144.", "Both shut on Sunday."],
        1,
    ),
    (
        "capacity of tank 3",
        "Tank 3 holds 900 litres.",
        ["Tank 2 holds 500 litres.", "Tank 3 takes 750 litres.", "The pump is new."],
        1,
    ),
    (
        "Maja's dentist",
        "Maja sees Dr Holm.",
        ["Maja's brother sees Dr Lind.", "Maja goes to Dr Bergman for her teeth.", "Dr Lind is on holiday."],
        1,
    ),
    (
        "the cost of the first aid course",
        "The first aid course is 60 euros.",
        ["The fire safety course costs 80 euros.", "First aid training: 45 euros a head.", "Room 2 is booked."],
        1,
    ),
    (
        "favourite colour of Ada",
        "Ada's preferred colour is red.",
        ["Ada's favourite colour is blue.", "Ada's preferred drink is tea.", "Ben's favourite colour is green."],
        0,
    ),
    (
        "where the family keys hang",
        "Our keys are in the blue bowl.",
        ["Grandpa's keys hang by the stove.", "The keys hang behind the door.", "The cellar is damp."],
        1,
    ),
    (
        "who is in charge of the archive",
        "The archive is run by Mr Oyelaran.",
        ["The archive is in the cellar.", "Ms Tranh looks after the archive.", "The archive opens at ten."],
        1,
    ),
    (
        "Mrs Aydin's seat",
        "Mrs Aydin sits by the stove.",
        ["Mr Aydin sits by the window.", "Mrs Aydin sits at the long table.", "Mr Aydin sings bass."],
        1,
    ),
]
"""(query, new fact, memories, the position of the memory that is meant)"""

REMARKED: list[tuple[str, str, str]] = [
    ("The meeting moved to room 5, the projector works there.", "where the meeting is", "The meeting is in room 2."),
    ("Anton takes the early bus, he hates crowds.", "which bus Anton takes", "Anton takes the late bus."),
    ("Delivery now comes on Mondays, drivers were short.", "delivery day", "Delivery comes on Fridays."),
    ("Status of build 88: red, tests failing.", "status of build 88", "Status of build 88: green, all tests pass."),
    (
        "Heating in the hall: 18 degrees, members complained.",
        "heating in the hall",
        "Heating in the hall: 20 degrees.",
    ),
    ("The price rose to 30, fuel got dearer.", "the price", "The price is 28."),
    ("Roof repair goes to Hansen, cheapest of three.", "who repairs the roof", "Roof repair goes to Olsen."),
    ("Snow closed the pass, the bus runs via Teufen.", "the route of the bus", "The bus runs over the pass again."),
    (
        "Coach for the juniors is Mbali, Sipho broke his leg.",
        "coach of the juniors",
        "Sipho coaches the juniors again.",
    ),
    ("Kiln 2: out of use, waiting for a thermocouple.", "how kiln 2 is", "Kiln 2 is running again, the part came."),
]
"""(memory, query, new fact): the whole memory goes"""

REMAINING: list[tuple[str, str, str, str]] = [
    ("Ravi lives in Pune, works as a nurse.", "where Ravi lives", "Ravi lives in Goa.", "nurse"),
    (
        "Server web-3: Debian 12, 16 GB RAM, owner Kai.",
        "owner of web-3",
        "Lea owns web-3.",
        "Debian 12",
    ),
    (
        "Mara is vegan, and her son is allergic to nuts.",
        "Mara's diet",
        "Mara eats fish again.",
        "allergic to nuts",
    ),
    ("Flat 3: tenant Mr Oz, rent 700, two keys.", "rent of flat 3", "The rent of flat 3 is 750.", "tenant Mr Oz"),
    ("Nora drives a Saab; her bike is in the shed.", "Nora's car", "Nora drives a Kia.", "bike is in the shed"),
    (
        "Tomas works at Lidl, his phone number is 555-0101.",
        "Tomas's phone number",
        "Tomas can be reached on 555-0199.",
        "works at Lidl",
    ),
]
"""(memory, query, new fact, what stays)"""

SIDES: list[tuple[str, list[str], list[str]]] = [
    (
        "the cake without sugar",
        ["Cake 1: without sugar, with dates."],
        ["Cake 2: with sugar and lemon.", "Bread: no salt."],
    ),
    (
        "the soup with meat",
        ["Monday's soup is with meat."],
        ["Tuesday's soup is without meat.", "Dessert is fruit."],
    ),
    ("Lena and boxing", ["Lena does boxing."], ["Lena likes chess.", "Omar does boxing."]),
    (
        "Tariq declining the invitation",
        ["Tariq declined the invitation to the gala."],
        ["Tariq accepted the invitation to the fair.", "Lea declined the invitation to the gala."],
    ),
    (
        "the cancelled hike of group Fox",
        ["Cancelled: hike of group Fox, storm."],
        ["Confirmed: hike of group Owl.", "Cancelled: swim of group Owl.", "Group Fox has five tents."],
    ),
    (
        "Mrs Kim refusing the second dose",
        ["Mrs Kim refused the second dose."],
        ["Mr Kim refused the second dose.", "Mrs Kim took the first dose."],
    ),
    (
        "the warning that door C is out of order",
        ["Door C must not be used."],
        ["Door C leads to the yard.", "Door D must not be used."],
    ),
    ("everything about Mona", ["Mona does not eat fish.", "Mona eats meat."], ["Otto eats fish."]),
    (
        "Piet's cough, he is well again",
        ["Piet's cough: syrup at night.", "No football for Piet while the cough lasts."],
        ["Mia's cough: tea.", "Piet plays in goal."],
    ),
    (
        "we won't be staying at the Corona, drop it",
        ["Hotel Corona: breakfast on the roof, no lift.", "The Corona wants a deposit."],
        ["Hotel Stella takes dogs."],
    ),
]
"""(release, meant, not meant)"""
