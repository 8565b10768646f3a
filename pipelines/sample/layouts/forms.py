"""Screens to fill in: signing in, paying, planning, writing, answering a quiz."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import EDGE, MARGIN, app_bar, blend, button, field, switch
from pipelines.sample.layouts.overlays import keyboard
from pipelines.sample.views import SPACE_WIDTH, STATUS_BAR, Box


def login(page: Page, choices: Choices) -> None:
    """Draws the way in: an address, a hidden password, two buttons."""
    page.fill(Box(0, STATUS_BAR, SPACE_WIDTH, 800), page.theme.primary)
    page.icon("disc", 560, 224, size=320, colour=blend(page.theme.primary, "#ffffff", 0.2))
    page.icon(
        choices.pick(("flag", "leaf", "star", "home")),
        632,
        296,
        size=176,
        colour=page.theme.on_primary,
    )
    page.leaf("ImageView", Box(560, 224, 880, 544), resource="logo")
    page.text(
        720, 600, "Welcome back", size=88, align="centre", bold=True, colour=page.theme.on_primary
    )
    person = choices.pick(stocks.PEOPLE).split()
    address = field(
        page,
        920,
        "Email",
        f"{person[0].lower()}.{choices.number(10, 99)}@mail.example",
        resource="email",
    )
    field(page, 1176, "Password", "secret", resource="password", hidden=True)
    page.text(MARGIN, 1416, "Remember me", size=54)
    remember = switch(page, EDGE, 1448, on=choices.chance(50))
    button(page, Box(MARGIN, 1592, EDGE, 1768), "SIGN IN")
    page.text(
        720,
        1848,
        "Forgot your password?",
        size=54,
        align="centre",
        colour=page.theme.primary,
        clickable=True,
    )
    attempts = page.text(
        720,
        2232,
        f"Version {choices.number(1, 6)}.{choices.number(0, 19)}",
        size=46,
        align="centre",
        colour=page.theme.faint,
    )
    page.ask(
        "What is the email address?",
        f"The email address is {address.text}.",
        address.text,
        at=address,
    )
    page.ask(
        'What is the status of "Remember me"?',
        f'"Remember me" is {remember.text}.',
        remember.text,
        {"on": "enabled", "off": "disabled"}[remember.text],
        at=remember,
    )
    page.ask(
        "What is the version of the app?",
        f"It is version {attempts.text.split()[1]}.",
        attempts.text.split()[1],
        attempts.text,
        at=attempts,
    )
    page.ask_absent("What is the phone number for help?")


def transfer(page: Page, choices: Choices) -> None:
    """Draws a payment that is about to be made."""
    app_bar(page, "New transfer", lead="close")
    payee = field(page, 352, "To", choices.pick(stocks.PEOPLE), resource="payee")
    amount = field(
        page,
        600,
        "Amount",
        f"${choices.number(5, 900)}.{choices.number(10, 99)}",
        resource="amount",
    )
    account = field(
        page,
        848,
        "From account",
        choices.pick(("Main account", "Household", "Holiday fund")),
        resource="account",
    )
    day = field(
        page,
        1096,
        "Date",
        f"{choices.number(1, 28)} {choices.pick(stocks.MONTHS)} 2016",
        resource="date",
    )
    note = field(
        page,
        1344,
        "Note",
        choices.pick(("Theater tickets", "Rent share", "Thank you", "Birthday gift")),
        resource="note",
    )
    page.text(MARGIN, 1640, "Repeat every month", size=58)
    repeat = switch(page, EDGE, 1672, on=choices.chance(40))
    button(page, Box(MARGIN, 2136, EDGE, 2312), "REVIEW")
    page.ask("Who receives the transfer?", f"{payee.text} receives it.", payee.text, at=payee)
    page.ask(
        "What is the amount of the transfer?",
        f"The amount is {amount.text}.",
        amount.text,
        amount.text[1:] + " dollars",
        at=amount,
    )
    page.ask("On which date is the transfer made?", f"It is made on {day.text}.", day.text, at=day)
    page.ask(
        "Which account is the money taken from?",
        f'It is taken from "{account.text}".',
        account.text,
        at=account,
    )
    page.ask("What does the note say?", f'The note says "{note.text}".', note.text, at=note)
    page.ask(
        'What is the status of "Repeat every month"?',
        f"It is {repeat.text}.",
        repeat.text,
        at=repeat,
    )
    page.ask_absent("What is the exchange rate?")
    page.ask_complex("How many text fields are there?", "5")


def event_form(page: Page, choices: Choices) -> None:
    """Draws the form of a plan in a calendar."""
    app_bar(page, "Edit event", lead="close", actions=("more",))
    title = field(page, 352, "Title", choices.pick(stocks.EVENTS), resource="title")
    place = field(
        page,
        600,
        "Place",
        f"{choices.pick(stocks.STREETS)} {choices.number(1, 120)}",
        resource="place",
    )
    start = choices.number(7, 19)
    begins = field(
        page, 848, "Begins", f"{start}:{choices.pick(('00', '15', '30'))}", resource="begins"
    )
    ends = field(page, 1096, "Ends", f"{start + choices.number(1, 3)}:45", resource="ends")
    page.text(MARGIN, 1400, "All day", size=58)
    switch(page, EDGE, 1432, on=False)
    page.text(MARGIN, 1576, "Remind me", size=58)
    remind = switch(page, EDGE, 1608, on=choices.chance(60))
    page.text(MARGIN, 1720, "Color", size=58)
    for number, colour in enumerate(("#c8553d", "#2a9d8f", "#e0a030", "#6a4c93", "#3d7ea6")):
        page.icon("disc", 360 + 168 * number, 1704, size=112, colour=colour)
    page.icon("check", 376, 1720, size=80, colour="#ffffff")
    button(page, Box(MARGIN, 2136, EDGE, 2312), "SAVE")
    page.ask(
        "What is the title of the event?", f'The title is "{title.text}".', title.text, at=title
    )
    page.ask(
        "Where does the event take place?", f"It takes place at {place.text}.", place.text, at=place
    )
    page.ask(
        "At what time does the event begin?", f"It begins at {begins.text}.", begins.text, at=begins
    )
    page.ask(
        "From when to when does the event last?",
        f"It lasts from {begins.text} to {ends.text}.",
        f"{begins.text} to {ends.text}",
        f"{begins.text} - {ends.text}",
        at=(begins, ends),
    )
    page.ask(
        'What is the status of "Remind me"?',
        f'"Remind me" is {remind.text}.',
        remind.text,
        at=remind,
    )
    page.ask_absent("How many guests are invited?")
    page.ask_complex("How many colors can be chosen?", "5", "five")


def compose(page: Page, choices: Choices) -> None:
    """Draws a mail that is being written, with the keyboard open."""
    app_bar(page, "Compose", lead="close", actions=("mail",))
    person = choices.pick(stocks.PEOPLE).split()[0].lower()
    to = field(page, 312, "To", f"{person}@mail.example", resource="to")
    subject = field(page, 520, "Subject", choices.pick(stocks.SUBJECTS), resource="subject")
    body = page.paragraph(
        MARGIN,
        752,
        1320,
        " ".join(choices.several(stocks.LINES, 3)),
        size=58,
        kind="EditText",
        resource="body",
    )
    page.fill(
        Box(MARGIN, body.box.bottom + 16, MARGIN + 8, body.box.bottom + 96), page.theme.accent
    )
    keyboard(page)
    page.ask("Who is the message written to?", f"It is written to {to.text}.", to.text, at=to)
    page.ask(
        "What is the subject of the message?",
        f'The subject is "{subject.text}".',
        subject.text,
        at=subject,
    )
    page.ask_absent("Who gets a copy?")


def quiz(page: Page, choices: Choices) -> None:
    """Draws a question with four answers, one of them chosen."""
    done = choices.number(1, 19)
    app_bar(page, "Quiz", lead="close")
    page.fill(Box(0, 280, SPACE_WIDTH, 304), page.theme.line)
    page.fill(Box(0, 280, 72 * done, 304), page.theme.accent)
    place = page.text(MARGIN, 368, f"Question {done} of 20", size=52, colour=page.theme.faint)
    points = page.text(
        EDGE,
        368,
        f"{choices.number(2, 99) * 10} points",
        size=52,
        align="right",
        colour=page.theme.faint,
    )
    words, options = choices.pick(stocks.QUIZZES)
    asked = page.paragraph(MARGIN, 512, 1320, words, size=84)
    chosen_place = choices.number(0, 3)
    chosen = None
    for number, option in enumerate(options):
        top = 848 + 272 * number
        box = Box(MARGIN, top, EDGE, top + 224)
        mine = number == chosen_place
        page.rounded(box, page.theme.accent if mine else page.theme.line, radius=32)
        page.rounded(box.inset(8), page.theme.card, radius=24)
        page.icon("ring", 120, top + 68, size=88, colour=page.theme.faint)
        if mine:
            page.icon("disc", 140, top + 88, size=48, colour=page.theme.accent)
        line = page.text(264, top + 72, option, size=66, kind="RadioButton", clickable=True)
        chosen = line if mine else chosen
    button(page, Box(MARGIN, 2104, EDGE, 2280), "CHECK")
    page.ask("Which question is asked?", f'The question is "{asked.text}"', asked.text, at=asked)
    if chosen is not None:
        page.ask(
            "Which answer is selected?",
            f'The answer "{chosen.text}" is selected.',
            chosen.text,
            f'"{chosen.text}"',
            at=chosen,
        )
    page.ask(
        "How many questions does the quiz have?",
        "The quiz has 20 questions.",
        "20",
        "20 questions",
        at=page.part(place, "20"),
    )
    page.ask(
        "How many points are there so far?",
        f"There are {points.text}.",
        points.text.split()[0],
        points.text,
        at=points,
    )
    page.ask_absent("How much time is left?")
    page.ask_complex("How many answers can be chosen from?", "4", "four")
