"""Names in two scripts or spellings, beside names that only resemble them: (operation, request, meant, not meant)."""

SCRIPTS: list[tuple[str, str, list[str], list[str]]] = [
    (
        "purge",
        "Сергей Иванов",
        ["Sergei Ivanov rents bay 3.", "Сергей Иванов платит наличными."],
        ["Sergei Ivankov rents bay 4.", "Степан Иванов rents bay 5.", "S. Ivanov called."],
    ),
    (
        "purge",
        "Katerina Papadopoulou",
        ["Κατερίνα Παπαδοπούλου plays viola.", "Katerina Papadopoulou is late."],
        ["Κώστας Παπαδόπουλος plays viola.", "Katerina Pappa is early."],
    ),
    (
        "purge",
        "Takeshi Mori",
        ["森健 likes trains.", "Takeshi Mori is in Kobe."],
        ["森愛 likes trains.", "Takeshi Mizuno is in Kobe."],
    ),
    (
        "purge",
        "鈴木一郎",
        ["Suzuki Ichiro ordered tea.", "Ichirō Suzuki pays.", "スズキ イチロウ called."],
        ["鈴木二郎 ordered tea.", "Suzuki Jiro pays."],
    ),
    (
        "purge",
        "Kim Min-seo",
        ["김민서 is a nurse.", "Kim Min-seo works nights.", "Minseo Kim has a cat."],
        ["김민수 is a nurse.", "Kim Min-su works days."],
    ),
    ("purge", "Zhang Wei", ["张伟 owes 20.", "Zhang Wei paid 5."], ["张薇薇 owes 30.", "Zhang Wenli paid 6."]),
    (
        "purge",
        "محمد الفارسي",
        ["Mohammed al-Farsi paid.", "Muhammad Al Farsi called.", "محمد الفارسي wrote."],
        ["محمود الفارسي wrote.", "Mahmoud al-Farsi paid."],
    ),
    (
        "purge",
        "Ahmed Hassan",
        ["أحمد حسن drives.", "Ahmed Hassan rests."],
        ["أحمد حسين drives.", "Ahmed Hussein rests."],
    ),
    ("purge", "Noa Cohen", ["נועה כהן has a dog.", "Noa Cohen pays."], ["נועם כהן has a dog.", "Noam Cohen pays."]),
    (
        "purge",
        "Priya Sharma",
        ["प्रिया शर्मा teaches.", "Priya Sharma sings."],
        ["प्रीति शर्मा teaches.", "Preeti Sharma sings."],
    ),
    (
        "purge",
        "Somchai Jaidee",
        ["สมชาย ใจดี rides.", "Somchai Jaidee cooks."],
        ["สมศรี ใจดี rides.", "Somsri Jaidee cooks."],
    ),
    (
        "purge",
        "Giorgi Beridze",
        ["გიორგი ბერიძე sings.", "Giorgi Beridze paints."],
        ["გოგი ბერიძე sings.", "Gocha Beridze paints."],
    ),
    (
        "purge",
        "Armen Sargsyan",
        ["Արմեն Սարգսյան drives.", "Armen Sargsyan sells."],
        ["Արման Սարգսյան drives.", "Arman Sargsyan sells."],
    ),
    ("purge", "Юлия", ["Yulia sings.", "Julia paints.", "Юлия reads."], ["Юлиан sings.", "Julian paints."]),
    ("purge", "Dmitry", ["Дмитрий pays.", "Dmitry has a key.", "Dmitri is off."], ["Дина pays.", "Demetra is off."]),
    (
        "purge",
        "Björn Müller",
        ["Bjoern Mueller paid.", "Björn Müller called.", "Mueller, Bjoern: deposit"],
        ["Björn Möller paid.", "Bernd Müller called."],
    ),
    ("purge", "Łukasz Żak", ["Lukasz Zak paid.", "Łukasz Żak called."], ["Łucja Żak paid.", "Lukas Zach called."]),
]
