"""Other words in which an attribute of people and things is told ("her birthday", "was born on")."""

import functools

from lethe.planners.matcher.text.words import key

_GROUPS = """
job employer employment profession occupation career workplace trade : employed hired works nurse pilot driver
    drives engineer lawyer cook cooks baker bakes carpenter plumber clerk waiter mechanic
home residence address abode dwelling domicile : lives living resides stays lodges flat
birthday birth birthdate dob : born birthday birth
age : old aged turns turned years
diet food eating nutrition : eats eat vegan vegetarian meat fish dairy gluten halal kosher
allergy allergic intolerance intolerant : allergic allergy intolerant rash hives tolerate tolerates reaction
    reacts swells itches sneezes
salary pay wage wages income earnings : earns earn paid salary wage
doctor gp physician : doctor gp physician patient
dentist : teeth tooth dental braces filling fillings
optician glasses : eyes eyesight lenses spectacles glasses
vet veterinarian : treated jabs shots vaccinated vet
hairdresser barber haircut : hair hairdresser barber
car vehicle automobile : drives car
phone telephone mobile : number line dial rings phone mobile telephone
school : class grade pupil attends
degree course studies : studies studied university major reads degree
language languages : speaks fluent spanish french german english italian russian chinese japanese arabic
    portuguese dutch polish turkish greek swedish norwegian danish finnish hindi korean latin
marriage wedding : married wife husband spouse
children kids : son daughter child children kids
siblings sibling : brother sister
parents : mother father mum dad
pet pets : dog cat parrot hamster rabbit
hobby hobbies pastime leisure : plays collects builds paints knits sings dances
instrument : plays piano violin guitar flute cello drums trumpet harp
sport sports : plays tennis football swims rows basketball volleyball
singing voice : sings choir soprano alto tenor bass
height : tall metres
weight : weighs heavy
colour color : painted red blue green yellow black white grey
price cost fee charge rate : costs charges euros dollars price fee rate
location whereabouts : located stands lies situated
parking parks : car deck garage parks
commute : travels cycles bus train tram bike
medication medicine drug : tablets pills dose prescribed medicine drops mg ml
illness sickness disease condition diagnosis : suffers diagnosed ill sick
insurance : insured policy
password passcode pin passphrase : password passcode pin
bedtime sleep : sleeps bed
holiday holidays vacation : holiday vacation trip
flight airline : flies flight airline
nationality citizenship : citizen passport
fear phobia : afraid scared frightened fear
dislike dislikes aversion : dislikes hates stand
favourite favorite preference : best loves likes favourite prefers
limit maximum : more most maximum limit
warranty guarantee : warranty guarantee
owner : belongs owns
teacher tutor instructor : teaches taught lessons
boss manager supervisor : reports supervises boss manager
supplier : delivers brings supplies
membership : member joined belongs
eat eats eating meals meal : eats eat vegan vegetarian meat fish dairy diet food
plane arrival arrive arrives land lands departure depart departs : flight flies lands landing leaves departs
    arrives airline airport train
class lesson lessons : school class course teacher
heavy weigh weighs : weighs kilos kilo kg pounds
tall high : tall height metres
expensive cheap pay paid : price costs cost fee charges euros dollars pounds francs rent ticket tickets
music song songs : band singer music playlist song
reports answers leads charge : boss manager supervisor leads reports head chief manages
boss manager supervisor leader lead head chief : boss manager supervisor leads lead head chief manages reports
    answers
approve approves approval permission : signs signed approves approved nod
network internet wifi : wifi router network internet
computer : laptop desktop computer
system os : runs windows linux macos
money savings : bank account savings cash
rubbish garbage trash refuse waste : bin bins trash rubbish garbage refuse waste
parcel parcels package packages : parcel parcels package packages delivered deliveries
chat messaging messages messenger : chats messages writes
boat ship : boat ship ferry berth
heating heated warm : stove radiators boiler heated heating gas
deadline finished due finish : deadline due submission
relationship girlfriend boyfriend sweetheart lover partner : married single engaged dating divorced girlfriend
    boyfriend partner husband wife
staff employees : team staff employees colleagues
"""
"""On each line, what an attribute is asked for by, and the words that memories tell it with."""


@functools.cache
def _related() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _GROUPS.replace("\n    ", " ").strip().splitlines():
        asked, _, told = line.partition(":")
        for word in asked.split():
            found.setdefault(key(word), set()).update(map(key, [*asked.split(), *told.split()]))
    return {word: frozenset(group) for word, group in found.items()}


def related(word: str) -> frozenset[str]:
    """The keys of the words that memories tell what is asked for by the word with this key."""
    return _related().get(word, frozenset())
