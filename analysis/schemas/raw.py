"""The validated raw tables, and what ingest counted and set aside."""

from __future__ import annotations

from analysis.schemas.columns import MODEL, count_column, key_column, number_column, share_column, text_column
from analysis.typed_frames import dy


class Verdicts(dy.Schema):
    """The validated verdicts: one row per model, item and run."""

    model = key_column(MODEL)
    item_id = key_column("Item's identifier as text.")
    run = dy.Int64(primary_key=True, description="Repetition (epoch, sample) of the same item.")
    verdict = text_column("Verdict as given; null where the file had none.")
    correct = dy.Bool(
        nullable=True, description="Success by the rule of the design; null: excluded or unscored."
    )
    score = share_column("Graded score as given.")
    excluded = dy.Bool(description="The verdict leaves the denominator.")
    labels = dy.List(dy.String(), description="Failure labels, distinct, in code-point order.")
    decision = text_column("The structured decision taken.")
    flags = dy.List(dy.String(), description="Facts about the response, distinct, in code-point order.")
    cost_usd = number_column("Cost of the response.", unit="USD", nonnegative=True)
    input_tokens = number_column("Tokens read.", unit="tokens", nonnegative=True)
    output_tokens = number_column("Tokens written.", unit="tokens", nonnegative=True)
    latency_s = number_column("Time to the response.", unit="s", nonnegative=True)


class Items(dy.Schema):
    """The items of `items.parquet` and of the verdicts together. Declared covariates follow as columns."""

    item_id = key_column("Item's identifier as text.")
    track = text_column("Track; items without one count in `all` only.")
    question_type = text_column("Type of question.")
    cluster_id = text_column("Cluster: patient, case, passage.")
    position = number_column("Position within the cluster (turn).")
    component = text_column("Component of the cluster's joint answer.")
    weight = number_column("Weight; ignored unless the card declares it.", nonnegative=True)


class Models(dy.Schema):
    """The models, those without verdicts included."""

    model = key_column(MODEL)
    name = text_column("Name as shown (default: the identifier).")
    family = text_column("Model family.")
    vendor = text_column("Who offers it.")
    weights = dy.String(
        nullable=True,
        check=lambda c: c.is_in(["open", "closed"]),
        description="`open` or `closed`.",
    )
    released = text_column("Release date, ISO 8601.")
    input_price_usd = number_column("Price of input.", unit="USD per million tokens", nonnegative=True)
    output_price_usd = number_column("Price of output.", unit="USD per million tokens", nonnegative=True)
    total_cost_usd = number_column("Cost over all tracks and rows.", unit="USD", nonnegative=True)
    n_rows = count_column("Rows of verdicts.")


class Ratings(dy.Schema):
    """Human, judge and scorer ratings, one row each."""

    model = text_column("Model rated; null where the item itself is rated.")
    item_id = dy.String(description="Item's identifier as text.")
    run = dy.Int64(nullable=True, description="Run rated.")
    criterion_id = text_column("Criterion; null where there is only one.")
    rater = dy.String(description="Who rated.")
    rater_kind = dy.String(
        check=lambda c: c.is_in(["human", "judge", "scorer"]),
        description="`human`, `judge` or `scorer`.",
    )
    label = text_column("Rating as a category.")
    value = number_column("Rating as a number.")
    polarity = text_column("Whether the criterion is wanted or unwanted.")
    flagged = dy.Bool(nullable=True, description="The rating is flagged.")


class AuditTrail(dy.Schema):
    """How a scorer came to its verdicts: one row per step of a response."""

    model = key_column(MODEL)
    item_id = key_column("Item's identifier as text.")
    run = dy.Int64(primary_key=True, description="Run scored.")
    step = dy.Int64(primary_key=True, description="Number of the step within the response, in its order.")
    phase = text_column(
        "Phase of the scorer, such as `repair` or `content`; a step of phase `verdict` states the verdict."
    )
    field = dy.String(
        description="What was looked at: a field of the response, a slot, a measure, a label.",
    )
    outcome = dy.String(description="What came of it; of phase `verdict`, the verdict.")
    found = text_column("What the response has.")
    expected = text_column("What the gold answer or the schema has.")
    value = number_column("The value measured.")
    threshold = number_column("The threshold that the value was held against.")


class Statements(dy.Schema):
    """What a publication says of the same data, and what is measured for it."""

    position = dy.Int64(primary_key=True, min=1, description="Number of the statement, in order.")
    place = dy.String(description="Section, table or figure of the publication.")
    says = dy.String(description="What it says, in short.")
    quantity = text_column("What is measured for it.")
    printed = dy.String(description="The value as printed.")
    measured = number_column("The value here.")
    met = dy.Bool(description="The printed value holds, to the precision of the print.")
    reason = text_column("Why it does not hold.")
    note = text_column("How the statement was read.")


class Audit(dy.Schema):
    """What ingest counted: nothing is lost without a row here."""

    check = key_column("What was counted.")
    subject = key_column("Where: a file, a model, a label, a column; empty for the benchmark.")
    n = count_column("How many.")
    note = dy.String(description="The sentence a reader sees.")


class Quarantine(dy.Schema):
    """Rows that a lenient run set aside."""

    file = key_column("File, relative to the raw folder.")
    row = dy.Int64(primary_key=True, description="Row in the file, from 1.")
    reason = key_column("Why.")
    content = dy.String(description="The row as JSON.")
