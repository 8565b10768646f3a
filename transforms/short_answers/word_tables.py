"""Words that mean the same in an answer: units, abbreviations, states of switches, months."""

# Each line: a name, then its other spellings. A spelling may be that of several names: "m".
UNITS = """
minute min mins m rpm bpm
second sec secs s fps bps kbps mbps gbps
hour hr hrs h mph kph kmh kmph
day d
week wk wks
month mo mos mth mths m
year yr yrs y
millisecond ms msec
meter m metre
kilometer km kms kilometre kph kmh kmph
centimeter cm cms centimetre
millimeter mm millimetre
mile mi mph mpg m
inch in inches "
foot ft feet '
yard yd yds
gram g gm gms gramme
kilogram kg kgs kilo
milligram mg
pound lb lbs £ gbp quid
ounce oz
liter l litre lt
milliliter ml
gallon gal
bit b bps
byte b
kilobyte kb k
megabyte mb
gigabyte gb
terabyte tb
kilobit kb kbit kbps
megabit mb mbit mbps
gigabit gb gbit gbps
terabit tb tbit
hertz hz
kilohertz khz
megahertz mhz
gigahertz ghz
watt w
kilowatt kw
volt v
decibel db
calorie cal cals kcal
kilocalorie kcal
pixel px
degree ° º deg
celsius c centigrade
fahrenheit f
percent % percentage pct
frame fps
beat bpm
point pt pts
star ★ ☆ ✩ ✪ ⭐ 🌟
dollar $ usd us$ buck cent ¢
euro € eur cent ¢
yen ¥ jpy
yuan ¥ cny rmb
rupee ₹ rs inr r rp
rupiah rp idr
rand r zar
cent ¢ c
number no. # num nr
more + plus over above least
least + more minimum
"""

ABBREVIATIONS = """
more older
than + > <
plus +
hash #
less < under below
squared ²
monday mon
tuesday tue tues
wednesday wed weds
thursday thu thur thurs
friday fri
saturday sat
sunday sun
morning am
afternoon pm
evening pm
noon pm
midnight am
am morning midnight
pm afternoon evening night noon tonight
central cst cdt ct
eastern est edt et
pacific pst pdt pt
mountain mst mdt mt
daylight cdt edt pdt mdt bst
standard cst est pst mst
time cst cdt est edt pst pdt mst mdt gmt utc ct et pt mt bst
greenwich gmt
mean gmt
street st str
saint st
road rd
avenue ave av
boulevard blvd
drive dr
doctor dr
mister mr
lane ln
court ct
place pl
square sq
highway hwy
apartment apt
suite ste
building bldg
floor fl
mount mt
fort ft
north n
south s
east e
west w
united us usa uk usd
us usd us$
million m
billion b
thousand k
states us usa
america us usa usd
kingdom uk
application app apps
picture pic pics image photo photograph
image picture pic photo
photo picture pic image photograph
people person persons guest user
person people
email e-mail mail
address email e-mail
phone telephone tel mobile
television tv
movie film
film movie
information info
maximum max
minimum min
average avg
approximately approx ~ about around
quantity qty
temperature temp
version v ver
volume vol
episode ep
chapter ch
page p pg
department dept
university univ
international intl
company co
incorporated inc
limited ltd
corporation corp
versus vs
male m man boy
female f woman girl
woman women
man men
child children
canada ca
cost free
charge free
fee free
with w
without w/o
one single
two twice pair couple double
half ½
dozen doz
"""

US_STATES = (
    "al=alabama ak=alaska az=arizona ar=arkansas ca=california co=colorado ct=connecticut "
    "de=delaware fl=florida ga=georgia hi=hawaii id=idaho il=illinois in=indiana ia=iowa "
    "ks=kansas ky=kentucky la=louisiana me=maine md=maryland ma=massachusetts mi=michigan "
    "mn=minnesota ms=mississippi mo=missouri mt=montana ne=nebraska nv=nevada nh=new_hampshire "
    "nj=new_jersey nm=new_mexico ny=new_york nc=north_carolina nd=north_dakota oh=ohio "
    "ok=oklahoma or=oregon pa=pennsylvania ri=rhode_island sc=south_carolina sd=south_dakota "
    "tn=tennessee tx=texas ut=utah vt=vermont va=virginia wa=washington wv=west_virginia "
    "wi=wisconsin wy=wyoming dc=district_columbia"
)

POLES = {
    "=on": "on enabled enable activated active checked ticked selected chosen true",
    "=off": "off disabled disable deactivated inactive unchecked unticked unselected deselected "
    "unchosen false",
    "=yes": "yes yeah yep",
    "=no": "no none nope not",
    "=am": "am",
    "=pm": "pm",
    "=open": "open opened",
    "=closed": "closed shut",
}
OPPOSITES = (("=on", "=off"), ("=yes", "=no"), ("=am", "=pm"), ("=open", "=closed"))
"""Readings that deny each other. Table 9 has "off" and "disabled" for one switch; released
answers also have "unselected", "not checked" and "false" beside them."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = _words(
    "a an the of and or from to between at on in by with through till until upto up for then vs "
    "versus as out via using found yet www http https com per inclusive total o'clock oclock ' "
    '" & @ / # x × ~ turned switched set'
)
"""Words and signs that join what an answer says and say nothing themselves."""

VERBS = _words(
    "is are was were be been has have had does do did can could will would should there it they "
    "he she we you i its it's"
)
"""Words that make a sentence of an answer."""

MORE_UNITS = _words(
    "monday tuesday wednesday thursday friday saturday sunday am pm morning afternoon evening "
    "central eastern pacific mountain time daylight standard old noon midnight night"
)
"""Words that an answer may do without, as it may without a unit."""

STATING_SIGNS = frozenset("$€£¥₹¢%°º+<>²")
"""Signs that state something; others are ornament."""

NOTHING = _words("no none nil nothing empty null free nobody")
"""Words for zero."""

LOOSE_MONTHS = _words("may march mar")
"""Names of months that are other words too."""

MONTHS = {
    spelling: number
    for number, spellings in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sep sept", "october oct", "november nov",
            "december dec",
        ),
        start=1,
    )
    for spelling in spellings.split()
}  # fmt: skip
