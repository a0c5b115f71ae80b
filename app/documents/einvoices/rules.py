"""The rules that an e-invoice must keep, each as a question to a draft: what is missing, where, and what to do.

Names are those of EN 16931-1: BR-… its business rules, BT-… and BG-… the terms that they speak of; the words are ours.
Rules that hold by the way a draft is made (a type code, an identifier of each line, sums that we would write
ourselves) are not here. What the shop rounded line by line may be apart from what the standard works out of the sum:
the validators of the standard's own makers take less than one unit of currency for equal, we only what rounding makes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import Final

from app.documents.einvoices.codes import is_country, is_currency
from app.documents.einvoices.draft import Category, Draft, Extra, TypeCode, Vat


class Severity(StrEnum):
    """What kind of thing is wrong."""

    MISSING = "missing"
    """Something is not there."""
    UNDECIDABLE = "undecidable"
    """The data do not tell which of several it is."""
    MISMATCH = "mismatch"
    """Something is there and cannot be right, or does not add up."""


Found = tuple[str, str]
"""Where, and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    id: str
    terms: str
    """The terms that it is about."""
    severity: Severity
    title: str
    """What is wrong with a document that breaks it."""
    remedy: str
    """What to do."""
    find: Callable[[Draft], Iterator[Found]]


_DOCUMENT: Final = "document"
_SETTINGS: Final = "store settings"
_BUYER: Final = "billing address"
_TAXABLE: Final = (Category.STANDARD, Category.ZERO, Category.EXEMPT, Category.REVERSE_CHARGE)
_ABROAD: Final = (Category.INTRA_COMMUNITY, Category.EXPORT)


def _number(draft: Draft) -> Iterator[Found]:
    if draft.seller.has_number_keys and not draft.has_own_number:
        yield "order metadata", f"none of the store's number keys has a value; the order's number is {draft.number}"


def _issued(draft: Draft) -> Iterator[Found]:
    if draft.issued is None:
        yield _DOCUMENT, "it has no date"


def _currency(draft: Draft) -> Iterator[Found]:
    if not is_currency(draft.currency):
        yield _DOCUMENT, f"“{draft.currency[:10]}” is no currency" if draft.currency else "it names no currency"


def _seller_address(draft: Draft) -> Iterator[Found]:
    if not draft.seller.has_address:
        yield _SETTINGS, "the store has no address"


def _seller_country(draft: Draft) -> Iterator[Found]:
    if not draft.seller.country:
        yield _SETTINGS, "the store has no country"


def _seller_identified(draft: Draft) -> Iterator[Found]:
    # without any tax id, or with something sent abroad, another rule says so already
    is_told = draft.has(*_ABROAD) or (draft.has(*_TAXABLE) and not draft.seller.has_other_tax_id)
    # what is not subject to VAT may name no VAT number: there the other one is what identifies
    is_registered = draft.has(Category.OUT_OF_SCOPE) and draft.seller.has_other_tax_id
    if not (draft.seller.vat_id or is_told or is_registered):
        yield _SETTINGS, "none of the store's tax ids is a VAT number"


def _seller_taxed(draft: Draft) -> Iterator[Found]:
    if draft.has(*_TAXABLE) and not draft.seller.vat_id and not draft.seller.has_other_tax_id:
        yield _SETTINGS, "the store has no tax id"


def _seller_abroad(draft: Draft) -> Iterator[Found]:
    if draft.has(*_ABROAD) and not draft.seller.vat_id:
        yield _SETTINGS, "none of the store's tax ids is a VAT number"


def _seller_out_of_scope(draft: Draft) -> Iterator[Found]:
    if draft.has(Category.OUT_OF_SCOPE) and (draft.seller.vat_id or draft.buyer.vat_id):
        whose = "the store" if draft.seller.vat_id else "the customer"
        yield _DOCUMENT, f"it is not subject to VAT, and {whose} has a VAT number"


def _out_of_scope_alone(draft: Draft) -> Iterator[Found]:
    others = {vat.category.value for vat in draft.vats if vat.category not in (None, Category.OUT_OF_SCOPE)}
    if draft.has(Category.OUT_OF_SCOPE) and others:
        yield _DOCUMENT, f"some of it is not subject to VAT, and some is of category {', '.join(sorted(others))}"


def _buyer_name(draft: Draft) -> Iterator[Found]:
    if not draft.buyer.name:
        yield _BUYER, "it has neither a company nor a name"


def _buyer_address(draft: Draft) -> Iterator[Found]:
    if not draft.buyer.has_address:
        yield _BUYER, "it is empty"


def _buyer_country(draft: Draft) -> Iterator[Found]:
    if not is_country(draft.buyer.country):
        country = draft.buyer.country
        yield _BUYER, f"“{country[:20]}” is no country code" if country else "it has no country"


def _buyer_vat_id(draft: Draft) -> Iterator[Found]:
    if draft.buyer.typed_vat_id and not draft.buyer.vat_id:
        yield "order metadata", f"“{draft.buyer.typed_vat_id[:20]}” is no VAT number of a country: form or check digits"


def _delivered(draft: Draft) -> Iterator[Found]:
    if draft.has(Category.INTRA_COMMUNITY) and draft.delivered is None:
        yield _DOCUMENT, "it is an intra-community supply, and the order was never completed"


def _terms(draft: Draft) -> Iterator[Found]:
    if draft.stored_total is not None and draft.stored_total > 0 and not draft.is_paid and not draft.seller.terms:
        yield _SETTINGS, "the order is not paid, and the store does not say how and when it is to be"


def _total(draft: Draft) -> Iterator[Found]:
    if draft.stored_total is None:
        yield _DOCUMENT, "the shop stored no total"


def _lines(draft: Draft) -> Iterator[Found]:
    if draft.positions:
        return
    if draft.type_code is TypeCode.CREDIT_NOTE and not draft.extras:
        yield _DOCUMENT, "the refund is one amount without lines: of which of them, and at which rate, is not stored"
    else:
        yield _DOCUMENT, "the order has no lines, only charges" if draft.extras else "the order has no lines"


def _preceding(draft: Draft) -> Iterator[Found]:
    if draft.type_code is TypeCode.CREDIT_NOTE and not draft.preceding:
        yield _DOCUMENT, "the invoice that it corrects has no number"


def _line_name(draft: Draft) -> Iterator[Found]:
    return ((one.place, "it has no name") for one in draft.positions if not one.name)


def _line_unit(draft: Draft) -> Iterator[Found]:
    for one in draft.positions:
        if one.unit is None and one.written_unit:
            yield one.place, f"“{one.written_unit[:20]}” is no unit that we know a code for"
        elif one.unit is None:
            yield one.place, f"{one.quantity.normalize():f} of what, the order does not say"


def _line_net(draft: Draft) -> Iterator[Found]:
    return ((one.place, "the shop stored no total of it") for one in draft.positions if one.net is None)


def _line_price(draft: Draft) -> Iterator[Found]:
    for one in draft.positions:
        if one.net and not one.quantity:
            yield one.place, f"its quantity is 0 and its total {one.net:f}"


def _line_price_sign(draft: Draft) -> Iterator[Found]:
    for one in draft.positions:
        if one.net and one.quantity and (one.net < 0) != (one.quantity < 0):
            yield one.place, f"{one.quantity.normalize():f} for {one.net:f} makes a price below zero"


def _line_category(draft: Draft) -> Iterator[Found]:
    return ((one.place, one.vat.doubt) for one in draft.positions if one.vat.category is None)


def _of(draft: Draft, *, allowances: bool) -> Iterator[Extra]:
    return (one for one in draft.extras if one.is_allowance is allowances)


def _allowance_category(draft: Draft) -> Iterator[Found]:
    return ((one.place, one.vat.doubt) for one in _of(draft, allowances=True) if one.vat.category is None)


def _charge_category(draft: Draft) -> Iterator[Found]:
    return ((one.place, one.vat.doubt) for one in _of(draft, allowances=False) if one.vat.category is None)


def _allowance_reason(draft: Draft) -> Iterator[Found]:
    return ((one.place, "it has no name") for one in _of(draft, allowances=True) if not one.reason)


def _charge_reason(draft: Draft) -> Iterator[Found]:
    # that of shipping has a code of its own, FC of UNTDID 7161
    nameless = (one for one in _of(draft, allowances=False) if not one.reason and not one.is_shipping)
    return ((one.place, "it has no name") for one in nameless)


def _rate(draft: Draft) -> Iterator[Found]:
    vats: list[tuple[str, Vat]] = [(one.place, one.vat) for one in draft.positions]
    vats += [(one.place, one.vat) for one in draft.extras]
    for place, vat in vats:
        if vat.category is Category.STANDARD and vat.rate is None:
            yield place, "the order does not tell the percentage of its tax"
        elif vat.category is Category.STANDARD and vat.rate is not None and vat.rate <= 0:
            yield place, f"it is taxed, at a rate of {vat.rate.normalize():f} %"


def _exemption(draft: Draft) -> Iterator[Found]:
    if draft.has(Category.EXEMPT) and not draft.seller.exemption:
        yield _SETTINGS, "something is exempt from tax, and the store does not say why"


def _is_whole(draft: Draft) -> bool:
    """Whether the parts are known that figures could be compared with."""
    return bool(draft.positions) and all(vat.category is not None for vat in draft.vats)


def _tax_of_rate(draft: Draft) -> Iterator[Found]:
    for row in draft.taxed:
        wanted = (row.base * row.rate / 100).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        # each part may have been rounded, and its net amount too where prices hold the tax
        slack = (row.parts * (1 + row.rate / 100) + 1) * draft.unit / 2
        if abs(row.tax - wanted) > slack:
            yield (
                f"tax of {row.rate.normalize():f} %",
                f"{row.rate.normalize():f} % of {row.base:f} is {wanted:f}, and the shop stored {row.tax:f}",
            )


def _tax_total(draft: Draft) -> Iterator[Found]:
    rated = {vat.rate for vat in draft.vats if vat.category is Category.STANDARD}
    if draft.stored_tax is None or not _is_whole(draft) or rated != {row.rate for row in draft.taxed}:
        return
    sum_of_rates = sum((row.tax for row in draft.taxed), Decimal(0))
    if abs(draft.stored_tax - sum_of_rates) > draft.slack:
        yield _DOCUMENT, f"its rates come to {sum_of_rates:f} of tax, and the shop stored {draft.stored_tax:f}"


def _sum(draft: Draft) -> Iterator[Found]:
    if draft.net is None or draft.stored_total is None or not draft.positions:
        return
    come_to = draft.net + (draft.stored_tax or 0)
    if abs(draft.stored_total - come_to) > draft.slack:
        tax = draft.stored_tax or Decimal(0)
        yield (
            _DOCUMENT,
            f"lines, charges and allowances of {draft.net:f} and {tax:f} of tax come to {come_to:f}, "
            f"and the shop stored {draft.stored_total:f}",
        )


def _decimals(draft: Draft) -> Iterator[Found]:
    for amount in (draft.stored_total, draft.stored_tax):
        if amount is not None and amount != amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP):
            yield _DOCUMENT, f"{amount:f} has more than two decimals"


_M, _U, _X = Severity.MISSING, Severity.UNDECIDABLE, Severity.MISMATCH
_SET: Final = "`sheaf stores set KEY "

RULES: Final = (
    Rule("BR-02", "BT-1", _M, "The invoice has no number of its own.",
         "Let the plugin that numbers invoices give it one, or take the number keys out of the store's settings.",
         _number),
    Rule("BR-03", "BT-2", _M, "The date of issue is not known.", "Import the order, or the full refund, with its date.",
         _issued),
    Rule("BR-05", "BT-5", _M, "The currency is not known.", "Import the order with the code of its currency.",
         _currency),
    Rule("BR-08", "BG-5", _M, "The seller has no address.", f"{_SET}--address …`.", _seller_address),
    Rule("BR-09", "BT-40", _M, "The seller's country is not known.", f"{_SET}--country DE`.", _seller_country),
    Rule("BR-CO-26", "BT-29, BT-30, BT-31", _M, "The seller cannot be told apart by a number.",
         f'{_SET}--tax-id "VAT no.=DE123456788"`, with the country in front.', _seller_identified),
    Rule("BR-S-02", "BT-31, BT-32", _M, "Something is taxed, zero rated or exempt, and the seller has no tax number.",
         f'{_SET}--tax-id "VAT no.=DE123456788"`.', _seller_taxed),
    Rule("BR-G-02", "BT-31", _M, "Something went abroad untaxed, and the seller has no VAT number.",
         f'{_SET}--tax-id "VAT no.=DE123456788"`, with the country in front. In the Union the rule is BR-IC-02.',
         _seller_abroad),
    Rule("BR-O-02", "BT-31, BT-48", _X, "What is not subject to VAT cannot name a VAT number.",
         "Look whether it is exempt (E) rather than out of scope (O), and set `--untaxed` so.", _seller_out_of_scope),
    Rule("BR-O-11", "BG-23", _X, "What is not subject to VAT cannot stand beside what is.",
         "Invoice it apart, or look whether it is exempt (E) rather than out of scope (O).", _out_of_scope_alone),
    Rule("BR-07", "BT-44", _M, "The buyer has no name.", "Add it to the order in the shop, and import it again.",
         _buyer_name),
    Rule("BR-10", "BG-8", _M, "The buyer has no address.", "Add it to the order in the shop, and import it again.",
         _buyer_address),
    Rule("BR-11", "BT-55", _M, "The buyer's country is not known.",
         "Add it to the order in the shop, and import it again.", _buyer_country),
    Rule("BR-CO-09", "BT-48", _X, "The buyer's VAT number is none.",
         "Ask the customer for it, with its country in front, and correct the order in the shop.", _buyer_vat_id),
    Rule("BR-IC-11", "BT-72", _M, "An intra-community supply has no date of delivery.",
         "Complete the order in the shop once it is delivered, and import it again.", _delivered),
    Rule("BR-CO-25", "BT-9, BT-20", _M, "There is something to pay, and no terms of payment.",
         f'{_SET}--bank-line "Payable within 14 days …"`: WooCommerce keeps no due date.', _terms),
    Rule("BR-14", "BT-112", _M, "The total is not known.", "Import the order with its total.", _total),
    Rule("BR-16", "BG-25", _M, "There are no lines.",
         "Refund lines rather than an amount, and import the full refund; enter what was sold as a line.", _lines),
    Rule("BR-55", "BT-25", _M, "A credit note does not name its invoice.", "Import the order with its number.",
         _preceding),
    Rule("BR-25", "BT-153", _M, "A line has no name.", "Name it in the order in the shop, and import it again.",
         _line_name),
    Rule("BR-23", "BT-130", _U, "What a quantity counts is not known.",
         f"{_SET}--unit-key _unit`: the key of a line's metadata with its unit, such as kg or KGM.", _line_unit),
    Rule("BR-24", "BT-131", _M, "A line has no amount.", "Import the order with the totals of its lines.", _line_net),
    Rule("BR-26", "BT-146", _M, "A line has no price.", "Correct its quantity in the shop, and import the order again.",
         _line_price),
    Rule("BR-27", "BT-146", _X, "A price is below zero.",
         "Enter it as a fee below zero, which is an allowance, or as a refund.", _line_price_sign),
    Rule("BR-CO-04", "BT-151", _U, "The VAT category of a line cannot be decided.",
         "See what is in doubt: it names what would decide it.", _line_category),
    Rule("BR-32", "BT-95", _U, "The VAT category of an allowance cannot be decided.",
         "See what is in doubt: it names what would decide it.", _allowance_category),
    Rule("BR-37", "BT-102", _U, "The VAT category of a charge cannot be decided.",
         "See what is in doubt: it names what would decide it.", _charge_category),
    Rule("BR-33", "BT-97", _M, "An allowance has no reason.", "Name the fee in the order in the shop.",
         _allowance_reason),
    Rule("BR-38", "BT-104", _M, "A charge has no reason.", "Name the fee in the order in the shop.", _charge_reason),
    Rule("BR-S-05", "BT-152, BT-96, BT-103", _M, "The rate of a tax is not known.",
         "Import the order from WooCommerce 3.7 or newer, which tells `rate_percent`.", _rate),
    Rule("BR-E-10", "BT-120", _M, "An exemption has no reason.", f'{_SET}--untaxed "E=VAT exempt under …"`.',
         _exemption),
    Rule("BR-S-09", "BT-117", _X, "A tax is not its rate of what it is on.",
         "Look at the order in the shop: the tax was edited, or part of it is of another rate.", _tax_of_rate),
    Rule("BR-CO-14", "BT-110", _X, "The taxes do not come to the tax.",
         "Recalculate the order in the shop, and import it again.", _tax_total),
    Rule("BR-CO-15", "BT-112", _X, "The parts do not come to the total.",
         "Recalculate the order in the shop, and import it again; a gift card belongs to what was paid.", _sum),
    Rule("BR-DEC-14", "BT-110, BT-112", _X, "An amount has more than two decimals.",
         "The standard takes two, whatever the currency.", _decimals),
)  # fmt: skip

UNREADABLE: Final = Rule(
    id="order_unreadable",
    terms="",
    severity=Severity.MISMATCH,
    title="The order cannot be read.",
    remedy="Import it: what is wrong is named there with its place.",
    find=lambda _draft: iter(()),
)
"""No rule of the standard: what the import would reject."""
