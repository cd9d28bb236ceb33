"""What the shop charges. Amounts are in cents; half a cent of tax goes up."""

import json
from pathlib import Path

RATES = json.loads(Path(__file__).with_name("rates.json").read_text())


class UnknownCountry(LookupError):
    """The shop does not ship there."""


def rate_of(country, kind="standard"):
    """Percent."""
    if country not in RATES:
        raise UnknownCountry(f"The shop does not ship to {country}.")
    return RATES[country][kind]


def tax_of(net, country, kind="standard"):
    return round(net * rate_of(country, kind) / 100)


def price_of(net, country, kind="standard", is_business=False):
    tax = 0 if is_business else tax_of(net, country, kind)
    return {"net": net, "tax": tax, "gross": net + tax}
