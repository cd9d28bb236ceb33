"""The rules of prices, where they are computed."""

import json

import pytest
from prices import UnknownCountry, price_of, tax_of


@pytest.fixture
def rates_of_last_year():
    with open("service/rates-of-last-year.json") as file:
        return json.load(file)


def test_adds_the_standard_rate():
    assert price_of(1000, "DE") == {"net": 1000, "tax": 190, "gross": 1190}


@pytest.mark.parametrize(("country", "tax"), [("DE", 70), ("FR", 55), ("LU", 30)])
def test_knows_the_reduced_rate(country, tax):
    assert tax_of(1000, country, "reduced") == tax


def test_rounds_half_a_cent_up():
    assert price_of(150, "DE", "reduced")["gross"] == 161


def test_refuses_other_countries():
    with pytest.raises(UnknownCountry, match="does not ship to CH"):
        tax_of(1000, "CH")


def test_keeps_old_prices(rates_of_last_year):
    assert rates_of_last_year["DE"]["standard"] == 19


@pytest.mark.skip(reason="Customs come next year.")
def test_adds_customs():
    assert price_of(1000, "CH")["customs"] == 50
