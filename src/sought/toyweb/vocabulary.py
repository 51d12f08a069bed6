"""Which words do the pages use?  Data only: subjects, languages, places, people and kinds of things.

A kind can precede any noun ("winter telescope", "Portuguese soup").  Each page is about things of one kind, so that a
search for them finds it.  No kind is a word of a subject, or of the sentences of all pages.

English nouns have a plural in -s, so that sentences need no grammar.  Phrases of the other
languages are whole noun phrases that agree with every sentence of their language.
"""

from dataclasses import dataclass


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


KINDS = _words("""
    summer autumn winter morning evening midnight weekend holiday birthday wedding Monday Sunday Christmas Easter
    December village city island mountain valley river forest desert garden beach lakeside farm castle palace museum
    market school college library hospital hotel kitchen balcony rooftop cellar attic garage workshop studio theatre
    stadium airport office factory windmill monastery cathedral family student grandmother pocket travel camping
    hiking picnic party gift souvenir budget luxury antique replica model charity emergency practice champion pirate
    royal copper silver golden iron steel bronze marble leather cotton silk paper cardboard plastic rubber bamboo
    oak maple walnut willow birch cherry chocolate ginger vanilla honey red blue yellow purple violet scarlet
    turquoise black white English Scottish Welsh Irish Dutch Belgian French German Danish Swedish Norwegian Finnish
    Icelandic Polish Czech Hungarian Austrian Swiss Italian Spanish Portuguese Greek Turkish Bulgarian Romanian
    Croatian Russian Egyptian Moroccan Tunisian Kenyan Nigerian Ethiopian Persian Indian Nepalese Chinese Mongolian
    Japanese Korean Thai Vietnamese Indonesian Australian Canadian Mexican Cuban Jamaican Brazilian Peruvian Chilean
    Bolivian Alaskan Californian Texan Hawaiian Siberian Nordic Baltic Alpine Arctic tropical medieval Roman Viking
    Victorian Georgian Edwardian futuristic
""")

PLACES = _words("Hill Bridge Street Bay Green Corner Mill Square Lane Gate Fields Park")

FIRST_NAMES = _words("""
    Alice Anna Arthur Barbara Ben Carla Charles Clara Daniel David Diana Edward Elena Emily Eric Eva Frank Fred
    George Grace Hannah Harry Helen Henry Ida Jack James Jane Julia Karen Kevin Laura Leo Linda Lucy Maria Mark
    Martin Mary Max Nina Nora Oliver Oscar Paul Peter Rachel Robert Rosa Ruth Sam Sarah Simon Sophie Thomas Tom
    Victor Walter William
""")

LAST_NAMES = _words("""
    Adams Allen Anderson Bailey Barnes Bell Bennett Brooks Brown Campbell Carter Clark Collins Cooper Cox Davies
    Edwards Evans Fisher Foster Gray Hall Harris Hughes Jackson Johnson Jones Kelly King Lewis Martin Mason Miller
    Mitchell Moore Morgan Morris Murphy Nelson Parker Phillips Price Reed Reynolds Richards Roberts Robinson Ross
    Scott Shaw Smith Stewart Taylor Thompson Turner Walker Ward Watson Williams Wilson Wood Wright Young
""")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a site is about; its first five nouns are its sections."""

    name: str
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    adjectives: tuple[str, ...]
    people: tuple[str, ...]


def _subject(name: str, nouns: str, verbs: str, adjectives: str, people: str) -> Subject:
    return Subject(name, tuple(nouns.split()), tuple(verbs.split()), tuple(adjectives.split()), tuple(people.split()))


SUBJECTS = (
    _subject(
        "astronomy",
        "telescope planet comet nebula constellation meteor crater eclipse orbit satellite quasar pulsar camera "
        "dome sensor eyepiece sunspot asteroid",
        "observe photograph track measure map resolve",
        "distant faint bright double variable southern dusty remote",
        "astronomer stargazer observer physicist",
    ),
    _subject(
        "gardening",
        "tulip orchard vegetable hedge greenhouse seedbed rose tomato seedling bulb pergola spade shrub "
        "pumpkin lawn herb flowerbed wheelbarrow",
        "plant prune water graft harvest transplant",
        "shady fragrant perennial wild sunny hardy climbing dwarf",
        "gardener botanist grower beekeeper",
    ),
    _subject(
        "cooking",
        "soup sauce dumpling pie stew dessert spice oven marinade noodle pancake casserole pudding broth skillet "
        "recipe lemon chutney",
        "simmer roast season knead whisk braise",
        "spicy creamy sweet smoked tender crisp rustic salty",
        "cook baker chef host",
    ),
    _subject(
        "sailing",
        "yacht harbour anchor sail regatta keel mast rudder lifeboat flagpole tide sailboat rowboat hull "
        "pulley buoy mooring chart",
        "trim steer hoist moor navigate repair",
        "windward wooden fast seaworthy tidal coastal sheltered stormy",
        "skipper sailor navigator shipwright",
    ),
    _subject(
        "chess",
        "opening endgame gambit tournament handbook rook bishop knight pawn queen scoreboard blunder checkmate clock "
        "exchange draw stalemate rating",
        "sacrifice defend exchange advance calculate attack",
        "passed sharp positional quiet closed tactical doubled weak",
        "grandmaster player trainer arbiter",
    ),
    _subject(
        "cycling",
        "bicycle race tandem trailer wheel pedal derailleur saddle sprint peloton puncture helmet brake "
        "cassette crank handlebar velodrome climb",
        "ride repair inflate adjust overtake pace",
        "steep gravel carbon sturdy muddy flat vintage light",
        "rider mechanic climber courier",
    ),
    _subject(
        "music",
        "concerto violin quartet festival score sonata cello fugue overture piano clarinet metronome ballad "
        "chord rehearsal recording organ trumpet",
        "rehearse tune compose conduct transcribe perform",
        "baroque quiet dissonant lyrical modern chromatic solemn playful",
        "violinist composer singer pianist",
    ),
    _subject(
        "geology",
        "volcano fossil mineral glacier fault boulder crystal sediment cave canyon geyser meteorite cliff "
        "waterfall ridge sandstone pebble delta",
        "excavate map date sample classify drill",
        "volcanic layered porous metamorphic folded deep granular prehistoric",
        "geologist miner surveyor collector",
    ),
    _subject(
        "weaving",
        "loom curtain rug yarn thread spindle shuttle warp weft bobbin shawl blanket fibre pattern spool "
        "felt ribbon needle",
        "weave spin dye knot unravel embroider",
        "woollen linen coarse patterned soft handmade striped colourful",
        "weaver spinner dyer tailor",
    ),
    _subject(
        "railways",
        "locomotive station timetable viaduct tunnel signal carriage platform wagon track boiler junction "
        "sleeper turntable tram depot whistle gradient",
        "couple restore schedule shunt electrify signal",
        "narrow punctual steam regional express rural freight disused",
        "driver conductor signaller engineer",
    ),
    _subject(
        "birds",
        "owl heron falcon warbler nest flock feather hide swallow kingfisher puffin gull egg meadow robin "
        "sparrow magpie wetland",
        "ring count photograph feed protect record",
        "nocturnal migratory rare crested juvenile tame speckled northern",
        "birdwatcher ranger ornithologist volunteer",
    ),
    _subject(
        "pottery",
        "kiln glaze teapot bowl pot vase cup tile mould shard handle firing jar jug plate stamp mug figurine",
        "throw glaze fire trim carve knead",
        "porous matt glossy cracked thin heavy painted delicate",
        "potter ceramist collector apprentice",
    ),
)

ENGLISH = (
    "The {adj} {kind} {noun} near {place} was described by the {person} {name} in {year}.",
    "Before you {verb} the {noun}, look at the {kind} {noun2} and write down what you see.",
    "Many a {person} prefers the {kind} {noun} to the {noun2}, because it is {adj} and easy to {verb}.",
    "Our {noun} has been {adj} since {year}, and every {person} in {place} knows the reason.",
    "{name} learned to {verb} {number} {noun}s in a single year.",
    "It takes about {number} minutes to {verb} a {kind} {noun} if the {noun2} is ready.",
    "There are {number} {kind} {noun}s in {place}, and only {small} of them are {adj}.",
    "Nobody expected that the {noun2} would change the way we {verb} the {noun}.",
    "One rarely finds a {kind} {noun} without a {noun2}.",
    "The club in {place} keeps a list of every {noun} that a {person} managed to {verb}.",
    "For beginners the {kind} {noun} matters more than the {adj} {noun2}.",
    "In {year} the {noun} of {place} won a prize for the most {adj} {noun2}.",
    "If the {noun} seems too {adj}, ask a {person} to {verb} it with you.",
    "{name} keeps {small} {adj} {noun}s and one {noun2} at home.",
    "The report compares {number} {noun}s with the {noun2} that {name} brought from {place}.",
    "Some say one should never {verb} the {noun} on the day of the {noun2}.",
    "What makes the {kind} {noun} so {adj} is the {noun2} behind it.",
    "Last year we could {verb} the {noun} twice, once in {place} and once at home.",
    "A picture from {year} shows {name} with a {kind} {noun} and a {adj} {noun2}.",
    "The {noun2} costs {number} crowns, the {noun} can be had for {small}.",
    "Every {person} should {verb} at least one {adj} {noun} every year.",
    "Between {place} and the coast the {noun} gives way to the {noun2}.",
    "This page explains how to {verb} the {kind} {noun} and when to leave the {noun2} alone.",
    "Letters of {name} mention the {kind} {noun} {small} times.",
)

TITLES = (
    "the {adj} {kind} {noun}",
    "how to {verb} a {kind} {noun}",
    "{adj} {kind} {noun}s for beginners",
    "{adj} {kind} {noun}s: a short guide",
    "why people like {adj} {kind} {noun}s",
    "when to {verb} the {kind} {noun}",
)

HEADINGS = (
    "About the {kind} {noun}",
    "The {noun2} in {place}",
    "How to {verb} it",
    "What a {person} says",
    "More {adj} {noun}s",
)
SEE_ALSO = ("See also {link}.", "More about this in {link}.", "Compare it with {link}.", "{link} tells the rest.")


@dataclass(frozen=True, slots=True)
class Language:
    """A language other than English: whole phrases, sentences to put them into, and encodings its pages may use."""

    code: str
    phrases: tuple[str, ...]
    sentences: tuple[str, ...]
    titles: tuple[str, ...]
    encodings: tuple[str, ...]


LANGUAGES = (
    Language(
        "de",
        ("der alte Leuchtturm", "die kleine Werkstatt", "das stille Gewächshaus", "der große Garten", "die Straßenbahn",
         "das schöne Märchenbuch", "der höchste Berg", "die grüne Brücke", "das frühe Frühstück",
         "der weiße Kachelofen"),
        ("In {name} steht {a} seit {number} Jahren neben dem Rathaus.", "Man sagt, {a} sei älter als der Fluss selbst.",
         "Für viele Besucher ist {a} wichtiger, als {b} es jemals war.",
         "Zuerst kam {a}, und erst später wurde {b} bekannt.",
         "Wer {name} besucht, hört immer wieder, dass {a} niemals verkauft werden dürfe.",
         "Nach {number} Tagen Regen war {a} noch immer trocken.", "Niemand weiß genau, warum {a} so heißt."),
        ("Über {name}: {a}", "{name} und seine Geschichte: {a}"),
        ("utf-8", "iso-8859-1", "windows-1252"),
    ),
    Language(
        "fr",
        ("le vieux phare", "la petite forêt", "le marché d’été", "la fenêtre fermée", "le château près du fleuve",
         "la pâtisserie du coin", "le théâtre oublié", "la première étoile", "le café des élèves",
         "la leçon de français"),
        ("À {name}, {a} attire plus de {number} visiteurs chaque année.",
         "On raconte que {a} existait déjà avant le pont.",
         "Depuis l’été dernier, {a} est plus célèbre que {b}.", "Il faut {number} minutes à pied pour voir {a}.",
         "Personne à {name} ne sait pourquoi {a} change si souvent.",
         "Le soir, {a} devient très calme et {b} s’éveille.",
         "Les habitants préfèrent {a}, même quand il pleut."),
        ("{name} : {a}", "Découvrir {name} et {a}"),
        ("utf-8", "iso-8859-15", "windows-1252"),
    ),
    Language(
        "ru",
        ("старый маяк", "тихий сад", "маленький театр", "длинный мост", "красный трамвай", "новый вокзал",
         "зимний рынок", "глубокий колодец", "городской музей", "каменный дом"),
        ("В городе {name} {a} стоит уже {number} лет.", "Говорят, что {a} был построен раньше, чем {b}.",
         "Каждое утро {a} открыт для гостей.", "Никто не знает, почему {a} так называется.",
         "После дождя {a} выглядит лучше, чем {b}.", "До {name} можно доехать за {number} минут, там вас ждёт {a}."),
        ("{name}: {a}", "Что рассказывает {a} ({name})"),
        ("utf-8", "windows-1251", "koi8-r"),
    ),
    Language(
        "ja",
        ("古い灯台", "小さな庭", "静かな図書館", "長い橋", "赤い電車", "新しい駅", "冬の市場",
         "山の温泉", "海辺の茶屋", "町の博物館"),
        ("{name}には{a}があります。", "{a}は{number}年前に建てられました。", "多くの人が{b}より{a}を好みます。",
         "毎朝、{a}の前で{b}の話を聞くことができます。", "雨の日でも{a}はとても美しいです。",
         "{name}から{number}分歩くと{a}が見えます。", "なぜ{a}と呼ばれるのか、誰も知りません。"),
        ("{name}の{a}", "{a}について({name})"),
        ("utf-8", "shift_jis", "euc-jp"),
    ),
)  # fmt: skip
