"""Which memory a new fact supersedes: (query, new fact, memories, position of the one that is meant)."""

CHOICES: list[tuple[str, str, list[str], int]] = [
    (
        "who Ulla reports to",
        "Jens Falk has been in charge of Ulla since May.",
        ["Ulla works on floor 5.", "Ulla's manager is Pia Borg.", "Ulla has a brown dog."],
        1,
    ),
    (
        "when the gym opens on weekends",
        "The gym opens at 9 on weekends.",
        [
            "The gym opens at 6 on weekdays.",
            "The gym opens at 8 on Saturdays and Sundays.",
            "The gym is on Pine Street.",
        ],
        1,
    ),
    (
        "August revenue",
        "Revenue for August was 48k.",
        ["Revenue in Q2 was 120k.", "Q3 revenue so far: 90k.", "July revenue was 44k.", "Revenue target is 600k."],
        1,
    ),
    (
        "rent in 2024",
        "Rent in 2024 is 1,250.",
        ["Rent in 2023 was 1,100.", "Rent in 2024 is 1,200.", "Rent in 2025 will be 1,300."],
        1,
    ),
    (
        "the second-quarter budget",
        "April to June budget is now 30k.",
        ["Q1 budget: 20k.", "Q2 budget: 25k.", "Q3 budget: 28k."],
        1,
    ),
    (
        "where Nina works now",
        "Nina works at Vento.",
        [
            "Nina worked at Orbis from 2016 to 2019.",
            "Nina worked at Kappa until 2022.",
            "Nina works at Delmar.",
            "Nina's husband works at Vento.",
        ],
        2,
    ),
    (
        "Nina's job before 2020",
        "From 2016 to 2019 Nina worked at Orbital.",
        [
            "Nina worked at Orbis from 2016 to 2019.",
            "Nina worked at Kappa from 2020 until 2022.",
            "Nina works at Delmar.",
        ],
        0,
    ),
    (
        "evening medication",
        "Take 10 mg in the evening.",
        ["Take 5 mg in the morning.", "Take 20 mg at 8 pm.", "Store the pills in the fridge."],
        1,
    ),
    (
        "the morning bus",
        "The morning bus leaves at 7:05.",
        ["Bus to town: 7:20.", "Bus to town: 17:45.", "Bus tickets cost 3 euros."],
        0,
    ),
    (
        "winter opening hours",
        "In winter the museum opens at 11.",
        [
            "The museum opens at 9 from May to September.",
            "The museum opens at 10 from November to March.",
            "The museum shop sells posters.",
        ],
        1,
    ),
    (
        "password last changed",
        "Password was last changed on 3 May.",
        ["Password was last changed on 1 March.", "Password must have 12 letters.", "The guest password is tulip."],
        0,
    ),
    (
        "Tom's manager",
        "Tom reports to Iris now.",
        [
            "Tom reports to Gale.",
            "Tom's manager at his previous job was Lou.",
            "Ann reports to Gale.",
            "Tom manages two interns.",
        ],
        0,
    ),
    ("editor", "User now uses Helix.", ["User uses Vim for coding.", "User uses Chrome.", "User writes in Python."], 0),
    (
        "preferred language",
        "User prefers Go.",
        ["User prefers Rust.", "User prefers dark mode.", "User's colleague prefers Go."],
        0,
    ),
    (
        "Mary's mother",
        "Mary's mother is called Ruth.",
        ["Mary's mother is called Edith.", "Mary is called Minnie by her friends.", "Ruth's mother is called Mary."],
        0,
    ),
    (
        "what time is standup",
        "Standup moved to 10:15.",
        ["Standup is daily at 9:30.", "Retro is on Fridays at 15:00.", "Standup is led by Jo."],
        0,
    ),
    (
        "the wifi password upstairs",
        "Upstairs wifi password: lemon99.",
        ["Wifi password downstairs: grape12.", "Wifi password upstairs: apple45.", "The router is upstairs."],
        1,
    ),
    (
        "first-shift supervisor",
        "First shift is supervised by Dana.",
        ["Shift 1 supervisor: Carl.", "Shift 2 supervisor: Mina.", "Shift 3 supervisor: Olga."],
        0,
    ),
    (
        "where the spare key is",
        "We moved the spare key to the shed.",
        ["The spare key is under the mat.", "The car key is in the drawer.", "The shed is locked at night."],
        0,
    ),
    (
        "how Lee gets to work",
        "Lee cycles to work.",
        ["Lee takes the tram to work.", "Lee works at the harbour.", "Lee's son walks to school."],
        0,
    ),
    (
        "Kim's favourite pizza topping",
        "Kim likes olives best on pizza.",
        [
            "Kim's favourite pizza topping is ham.",
            "Kim hates olives in salad.",
            "Pat's favourite pizza topping is olives.",
        ],
        0,
    ),
    (
        "who teaches maths in year 9",
        "Year 9 maths is taught by Ms Orr.",
        [
            "Year 8 maths is taught by Mr Pike.",
            "Year 9 maths is taught by Mr Bell.",
            "Year 9 physics is taught by Ms Orr.",
        ],
        1,
    ),
    (
        "my landlord's number",
        "My landlord's number is 555-8100.",
        ["My landlord's number is 555-7000.", "My sister's number is 555-8100.", "My landlord lives abroad."],
        0,
    ),
    (
        "where does Sara live",
        "Sara has moved to Bath.",
        ["Sara lives in York.", "Sara was born in Bath.", "Sara's brother lives in Leeds."],
        0,
    ),
    (
        "speed limit on Mill Lane",
        "Mill Lane: limit 30.",
        ["Mill Lane: limit 50.", "Mill Road: limit 30.", "Mill Lane is closed for repairs in June."],
        0,
    ),
    (
        "blood pressure reading of 4 May",
        "The 4 May reading was 128/84.",
        ["3 May: blood pressure 131/85.", "4 May: blood pressure 125/80.", "5 May: blood pressure 128/84."],
        1,
    ),
    ("Monday's chef", "On Mondays Aldo cooks.", ["Mon-Wed: chef Bea.", "Thu-Sat: chef Aldo.", "Sunday: closed."], 0),
    (
        "Christmas party venue",
        "The Christmas party is at the Crown.",
        ["The summer party is at the Crown.", "The December party is at the Swan.", "The Swan seats 60."],
        1,
    ),
    (
        "coffee machine status",
        "The coffee machine has been repaired.",
        ["The coffee machine is broken.", "The copy machine is being repaired.", "Coffee is bought by Jan."],
        0,
    ),
    (
        "CEO of Plexo",
        "Ana Reyes became CEO of Plexo.",
        ["Plexo is led by Tom Hart.", "Ana Reyes is CFO of Quanta.", "Plexo has 90 staff."],
        0,
    ),
    ("how old is Ben", "Ben turned 8.", ["Ben is 7 years old.", "Ben's sister is 8 years old.", "Ben has 8 pets."], 0),
    (
        "what Dilek rides to work",
        "Dilek was put on the night tram.",
        [
            "User and Dilek own a tandem.",
            "User's wife Dilek rides bus 7 to work, and she was born in Izmir.",
            "Dilek's brother rides a horse to work.",
        ],
        1,
    ),
    (
        "what Mr. Okoro drives",
        "Mr. Okoro bought a van.",
        [
            "Mr. Okoro is from Jos.",
            "My boss, Mr. Okoro, hates mornings and drives a coupé.",
            "My colleague drives a scooter.",
        ],
        1,
    ),
    (
        "Tamsin's profession",
        "Tamsin is a pilot.",
        [
            "Tamsin lives by the lake.",
            "Tamsin is a nurse, and her son plays the drums.",
            "Tamsin's brother works as a pilot.",
        ],
        1,
    ),
    (
        "who lives in cabin 3",
        "Cabin 3 was given to Pierre.",
        ["Cabin 3 has a balcony.", "Guest in cabin 3: Yuto.", "Guest in cabin 4: Camila."],
        1,
    ),
    (
        "Petra's mother",
        "Petra's mother is called Agnes.",
        ["Agnes's mother is called Petra.", "Petra's mother is called Ottilie."],
        1,
    ),
    (
        "Ivo's job before 2019",
        "Until 2018 Ivo was at Brandt.",
        ["Ivo has been at Lumen since 2019.", "Ivo worked at Kessel from 2015 to 2018."],
        1,
    ),
]

WRITTEN: list[tuple[str, str, list[tuple[str, str]], int]] = [
    (
        "Lotte's hair colour",
        "Lotte is brown-haired again.",
        [
            ("Lotte has green eyes.", ""),
            ("Lotte's sister is blonde.", ""),
            ("Now it is blue.", "Lotte's hair colour\nthe colour of Lotte's hair"),
        ],
        2,
    ),
    (
        "the travel budget for July to December",
        "Travel in H2 was raised to 90.",
        [("Travel in H1 was cut to 40.", "the travel budget for January to June"), ("H2 budget: travel 60.", "")],
        1,
    ),
    (
        "where I sleep these days",
        "I am on Tia's sofa again.",
        [
            ("Tia is my sister.", ""),
            ("My boxes are at the port.", ""),
            ("I'm house-sitting in Hastings.", "where I stay at night\nwhere I'm sleeping"),
        ],
        2,
    ),
    (
        "price of the weekend ticket",
        "The weekend ticket costs 30 now.",
        [("It went up to 22.", "price of the midweek ticket"), ("Weekend ticket: 28.", "")],
        1,
    ),
]
"""As CHOICES, each memory with the queries of the supersessions that led to it."""
